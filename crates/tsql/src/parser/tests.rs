use super::*;

#[test]
fn smoke() {
    for text in [
        "BEGIN TRAN SELECT 1 COMMIT",
        "select a, b from t option (recompile)",
        "select * from t (nolock)",
    ] {
        let batch = parse_batch(text, ParseOptions::default());
        println!("{text}\n{batch:#?}");
    }
}
