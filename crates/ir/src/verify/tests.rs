use base::{SqlType, Value};

use super::*;
use crate::inst::{MarkId, RegType};
use crate::site::Constant;

/// Two registers of bytes that are constants, results of concatenations in the others.
const A: Reg = Reg(0);
const B: Reg = Reg(1);
const X: Reg = Reg(2);
const Y: Reg = Reg(3);
const LINK: Reg = Reg(4);
const M: MarkId = MarkId(0);
const N: MarkId = MarkId(1);

/// What the verifier says of this code, after `A` and `B` have got constants: where it fails.
fn problem(code: &[Inst]) -> Option<usize> {
    let (ty, value) = (SqlType::varbinary(8), Value::Bytes([1][..].into()));
    let mut registers = vec![RegType::Bytes; 4];
    registers.push(RegType::I64);
    let constants = vec![Constant { ty, value }];
    let mut unit = UnitParts { registers, constants, marks: 2, ..UnitParts::default() };
    unit.code = vec![Inst::Const { dst: A, index: 0 }, Inst::Const { dst: B, index: 0 }];
    unit.code.extend_from_slice(code);
    unit.code.push(Inst::Halt);
    let from = |problem: Problem| {
        assert!(problem.what.contains("given back"), "{problem}");
        problem.at.0 as usize - 2
    };
    verify(&unit).err().map(from)
}

fn concat(dst: Reg) -> Inst {
    Inst::Concat { dst, a: A, b: B, site: 0 }
}

fn used(src: Reg) -> Inst {
    Inst::StoreVar { var: 9, src }
}

/// The instruction of this number in the code that is given.
fn to(number: u32) -> Pc {
    Pc(number + 2)
}

#[test]
fn what_was_taken_since_a_mark_ends_at_its_reset() {
    let (mark, reset) = (Inst::Mark { mark: M }, Inst::Reset { mark: M });
    assert_eq!(problem(&[mark, concat(X), used(X), reset]), None);
    assert_eq!(problem(&[mark, concat(X), reset, used(X)]), Some(3));
    assert_eq!(problem(&[concat(X), mark, reset, used(X)]), None, "it is older than the mark");
    assert_eq!(problem(&[mark, reset, concat(X), used(X)]), None, "it is younger");
    let again = [mark, concat(X), reset, concat(X), used(X)];
    assert_eq!(problem(&again), None, "it is defined again");
    assert_eq!(problem(&[mark, Inst::SetNull { dst: X }, reset, used(X)]), None, "NULL is none");
}

#[test]
fn constants_and_what_is_kept_outlive_a_reset() {
    let (mark, reset) = (Inst::Mark { mark: M }, Inst::Reset { mark: M });
    assert_eq!(problem(&[mark, reset, used(A)]), None);
    let kept = [mark, concat(X), Inst::Keep { dst: Y, src: X }, reset, used(Y)];
    assert_eq!(problem(&kept), None);
    assert_eq!(problem(&[mark, Inst::Move { dst: Y, src: A }, reset, used(Y)]), None);
    let moved = [mark, concat(X), Inst::Move { dst: Y, src: X }, reset, used(Y)];
    assert_eq!(problem(&moved), Some(4));
    let too_late = [mark, concat(X), reset, Inst::Keep { dst: Y, src: X }];
    assert_eq!(problem(&too_late), Some(3));
}

#[test]
fn marks_nest() {
    let (outer, inner) = (Inst::Mark { mark: M }, Inst::Mark { mark: N });
    let code = [outer, concat(X), inner, concat(Y), Inst::Reset { mark: N }, used(X)];
    assert_eq!(problem(&code), None, "X is older than the inner mark");
    let code = [outer, inner, concat(Y), Inst::Reset { mark: M }, used(Y)];
    assert_eq!(problem(&code), Some(4), "the outer mark gives back what came after the inner one");
    let moved = [outer, inner, concat(Y), inner, Inst::Reset { mark: N }, used(Y)];
    assert_eq!(problem(&moved), None, "the mark was set once more behind Y");
}

#[test]
fn loops_give_back_what_their_last_turn_took() {
    // 0 mark; 1 X := …; 2 reset; 3 jump to 1, or on if A is NULL, which it never is.
    let code = [
        Inst::Mark { mark: M },
        concat(X),
        Inst::Reset { mark: M },
        Inst::JumpNotNull { a: A, to: to(1) },
    ];
    assert_eq!(problem(&code), None);
    // X is read at the next turn's beginning, before it is made again.
    let code = [
        concat(X),
        Inst::Mark { mark: M },
        used(X),
        concat(X),
        Inst::Reset { mark: M },
        Inst::JumpNotNull { a: A, to: to(2) },
    ];
    assert_eq!(problem(&code), Some(2));
}

#[test]
fn routines_are_followed_through_their_callers() {
    let call = Inst::Gosub { link: LINK, to: to(5) };
    // The routine makes X, after the mark or behind one of its own.
    let code = |inside: &[Inst]| {
        let mut code =
            vec![Inst::Mark { mark: M }, call, Inst::Reset { mark: M }, used(X), Inst::Halt];
        code.extend_from_slice(inside);
        code.push(Inst::Return { link: LINK });
        code
    };
    assert_eq!(problem(&code(&[concat(X)])), Some(3));
    assert_eq!(problem(&code(&[concat(X), Inst::Mark { mark: M }])), None);
    assert_eq!(problem(&code(&[concat(Y), Inst::Keep { dst: X, src: Y }])), None);
    // The routine gives back what its caller has taken.
    let caller = [Inst::Mark { mark: M }, concat(X), call, used(X), Inst::Halt];
    let routine = [Inst::Reset { mark: M }, Inst::Return { link: LINK }];
    assert_eq!(problem(&[&caller[..], &routine[..]].concat()), Some(3));
}

#[test]
fn a_variable_that_is_assigned_ends_what_was_read_from_it() {
    let (load, store) = (Inst::LoadVar { dst: X, var: 3 }, |src| Inst::StoreVar { var: 3, src });
    assert_eq!(problem(&[load, used(X), store(A)]), None);
    assert_eq!(problem(&[load, store(A), used(X)]), Some(2));
    assert_eq!(problem(&[load, store(X)]), None, "the value is read before it is replaced");
    assert_eq!(problem(&[Inst::CopyVar { dst: X, var: 3 }, store(A), used(X)]), None);
}
