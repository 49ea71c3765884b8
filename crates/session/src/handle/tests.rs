use super::*;

#[test]
fn handles_of_modules_are_read_back() {
    let (database, module) = (DbId(7), ObjectId(-900_000_003));
    let handle = of_module(database, module);
    assert_eq!(module_of(&handle), Some((database, module)));
    assert_eq!(module_of(&handle[..20]), None);
    assert_eq!(module_of(&of_text("select 1")), None);
    assert_eq!(module_of(&[]), None);
}
