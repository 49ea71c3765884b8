use super::*;

#[test]
fn operators_are_named_as_clients_know_them() {
    let named = |text| {
        let OperatorNames { physical, logical, argument } = names(text);
        [physical, logical, argument].join("|")
    };
    assert_eq!(named("Hash Match(Inner Join, HASH:(a=b))"), "Hash Match|Inner Join|HASH:(a=b)");
    assert_eq!(named("Nested Loops(Left Semi Join)"), "Nested Loops|Left Semi Join|");
    assert_eq!(named("Sort(TOP 3, ORDER BY:(a ASC))"), "Sort|TopN Sort|TOP 3, ORDER BY:(a ASC)");
    assert_eq!(named("Table Update(OBJECT:([t]))"), "Table Update|Update|OBJECT:([t])");
    assert_eq!(named("Concatenation"), "Concatenation|Concatenation|");
}
