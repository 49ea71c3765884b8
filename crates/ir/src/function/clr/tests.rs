use super::*;

#[test]
fn functions_of_members_are_internal() {
    for kind in TypeKind::ALL {
        assert_eq!(members(kind).is_empty(), !kind.is_clr());
        assert!(members(kind).iter().all(|member| is_internal(member.function)));
    }
    assert!(is_internal("hierarchyid getroot"));
    assert!(!is_internal("HIERARCHYID"));
}
