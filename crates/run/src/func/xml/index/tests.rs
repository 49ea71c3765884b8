use super::*;
use crate::func::testing::check;

#[test]
fn values_are_the_beginnings_of_texts() {
    let long = format!("nvarchar(200):{}", "x".repeat(200));
    let cut = format!("0x{}", "78".repeat(VALUE_BYTES));
    check(&[
        (names::INDEX_VALUE, &["nvarchar(10):é"], "0xC3A9"),
        (names::INDEX_VALUE, &["varchar(10):ab "], "0x616220"),
        (names::INDEX_VALUE, &["nvarchar(10):NULL"], "NULL"),
        (names::INDEX_VALUE, &[&long], &cut),
    ]);
}
