use base::{SqlType, Value};

use super::*;

fn argument(output: bool) -> Argument {
    Argument { name: None, value: ArgumentIn::Scalar(Value::Null, SqlType::int()), output }
}

#[test]
fn markers_become_parameters() {
    let arguments = [argument(true), argument(false), argument(true)];
    let call = CanonicalCall::new("{? = call [a?]]?b] (?, '?''', ?)}", &arguments).unwrap();
    assert_eq!(call.text, "{@P1 = call [a?]]?b] (@P2, '?''', @P3 OUTPUT)}");
    assert_eq!(call.declared, "@P1 int OUTPUT, @P2 int, @P3 int OUTPUT");
}

#[test]
fn a_bare_name_is_called_with_everything() {
    let call = CanonicalCall::new(" dbo.p ", &[argument(false), argument(true)]).unwrap();
    assert_eq!(call.text, "EXEC dbo.p @P1, @P2 OUTPUT");
}
