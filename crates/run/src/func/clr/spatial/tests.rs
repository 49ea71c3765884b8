use ir::function::Functions as _;
use ir::function::clr::{MemberKind, members};

use super::*;
use crate::func::Library;

#[test]
fn every_member_has_its_function_and_every_function_its_member() {
    for (kind, functions) in [(TypeKind::Geometry, GEOMETRY), (TypeKind::Geography, GEOGRAPHY)] {
        for member in members(kind) {
            assert!(Library.scalar(member.function).is_some(), "{}", member.function);
            assert!(member.setter.is_none_or(|setter| Library.scalar(setter).is_some()));
            let collects = Library.aggregate(names::collect(kind)).is_some();
            assert!(member.kind != MemberKind::Aggregate || collects);
        }
        for function in functions {
            assert!(members(kind).iter().any(|m| m.function == function.name), "{}", function.name);
        }
    }
}

#[test]
fn what_may_take_long_is_not_computed_while_a_statement_is_compiled() {
    let text = |length: usize| [base::Value::Unicode(vec![b' '; length].into())];
    let parse = member_function!("GEOMETRY", "Parse");
    assert!(!names::is_long(parse, &text(100)) && names::is_long(parse, &text(100_000)));
    assert!(names::is_long(member_function!("GEOGRAPHY", "STBuffer"), &[]));
    assert!(!names::is_long("LEN", &text(100_000)));
}
