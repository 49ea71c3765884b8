use super::*;

#[test]
fn figures_are_medians_with_their_spread() {
    let mut figure = Figure::new("b", "f", "1/s");
    figure.values = vec![5.0, 1.0, 3.0];
    assert_eq!(figure.spread(), Spread { median: 3.0, min: 1.0, max: 5.0 });
    let json = r#"{"bench":"b","figure":"f","value":3,"unit":"1/s","min":1,"max":5,"runs":3}"#;
    assert_eq!(figure.json(), json);
    figure.values.push(4.0);
    assert_eq!(figure.spread(), Spread { median: 3.5, min: 1.0, max: 5.0 });
    assert_eq!(figure.text().lines().count(), 1);
    assert!(figure.published("more").text().ends_with("4 runs)\n                    more"));
}
