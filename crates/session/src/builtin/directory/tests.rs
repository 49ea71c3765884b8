use super::*;

#[test]
fn paths_of_windows_lie_in_the_folder() {
    assert_eq!(within("/data", r"C:\Sql\xtp"), PathBuf::from("/data/Sql/xtp"));
    assert_eq!(within("/data", r"sub\dir"), PathBuf::from("/data/sub/dir"));
    assert_eq!(within("/data", "/srv/x"), PathBuf::from("/srv/x"));
}
