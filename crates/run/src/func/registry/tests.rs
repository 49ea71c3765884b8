use super::*;

#[test]
fn functions_are_found_in_any_case() {
    assert_eq!(Library.scalar("Len").unwrap().name, "LEN");
    assert_eq!(Library.scalar("@@rowcount").unwrap().name, "@@ROWCOUNT");
    assert!(Library.scalar("nothing").is_none());
    assert!(Library.scalar(&"x".repeat(100)).is_none());
    assert!(Library.scalar("größe").is_none());
    assert_eq!(Library.aggregate("sum").unwrap().name, "SUM");
    assert_eq!(Library.rowset("string_split").unwrap().name, "STRING_SPLIT");
    assert_eq!(Library.odbc("ucase").unwrap().name, "UPPER");
    assert_eq!(Library.odbc("left").unwrap().name, "LEFT");
    assert!(Library.scalar("curdate").is_none() && Library.odbc("curdate").is_some());
}

#[test]
fn names_are_unique_and_in_upper_case() {
    for (name, function) in SCALARS.iter() {
        assert_eq!(*name, name.to_ascii_uppercase());
        assert!(name.len() <= NAME_MAX);
        assert!(function.arguments.0 <= function.arguments.1, "{name}");
    }
    let listed: usize = GROUPS.iter().map(|group| group.len()).sum();
    assert_eq!(SCALARS.len(), listed, "no name is listed twice");
}
