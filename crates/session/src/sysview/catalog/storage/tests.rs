use super::*;

#[test]
fn paths_are_shown_as_they_are_now() {
    let dir = Path::new("/srv/data/databases/d-5");
    assert_eq!(shown_path("data/databases/d-5/d.mdf", dir), "/srv/data/databases/d-5/d.mdf");
    assert_eq!(shown_path("/elsewhere/d.mdf", dir), "/elsewhere/d.mdf");
}
