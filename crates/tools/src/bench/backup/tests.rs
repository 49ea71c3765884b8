use super::*;

#[test]
fn shares_are_of_the_slower_way() {
    let mut figures = Figures::default();
    let measured = [
        ("backup_mb_s", 50.0),
        ("restore_mb_s", 75.0),
        ("device_write_mb_s", 100.0),
        ("device_read_mb_s", 200.0),
        ("device_copy_mb_s", 80.0),
    ];
    measured.into_iter().for_each(|(name, value)| figures.add(name, value));
    let figures = figures.with_shares();
    let value = |name| figures.iter().find(|figure| figure.figure == name).map(|f| f.values[0]);
    assert_eq!(value("backup_share"), Some(50.0));
    assert_eq!(value("restore_copy_share"), Some(93.75));
}
