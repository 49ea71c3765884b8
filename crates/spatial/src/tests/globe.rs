use super::{fault, round, shown, text, with_work};
use crate::{Kind, Shape, Space};

fn is(a: &str, predicate: &str, b: &str) -> bool {
    let (first, second) = (round(a), round(b));
    let answer = with_work(|work| match predicate {
        "intersects" => first.intersects(&second, work),
        "contains" => first.contains(&second, work),
        "within" => first.within(&second, work),
        "equals" => first.equals(&second, work),
        "overlaps" => first.overlaps(&second, work),
        _ => first.disjoint(&second, work),
    });
    answer.unwrap_or_else(|error| panic!("{a} {predicate} {b}: {error}"))
}

#[test]
fn edges_are_great_ellipses() {
    assert!(!is("LINESTRING(0 0, 2 2)", "equals", "LINESTRING(0 0, 1 1, 2 2)"));
    assert!(is("LINESTRING(0 0, 2 2)", "intersects", "LINESTRING(0 0, 1 1, 2 2)"));
    assert!(!is("LINESTRING(0 0, 2 2)", "overlaps", "LINESTRING(0 0, 1 1, 2 2)"));
    let square = "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))";
    assert!(is("POINT(2 4)", "within", square));
    assert!(is("POINT(2 4.002)", "within", square));
    assert!(!is("POINT(2 4.003)", "within", square));
}

#[test]
fn the_inside_is_to_the_left() {
    let clockwise = "POLYGON((0 0, 0 1, 1 1, 1 0, 0 0))";
    assert!(!is(clockwise, "contains", "POINT(0.5 0.5)"));
    assert!(is(clockwise, "contains", "POINT(50 50)"));
    assert!(is(clockwise, "intersects", "POINT(50 50)"));
    assert!(is(clockwise, "intersects", "POINT(-140 -50)"));
    assert!(!is(clockwise, "intersects", "POINT(0.5 0.5)"));
    let donut = "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1))";
    assert!(is(donut, "contains", "POINT(0.5 0.5)"));
    assert!(!is(donut, "contains", "POINT(2 2)"));
    let band = "POLYGON((179 0, -179 0, -179 2, 179 2, 179 0))";
    assert!(is(band, "contains", "POINT(180 1)"));
    assert!(is(band, "contains", "POINT(-179.5 1)"));
    assert!(!is(band, "contains", "POINT(178 1)"));
    let cap = "POLYGON((0 80, 120 80, -120 80, 0 80))";
    assert!(is(cap, "contains", "POINT(0 90)"));
    assert!(is(cap, "contains", "POINT(45 85)"));
    assert!(!is(cap, "contains", "POINT(0 70)"));
    assert!(round(clockwise).is_larger_than_hemisphere());
    assert_eq!(round(clockwise).min_db_compatibility_level(), 110);
    assert!(!round(cap).is_larger_than_hemisphere());
}

#[test]
fn validity_is_that_of_sql_server() {
    for (input, is_valid) in [
        ("LINESTRING(0 0, 2 0, 2 0)", true),
        ("LINESTRING(0 0, 2 2, 1 1)", true),
        ("LINESTRING(0 0, 0 0)", false),
        ("LINESTRING(0 0, 4 0, 2 0)", false),
        ("MULTILINESTRING((0 0, 2 0), (1 0, 3 0))", false),
        ("POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0, 0 0))", true),
        ("POLYGON((0 0, 90 0, 180 0, 270 0, 0 0))", true),
        ("POLYGON((0 -80, 120 -80, -120 -80, 0 -80))", true),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1))", true),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 0 2, 1 1))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (0 1, 1 2, 1 1, 0 1))", true),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (5 5, 5 6, 6 6, 6 5, 5 5))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (0 1, 0 3, 2 3, 2 1, 0 1))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0, 1 2, 2 1, 0 0))", true),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0, 2 1, 1 2, 0 0))", false),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0, -1 1, -1 -1, 0 0))", false),
        ("POLYGON((0 0, 2 0, 2 2, 0 0, -2 0, -2 -2, 0 0))", false),
        ("MULTIPOLYGON(((0 0, 2 0, 2 2, 0 2, 0 0)), ((2 2, 4 2, 4 4, 2 4, 2 2)))", true),
        ("MULTIPOLYGON(((0 0, 2 0, 2 2, 0 2, 0 0)), ((2 0, 4 0, 4 2, 2 2, 2 0)))", false),
        ("MULTIPOLYGON(((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 1, 3 1, 3 3, 1 3, 1 1)))", false),
    ] {
        assert_eq!(round(input).is_valid(), is_valid, "{input}");
    }
}

#[test]
fn measures_are_those_of_the_documentation() {
    let near = |value: f64, wanted: f64| (value - wanted).abs() < wanted * 1e-3;
    let line = round("LINESTRING(-122.360 47.656, -122.343 47.656)");
    let length = with_work(|work| line.length(work)).expect("it is valid");
    assert!(near(length, 1277.04), "{length}");
    let point = round("POINT(-122.34900 47.65100)");
    let distance = with_work(|work| line.distance(&point, work)).expect("both are valid");
    assert!(near(distance.unwrap_or(0.0), 555.949977427956), "{distance:?}");
    let polygon = round(
        "POLYGON((-122.358 47.653, -122.348 47.649, -122.348 47.658, -122.358 47.658, \
         -122.358 47.653))",
    );
    let area = with_work(|work| polygon.area(work)).expect("it is valid");
    assert!(near(area, 584_662.0), "{area}");
    let globe = round("FULLGLOBE");
    let area = with_work(|work| globe.area(work)).expect("it is valid");
    assert!(near(area, 510_065_621_724_088.0), "{area}");
    let reversed = with_work(|work| polygon.reorient(work)).expect("it is valid");
    let rest = with_work(|work| reversed.area(work)).expect("it is valid");
    assert!(near(rest, area), "{rest}");
}

#[test]
fn set_operations_work_on_the_globe() {
    let a = round("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))");
    let b = round("POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))");
    let area = |shape: &Shape| with_work(|work| shape.area(work)).expect("it is valid");
    let both = with_work(|work| a.intersection(&b, work)).expect("both are valid");
    let all = with_work(|work| a.union(&b, work)).expect("both are valid");
    let rest = with_work(|work| a.difference(&b, work)).expect("both are valid");
    assert!((area(&both) + area(&all) - area(&a) - area(&b)).abs() < 1e-6 * area(&a));
    assert!((area(&both) + area(&rest) - area(&a)).abs() < 1e-6 * area(&a));
    let outside = with_work(|work| a.reorient(work)).expect("it is valid");
    let whole = with_work(|work| a.union(&outside, work)).expect("both are valid");
    assert_eq!(whole.kind(), Kind::FullGlobe);
    let globe = round("FULLGLOBE");
    let hole = with_work(|work| globe.difference(&a, work)).expect("both are valid");
    assert!(with_work(|work| hole.equals(&outside, work)).expect("both are valid"));
    assert_eq!(shown(|w| globe.difference(&outside, w)), text(&a).replace(" EMPTY", ""));
}

#[test]
fn buffers_reach_as_far_as_they_say() {
    let line = round("LINESTRING(-122.360 47.656, -122.343 47.656)");
    let buffer = with_work(|work| line.buffer(1000.0, work)).expect("it is valid");
    let area = with_work(|work| buffer.area(work)).expect("it is valid");
    let length = with_work(|work| line.length(work)).expect("it is valid");
    let wanted = 2000.0 * length + std::f64::consts::PI * 1e6;
    assert!((area - wanted).abs() < wanted * 3e-3, "{area} {wanted}");
    let far = with_work(|work| round("POINT(0 0)").buffer(3e7, work)).expect_err("too far");
    assert_eq!(far.number(), 24207);
}

#[test]
fn what_reaches_around_the_globe_is_found_or_refused() {
    let around = "MULTIPOINT((0 0), (120 0), (-120 0), (0 90), (0 -90))";
    assert!(is(around, "intersects", "POLYGON((119 -1, 121 -1, 121 1, 119 1, 119 -1))"));
    assert!(!is(around, "intersects", "POLYGON((129 -1, 131 -1, 131 1, 129 1, 129 -1))"));
    let far = with_work(|work| round("POINT(0 0)").distance(&round("POINT(180 0)"), work));
    assert!((far.expect("both are valid").unwrap_or(0.0) - 20_003_931.0).abs() < 1000.0);
    let north = "POLYGON((0 0, 90 0, 180 0, 270 0, 0 0))";
    assert!(is(north, "intersects", "POINT(10 10)"));
    assert!(!is(north, "intersects", "POINT(10 -10)"));
    assert!(is("POINT(10 10)", "within", north));
    assert!(!is("POINT(10 -10)", "within", north));
    assert!(!is(north, "within", "POLYGON((0 1, 1 1, 1 2, 0 2, 0 1))"));
    assert!(is(around, "within", "FULLGLOBE"));
    let union = with_work(|work| round(around).union(&round(north), work));
    assert!(union.is_err());
}

#[test]
fn srids_are_those_of_the_systems() {
    let point = |srid: i32| Shape::point(Space::Geographic, 1.0, 2.0, srid).map(|at| at.srid());
    assert_eq!(point(4326), Ok(4326));
    assert_eq!(point(0).expect_err("no such system").number(), 24204);
    let srids: Vec<i32> = crate::systems().iter().map(|system| system.srid).collect();
    assert!(srids.is_sorted());
    let wgs = crate::systems().iter().find(|system| system.srid == 4326).map(|it| it.text);
    assert_eq!(
        wgs,
        Some(
            "GEOGCS[\"WGS 84\", DATUM[\"World Geodetic System 1984\", ELLIPSOID[\"WGS 84\", \
             6378137, 298.257223563]], PRIMEM[\"Greenwich\", 0], UNIT[\"Degree\", \
             0.0174532925199433]]"
        )
    );
    assert!(fault(Space::Geographic, "POINT(20000 0)", None).starts_with("24202: "));
}
