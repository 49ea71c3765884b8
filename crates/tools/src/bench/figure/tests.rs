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

#[test]
fn a_series_is_written_whole_for_programs_and_summed_up_for_people() {
    let mut figure = Figure::new("b", "f", "1/s");
    figure.values = vec![4.0];
    figure.series = vec![3.0, 9.0, 4.0];
    assert!(figure.json().ends_with(r#""max":4,"runs":1,"series":[3,9,4]}"#), "{}", figure.json());
    assert!(figure.text().ends_with("\n                    in 3 seconds: at least 3, median 4"));
}
