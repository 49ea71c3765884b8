use super::*;

#[test]
fn passwords_follow_the_policy() {
    let number = |password| check_password("joe", password).err().map(|f| f.error.number());
    assert_eq!(number("Ab1!"), Some(15116));
    assert_eq!(number("abcdefgh"), Some(15118));
    assert_eq!(number("Joe12345!"), Some(15118));
    assert_eq!(number("Abcdefg1"), None);
    assert_eq!(number("pa$$w0rd"), None);
}
