//! The scripts of `tests/sql`, with what is expected of them.

use crate::exec::testing::{TestServer, scripts};
use crate::golden;

#[test]
fn golden_scripts_are_answered_as_expected() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for script in scripts::all() {
        let answers = script.answers(&server);
        wrong.extend(golden::differences(&script.expected, &answers, scripts::SEPARATOR));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
