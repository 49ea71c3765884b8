use super::*;

#[test]
fn passwords_are_stars_however_they_are_written() {
    let masked = |text| masked(text);
    assert_eq!(
        masked("create login a with password = 'x'"),
        "create login a with password = '******'"
    );
    assert_eq!(
        masked(
            "alter login a with PASSWORD=N'it''s' OLD_PASSWORD /* = 'no' */ = 'b', check_policy = off"
        ),
        "alter login a with PASSWORD='******' OLD_PASSWORD /* = 'no' */ = '******', check_policy = off"
    );
    assert_eq!(
        masked("create login [password = 'b'] with password -- c\n = 0xAB hashed, sid = 0x01"),
        "create login [password = 'b'] with password -- c\n = '******' hashed, sid = 0x01"
    );
    assert_eq!(
        masked("create user u with password = \"p\"\"q\""),
        "create user u with password = '******'"
    );
    assert_eq!(masked("password = 'left open"), "password = '******'");
}

#[test]
fn blanks_end_before_the_next_word() {
    assert_eq!(after_blanks("a ; -- x\n /* y /* z */ */ b", 1), 26);
    assert_eq!(after_blanks("a /* open", 1), 9);
    assert_eq!(after_blanks("a", 1), 1);
    assert_eq!(after_blanks("é\u{a0}b", 2), 4);
}
