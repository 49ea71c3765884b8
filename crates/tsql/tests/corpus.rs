//! Every batch of the corpus reads as the statements that its first comment names.

use tsql::ParseOptions;
use tsql::ast::Statement;

/// The name of a statement's variant.
fn kind(statement: &Statement) -> String {
    let debug = format!("{:?}", statement.kind);
    debug.chars().take_while(|c| c.is_alphanumeric()).collect()
}

fn check(file: &str, text: &str) {
    let mut line = 1;
    for batch in text.split_inclusive("\nGO\n") {
        let body = batch.strip_suffix("GO\n").unwrap_or(batch);
        let expected =
            body.lines().find_map(|line| line.strip_prefix("--> ")).expect("says what it contains");
        match tsql::parse_batch(body, ParseOptions::default()) {
            Ok(tree) => {
                let found: Vec<_> = tree.statements.iter().map(kind).collect();
                assert_eq!(found.join(" "), expected, "{file}:{line}");
                assert_eq!(tree.span.text(body), body);
            }
            Err(error) => panic!("{file}:{line}: {error}"),
        }
        line += batch.matches('\n').count();
    }
}

macro_rules! corpus {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let file = concat!("corpus/", stringify!($name), ".sql");
                check(file, include_str!(concat!("corpus/", stringify!($name), ".sql")));
            }
        )*
    };
}

corpus! { queries changes procedural session definitions modules }
