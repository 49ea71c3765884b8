use super::*;

#[test]
fn numbers_are_unique_and_found() {
    for message in ALL {
        let found = Message::find(message.number).unwrap();
        assert_eq!(found.text, message.text, "two messages have number {}", message.number);
    }
    assert!(Message::find(1).is_none());
    assert!(ALL.len() > 400, "{} messages", ALL.len());
}

#[test]
fn texts_have_no_other_placeholders() {
    for message in ALL {
        let rest = message.text.replace("%s", "");
        assert!(!rest.contains("%d") && !rest.contains("%.*"), "{}", message.text);
        assert!((1..=25).contains(&message.severity) || message.number == 50000);
    }
}

#[test]
fn format_fills_placeholders_in_order() {
    let text = OPERAND_TYPE_CLASH.format(&[&"int", &"date"]);
    assert_eq!(text, "Operand type clash: int is incompatible with date");
    assert_eq!(INVALID_COLUMN.format(&[]), "Invalid column name ''.");
}
