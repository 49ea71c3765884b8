use super::Coercibility::*;
use super::*;

#[test]
fn labels_combine_as_documented() {
    let (a, b) = (Collation(1), Collation(2));
    assert_eq!(Default(a).combine(Implicit(b)), Ok(Implicit(b)));
    assert_eq!(Implicit(a).combine(Implicit(a)), Ok(Implicit(a)));
    assert_eq!(Implicit(a).combine(Implicit(b)), Ok(Conflict(a, b)));
    assert_eq!(Conflict(a, b).combine(Explicit(b)), Ok(Explicit(b)));
    assert_eq!(Conflict(a, b).combine(Default(b)), Ok(Conflict(a, b)));
    assert_eq!(Explicit(a).combine(Explicit(b)), Err(CollationConflict(a, b)));
    assert_eq!(Explicit(a).combine(Implicit(b)), Ok(Explicit(a)));
    assert_eq!(Conflict(a, b).collation(), Err(CollationConflict(a, b)));
}
