use super::*;

#[test]
fn a_part_is_limited_by_itself_and_by_the_whole() {
    let whole = Account::new(150, "default");
    let (a, b) = (Account::within(&whole, 100, "default"), Account::within(&whole, 100, "default"));
    let of_a = Charged::take(&a, 90).unwrap();
    assert_eq!(Charged::take(&a, 11).unwrap_err().number(), 701);
    let mut of_b = Charged::take(&b, 60).unwrap();
    assert_eq!(of_b.resize(61).unwrap_err().number(), 701);
    drop(of_a);
    of_b.resize(100).unwrap();
    assert_eq!((a.used(), b.used(), whole.used()), (0, 100, 100));
    of_b.resize(10).unwrap();
    drop(of_b);
    assert_eq!((b.used(), whole.used()), (0, 0));
    b.take(101);
    assert_eq!(b.check().unwrap_err().number(), 701);
}

#[test]
fn long_scratch_is_charged_until_something_else_is_put_together() {
    let account = Account::new(2 * UNASKED, "default");
    let mut scratch = Scratch::default();
    scratch.begin(UNASKED, &account).unwrap().extend([1; UNASKED]);
    assert_eq!((account.used(), scratch.bytes().len()), (0, UNASKED));
    scratch.begin(2 * UNASKED, &account).unwrap().push(2);
    assert_eq!((account.used(), scratch.bytes()), (2 * UNASKED, &[2][..]));
    assert_eq!(scratch.begin(2 * UNASKED + 1, &account).unwrap_err().number(), 701);
    scratch.begin(UNASKED + 1, &account).unwrap();
    scratch.begin(1, &account).unwrap();
    assert_eq!((account.used(), scratch.bytes.capacity()), (0, 0));
}
