use crate::{ParseOptions, parse_batch};

/// Number and line of the error in a batch, (0, 0) for none.
fn check(text: &str) -> (i32, u32) {
    match parse_batch(text, ParseOptions::default()) {
        Ok(_) => (0, 0),
        Err(error) => (error.number(), error.line()),
    }
}

#[test]
fn break_and_continue_need_a_loop() {
    assert_eq!(check("break"), (135, 1));
    assert_eq!(check("select 1\nif 1 = 1 continue"), (136, 2));
    assert_eq!(check("while 1 = 1 begin if 1 = 2 break else continue end"), (0, 0));
    assert_eq!(check("create proc p as\nbreak"), (135, 2));
}

#[test]
fn throw_without_arguments_needs_a_handler() {
    assert_eq!(check("begin try throw end try begin catch select 1 end catch"), (10704, 1));
    assert_eq!(check("begin try select 1 end try begin catch throw end catch"), (0, 0));
    assert_eq!(check("throw 50000, 'x', 1"), (0, 0));
}

#[test]
fn return_values_are_refused_outside_procedures_and_functions() {
    assert_eq!(check("return"), (0, 0));
    assert_eq!(check("\nreturn 1"), (178, 2));
    assert_eq!(check("create proc p as return 1"), (0, 0));
    assert_eq!(check("create trigger t on x for insert as return 1"), (178, 1));
    assert_eq!(check("create function f() returns int as begin return 1 end"), (0, 0));
    let table = "create function f() returns @t table (a int) as begin return 1 end";
    assert_eq!(check(table), (178, 1));
}

#[test]
fn labels_exist_once_and_not_inside_another_try() {
    assert_eq!(check("goto a\na: select 1"), (0, 0));
    assert_eq!(check("A: select 1\na: select 2"), (132, 2));
    assert_eq!(check("select 1\ngoto b"), (133, 2));
    let text = "goto a; begin try a: select 1 end try begin catch end catch";
    assert_eq!(check(text), (1026, 1));
    let text = "begin try goto a end try begin catch goto a end catch a: select 1";
    assert_eq!(check(text), (0, 0));
    let text = "begin try begin try goto a end try begin catch end catch a: select 1 end try \
                begin catch end catch";
    assert_eq!(check(text), (0, 0));
}
