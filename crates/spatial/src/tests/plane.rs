use super::{fault, flat, shown, text, with_work};
use crate::{Accumulator, Aggregate, Kind, Shape, Space};

const SQUARE: &str = "POLYGON((0 0,4 0,4 4,0 4,0 0))";

fn matrix(a: &Shape, b: &Shape) -> String {
    let cell = |at: usize| {
        let is = |digit: char| {
            let mut pattern = ['*'; 9];
            pattern[at] = digit;
            let pattern: String = pattern.iter().collect();
            with_work(|work| a.relate(b, &pattern, work)).expect("both are valid")
        };
        "F012".chars().find(|digit| is(*digit)).unwrap_or('?')
    };
    (0..9).map(cell).collect()
}

fn predicates(a: &Shape, b: &Shape) -> String {
    with_work(|work| {
        let all = [
            a.intersects(b, work),
            a.contains(b, work),
            a.within(b, work),
            a.touches(b, work),
            a.crosses(b, work),
            a.overlaps(b, work),
            a.disjoint(b, work),
            a.equals(b, work),
        ];
        all.map(|is| if is.expect("both are valid") { '1' } else { '0' }).iter().collect()
    })
}

#[test]
fn relations_are_those_of_sql_server() {
    let hole = "POLYGON((0 0,6 0,6 6,0 6,0 0),(2 2,4 2,4 4,2 4,2 2))";
    let apart = "MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((2 2,4 2,4 4,2 4,2 2)))";
    for (a, b, wanted, bits) in [
        ("POINT(1 1)", "POINT(1 1)", "0FFFFFFF2", "11100001"),
        ("POINT(1 1)", "POINT(2 2)", "FF0FFF0F2", "00000010"),
        ("POINT(1 1)", "LINESTRING(0 0, 2 2)", "0FFFFF102", "10100000"),
        ("POINT(0 0)", "LINESTRING(0 0, 2 2)", "F0FFFF102", "10010000"),
        ("POINT(2 2)", SQUARE, "0FFFFF212", "10100000"),
        ("POINT(0 0)", SQUARE, "F0FFFF212", "10010000"),
        ("LINESTRING(0 0, 2 2)", "LINESTRING(0 0, 1 1, 2 2)", "1FFF0FFF2", "11100001"),
        ("LINESTRING(0 0, 2 0)", "LINESTRING(1 -1, 1 1)", "0F1FF0102", "10001000"),
        ("LINESTRING(0 0, 2 0)", "LINESTRING(2 0, 4 0)", "FF1F00102", "10010000"),
        ("LINESTRING(0 0, 2 0)", "LINESTRING(1 0, 3 0)", "1010F0102", "10000100"),
        ("LINESTRING(0 0, 4 0)", "LINESTRING(1 0, 3 0)", "101FF0FF2", "11000000"),
        ("LINESTRING(-1 2, 5 2)", SQUARE, "101FF0212", "10001000"),
        ("LINESTRING(0 0, 0 4)", SQUARE, "F1FF0F212", "10010000"),
        ("LINESTRING(0 2, 2 2)", SQUARE, "1FF00F212", "10100000"),
        (SQUARE, SQUARE, "2FFF1FFF2", "11100001"),
        (SQUARE, "POLYGON((1 1,3 1,3 3,1 3,1 1))", "212FF1FF2", "11000000"),
        (SQUARE, "POLYGON((2 2,6 2,6 6,2 6,2 2))", "212101212", "10000100"),
        (SQUARE, "POLYGON((4 0,8 0,8 4,4 4,4 0))", "FF2F11212", "10010000"),
        (SQUARE, "POLYGON((5 5,6 5,6 6,5 6,5 5))", "FF2FF1212", "00000010"),
        (SQUARE, "POLYGON((0 0,2 0,2 2,0 2,0 0))", "212F11FF2", "11000000"),
        (SQUARE, "POLYGON((4 4,6 4,6 6,4 6,4 4))", "FF2F01212", "10010000"),
        (hole, "POINT(3 3)", "FF2FF10F2", "00000010"),
        (hole, "POLYGON((2 2,4 2,4 4,2 4,2 2))", "FF2F112F2", "10010000"),
        (hole, "LINESTRING(3 3, 3 5)", "1020F1102", "10000000"),
        ("MULTIPOINT((0 0),(5 5))", SQUARE, "F00FFF212", "10010000"),
        ("MULTILINESTRING((0 0,1 1),(2 2,3 3))", "LINESTRING(0 0, 3 3)", "1FF00F1F2", "10100000"),
        (apart, "POINT(2 2)", "FF20F1FF2", "10010000"),
        ("POINT EMPTY", "POINT(0 0)", "FFFFFF0F2", "00000010"),
        ("POINT EMPTY", "POINT EMPTY", "FFFFFFFF2", "00000011"),
        ("GEOMETRYCOLLECTION EMPTY", SQUARE, "FFFFFF212", "00000010"),
        (
            "GEOMETRYCOLLECTION(POINT(0 0),LINESTRING(0 0,2 2))",
            "POINT(0 0)",
            "0F10F0FF2",
            "11000000",
        ),
        (
            "GEOMETRYCOLLECTION(LINESTRING(0 0,2 0),LINESTRING(2 0,4 0))",
            "LINESTRING(0 0, 4 0)",
            "1FFF0FFF2",
            "11100001",
        ),
        ("MULTILINESTRING((0 0,2 0),(2 0,4 0),(2 0,2 2))", "POINT(2 0)", "FF10F0FF2", "10010000"),
        ("POINT(1 1 5 7)", "POINT(1 1)", "0FFFFFFF2", "11100001"),
        (SQUARE, "LINESTRING(4 0, 4 4)", "FF2101FF2", "10010000"),
        (SQUARE, "LINESTRING(0 0, 4 4)", "1F2F01FF2", "11000000"),
        ("POINT(0.1 0.3)", "LINESTRING(0 0, 3 1)", "FF0FFF102", "00000010"),
    ] {
        assert_eq!(matrix(&flat(a), &flat(b)), wanted, "{a} {b}");
        assert_eq!(predicates(&flat(a), &flat(b)), bits, "{a} {b}");
    }
}

#[test]
fn points_on_slanting_lines_are_found() {
    for (point, line, is_on) in [
        ("POINT(1.1666666666666665 0.5)", "LINESTRING(0 0, 7 3)", true),
        ("POINT(0.1 0.3)", "LINESTRING(0 0, 1 3)", true),
        ("POINT(0.7 2.1)", "LINESTRING(0 0, 1 3)", true),
        ("POINT(1 1e-9)", "LINESTRING(0 0, 2 0)", false),
        ("POINT(500000.15 4000000.05)", "LINESTRING(500000 4000000, 500000.3 4000000.1)", true),
    ] {
        let meets = with_work(|work| flat(point).intersects(&flat(line), work));
        assert_eq!(meets, Ok(is_on), "{point} {line}");
    }
}

#[test]
fn validity_is_that_of_sql_server() {
    for (input, is_valid) in [
        ("POLYGON((0 0, 2 2, 0 2, 2 0, 0 0))", false),
        ("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", true),
        ("LINESTRING(0 0, 2 2, 2 0, 0 2)", true),
        ("LINESTRING(0 0, 1 1, 0 0)", false),
        ("LINESTRING(0 0, 0 0)", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))", true),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(5 5,6 5,6 6,5 6,5 5))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,3 1,3 3,1 3,1 1),(2 2,3 2,3 3,2 3,2 2))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 0,2 0,2 2,0 2,0 0))", false),
        ("MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((1 1,3 1,3 3,1 3,1 1)))", false),
        ("MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((2 0,4 0,4 2,2 2,2 0)))", false),
        ("MULTIPOINT((0 0),(0 0))", true),
        ("MULTILINESTRING((0 0,2 2),(0 0,2 2))", false),
        ("POLYGON((0 0,0 0,0 0,0 0))", false),
        ("POLYGON((0 0,2 0,2 0,0 0,0 0))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 0,4 0,4 4,0 4,0 0))", false),
        ("LINESTRING(0 0,1 1,1 1,2 2)", true),
        ("MULTIPOLYGON(((0 0,2 0,2 2,0 2,0 0)),((2 2,4 2,4 4,2 4,2 2)))", true),
        ("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0, 0 0))", true),
        ("POLYGON((0 0,2 0,1 2,0 0),(0 0,2 0,1 1,0 0))", false),
        ("LINESTRING(0 0, 2 0, 1 0)", false),
        ("LINESTRING(0 0, 2 0, 2 0)", false),
        ("MULTILINESTRING((0 0,2 0),(1 0,3 0))", false),
        ("MULTILINESTRING((0 0,2 0),(1 -1,1 1))", true),
        ("GEOMETRYCOLLECTION(POLYGON((0 0, 2 2, 0 2, 2 0, 0 0)))", false),
        ("GEOMETRYCOLLECTION(LINESTRING(0 0,2 0),LINESTRING(0 0,2 0))", true),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1),(2 2,3 2,3 3,2 3,2 2))", true),
        ("MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0)),((1 1,2 1,2 2,1 2,1 1)))", false),
        ("POLYGON((0 0,1 1,2 0,3 1,4 0,4 4,0 4,0 0))", true),
        ("POLYGON((0 0,2 0,2 2,1 2,1 1,3 1,3 3,0 3,0 0))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 2,1 1,2 2,1 3,0 2))", true),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 2,2 1,4 2,2 3,0 2))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(0 1,2 2,0 3,0 1))", false),
        ("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1),(1 1,0.5 0.5,1.5 0.5,1 1))", true),
        (
            "POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1),(2 2,3 2,3 3,2 3,2 2),\
             (2 1,3 1,3 2,2 2,2 1),(1 2,2 2,2 3,1 3,1 2))",
            false,
        ),
        ("CURVEPOLYGON(CIRCULARSTRING(1 3, 3 5, 4 7, 7 3, 1 3))", true),
        ("CIRCULARSTRING(0 0, 1 1, 0 0)", false),
    ] {
        assert_eq!(flat(input).is_valid(), is_valid, "{input}");
    }
    let detail = |input: &str| with_work(|work| flat(input).valid_detail(work)).expect(input);
    assert_eq!(
        detail("Polygon((2 2, 4 4, 4 2, 2 4, 2 2))"),
        "24404: Not valid because polygon ring (1) intersects itself or some other ring."
    );
    assert_eq!(detail(SQUARE), "24400: Valid");
    assert_eq!(
        detail("LINESTRING(0 0, 2 0, 1 0)"),
        "24413: Not valid because of two overlapping edges in curve (1)."
    );
}

#[test]
fn set_operations_are_those_of_the_documentation() {
    let a = flat("POLYGON((0 0, 0 2, 2 2, 2 0, 0 0))");
    let b = flat("POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))");
    assert_eq!(shown(|w| a.intersection(&b, w)), "POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))");
    assert_eq!(
        shown(|w| a.union(&b, w)),
        "POLYGON ((0 0, 2 0, 2 1, 3 1, 3 3, 1 3, 1 2, 0 2, 0 0))"
    );
    assert_eq!(shown(|w| a.difference(&b, w)), "POLYGON ((0 0, 2 0, 2 1, 1 1, 1 2, 0 2, 0 0))");
    assert_eq!(
        shown(|w| a.sym_difference(&b, w)),
        "MULTIPOLYGON (((2 1, 3 1, 3 3, 1 3, 1 2, 2 2, 2 1)), ((0 0, 2 0, 2 1, 1 1, 1 2, 0 2, \
         0 0)))"
    );
    let hull = flat("POLYGON((0 0, 0 2, 1 1, 2 2, 2 0, 0 0))");
    assert_eq!(shown(|w| hull.convex_hull(w)), "POLYGON ((2 0, 2 2, 0 2, 0 0, 2 0))");
    let line = flat("LINESTRING(-1 2, 5 2)");
    let square = flat(SQUARE);
    assert_eq!(shown(|w| line.intersection(&square, w)), "LINESTRING (0 2, 4 2)");
    assert_eq!(shown(|w| line.difference(&square, w)), "MULTILINESTRING ((-1 2, 0 2), (4 2, 5 2))");
    let beside = flat("POLYGON((4 4,6 4,6 6,4 6,4 4))");
    assert_eq!(shown(|w| square.intersection(&beside, w)), "POINT (4 4)");
    let apart = flat("POINT(9 9)");
    assert_eq!(shown(|w| square.intersection(&apart, w)), "GEOMETRYCOLLECTION EMPTY");
    assert_eq!(
        shown(|w| square.union(&apart, w)),
        "GEOMETRYCOLLECTION (POINT (9 9), POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0)))"
    );
    let inner = flat("POLYGON((1 1,3 1,3 3,1 3,1 1))");
    assert_eq!(
        shown(|w| square.difference(&inner, w)),
        "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1))"
    );
}

#[test]
fn invalid_shapes_become_valid() {
    let bow = flat("POLYGON((0 0, 2 2, 0 2, 2 0, 0 0))");
    assert_eq!(
        shown(|w| bow.make_valid(w)),
        "MULTIPOLYGON (((1 1, 2 2, 0 2, 1 1)), ((0 0, 2 0, 1 1, 0 0)))"
    );
    let flat_ring = flat("POLYGON((0 0,2 0,2 0,0 0,0 0))");
    assert_eq!(shown(|w| flat_ring.make_valid(w)), "LINESTRING (0 0, 2 0)");
    let error = with_work(|work| bow.area(work)).expect_err("it is not valid");
    assert_eq!(error.number(), 24144);
}

#[test]
fn measures_are_those_of_the_documentation() {
    let area = |input: &str| with_work(|work| flat(input).area(work)).expect(input);
    assert_eq!(area("POLYGON((0 0, 3 0, 3 3, 0 3, 0 0),(2 2, 2 1, 1 1, 1 2, 2 2))"), 8.0);
    let disc = area("CURVEPOLYGON (CIRCULARSTRING (0 0, 2 2, 4 0, 2 -2, 0 0))");
    assert!((disc - 4.0 * std::f64::consts::PI).abs() < 1e-12);
    let length = |input: &str| with_work(|work| flat(input).length(work)).expect(input);
    let near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-12;
    assert!(near(length("LINESTRING(0 0, 2 2, 0 2, 2 0)"), 2.0 + 2.0 * 8_f64.sqrt()));
    assert!(near(length("POLYGON((0 0, 2 2, 0 2, 2 0, 0 0))"), 4.0 + 2.0 * 8_f64.sqrt()));
    let arc = length("CIRCULARSTRING(0 0, 1 1, 2 0)");
    assert!((arc - std::f64::consts::PI).abs() < 1e-12);
    let distance = |a: &str, b: &str| {
        with_work(|work| flat(a).distance(&flat(b), work)).expect("both are valid")
    };
    assert_eq!(
        distance("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", "POINT(10 10)"),
        Some(128_f64.sqrt())
    );
    assert_eq!(distance(SQUARE, "POINT(1 1)"), Some(0.0));
    assert_eq!(distance("POINT EMPTY", "POINT(1 1)"), None);
    assert_eq!(distance("LINESTRING(0 0, 2 2)", "LINESTRING(0 2, 2 0)"), Some(0.0));
    let a = flat("POLYGON((0 0, 3 0, 3 3, 0 3, 0 0),(2 2, 2 1, 1 1, 1 2, 2 2))");
    let center = with_work(|work| a.centroid(work)).expect("it is valid");
    assert_eq!(center.map(|at| text(&at)), Some("POINT (1.5 1.5)".into()));
    assert_eq!(
        shown(|w| flat("LINESTRING(0 0, 2 3)").envelope(w)),
        "POLYGON ((0 0, 2 0, 2 3, 0 3, 0 0))"
    );
}

#[test]
fn buffers_are_round() {
    let near = |input: &str, distance: f64| {
        with_work(|work| flat(input).buffer(distance, work)).expect(input)
    };
    let area = |shape: &Shape| with_work(|work| shape.area(work)).expect("it is valid");
    let pi = std::f64::consts::PI;
    assert!((area(&near("POINT(3 3)", 2.0)) - 4.0 * pi).abs() < 0.02);
    assert!((area(&near("LINESTRING(0 0, 4 0)", 1.0)) - 8.0 - pi).abs() < 0.01);
    assert!((area(&near("LINESTRING(0 0, 4 0, 4 4)", 1.0)) - 16.0 - 1.25 * pi + 1.0).abs() < 0.01);
    assert!((area(&near(SQUARE, 1.0)) - 32.0 - pi).abs() < 0.01);
    assert_eq!(text(&near(SQUARE, -1.0)), "POLYGON ((1 1, 3 1, 3 3, 1 3, 1 1))");
    assert_eq!(text(&near(SQUARE, -2.5)), "GEOMETRYCOLLECTION EMPTY");
    assert_eq!(text(&near("POINT(3 3)", -1.0)), "GEOMETRYCOLLECTION EMPTY");
    let curved = with_work(|work| flat("POINT(3 3)").buffer_with_curves(2.0, work));
    let curved = curved.expect("a point has a buffer");
    assert_eq!(curved.kind(), Kind::CurvePolygon);
    assert!((area(&curved) - 4.0 * pi).abs() < 1e-9, "{}", text(&curved));
    let curved = with_work(|work| flat("LINESTRING(0 0, 4 0)").buffer_with_curves(1.0, work));
    let curved = curved.expect("a line has a buffer");
    assert_eq!(curved.kind(), Kind::CurvePolygon);
    assert!((area(&curved) - 8.0 - pi).abs() < 1e-4, "{}", text(&curved));
}

#[test]
fn errors_of_text_are_those_of_sql_server() {
    let at = |input: &str| fault(Space::Planar, input, None);
    assert_eq!(at("POINT:10 20"), "24142: Expected \"(\" at position 5. The input has \":\".");
    assert_eq!(
        at("POINT(10,20)"),
        "24141: A number is expected at position 11 of the input. The input has ,20."
    );
    assert_eq!(
        at("LINESTRING (0 1 1, 3 2 2, 4 5 NaN)"),
        "24142: Expected \"NULL\" at position 30. The input has \"NaN)\"."
    );
    assert_eq!(
        at("LINESTRING (0 1 1, 3 2 2, 4 ABC 9)"),
        "24141: A number is expected at position 31 of the input. The input has ABC."
    );
    assert!(at("FOO(10 20)").starts_with("24114: The label FOO(10 20) in the input"));
    assert!(at("").starts_with("24112: "));
    assert!(at("POINT(1 2) x").starts_with("24111: "));
    assert!(at("POINT(1 2").starts_with("24209: "));
    assert!(at("LINESTRING(1 2)").starts_with("24117: "));
    assert!(at("POLYGON((0 0, 1 1, 0 0))").starts_with("24118: "));
    assert!(at("POLYGON((0 0, 1 1, 2 0, 3 3))").starts_with("24119: "));
    assert!(at("CIRCULARSTRING(0 0, 1 1, 2 0, 3 3)").starts_with("24213: "));
    assert!(at("FULLGLOBE").starts_with("24303: "));
    assert_eq!(
        fault(Space::Planar, "LINESTRING(0 0, 1 1)", Some(Kind::Polygon)),
        "24142: Expected \"POLYGON\" at position 0. The input has \"LINESTR\"."
    );
    let round = |input: &str| fault(Space::Geographic, input, None);
    assert!(round("POINT(0 91)").starts_with("24201: "));
    assert!(round("LINESTRING(0 0, 180 0)").starts_with("24206: "));
    assert!(round("LINESTRING(0 0, 180 0.00000057)").starts_with("24206: "));
    assert!(round("LINESTRING(0 0, 180 0.00000058)").starts_with("no error"));
    assert!(round("POLYGON((0 0, 1 1, 0 0))").starts_with("24305: "));
    assert!(round("GEOMETRYCOLLECTION(FULLGLOBE)").starts_with("24150: "));
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        let open = "GEOMETRYCOLLECTION(".repeat(depth);
        fault(Space::Planar, &format!("{open}POINT(1 1){}", ")".repeat(depth)), None)
    };
    assert!(nested(60).starts_with("no error"));
    assert_eq!(nested(100_000), "The collections of the input are nested too deeply.");
}

#[test]
fn parts_are_found() {
    let line = flat("LINESTRING(0 0, 2 2, 1 0)");
    let point = |n: i32| line.point_n(n).map(|at| at.map(|at| text(&at)));
    assert_eq!(point(2), Ok(Some("POINT (2 2)".into())));
    assert_eq!(point(4), Ok(None));
    assert_eq!(point(0).expect_err("it begins at 1").number(), 24102);
    let curve = flat("COMPOUNDCURVE((1 0, 0 1), CIRCULARSTRING(0 1, 1 2, 2 1), (2 1, 3 1))");
    assert_eq!(curve.num_curves(), Ok(Some(3)));
    let second = with_work(|work| curve.curve_n(2, work)).expect("it is valid");
    assert_eq!(second.map(|at| text(&at)), Some("CIRCULARSTRING (0 1, 1 2, 2 1)".into()));
    assert_eq!(curve.num_points(), Ok(5));
    let simple = |input: &str| with_work(|work| flat(input).is_simple(work)).expect(input);
    assert!(!simple("LINESTRING(0 0, 2 2, 0 2, 2 0)"));
    assert!(simple("LINESTRING(0 0, 2 2, 0 2, 0 0)"));
    assert!(simple("MULTILINESTRING((0 0, 1 1), (1 1, 2 0))"));
    assert!(!simple("MULTIPOINT((0 0), (0 0))"));
    assert_eq!(flat(SQUARE).instance_of("Surface"), Ok(true));
    assert_eq!(flat(SQUARE).instance_of("Nothing").expect_err("no type").number(), 24105);
    let boundary = |input: &str| shown(|w| flat(input).boundary(w));
    assert_eq!(boundary("LINESTRING(0 0, 2 2)"), "MULTIPOINT ((0 0), (2 2))");
    assert_eq!(boundary("LINESTRING(0 0, 2 2, 0 2, 0 0)"), "GEOMETRYCOLLECTION EMPTY");
    assert_eq!(boundary(SQUARE), "LINESTRING (0 0, 4 0, 4 4, 0 4, 0 0)");
}

#[test]
fn lines_are_reduced() {
    let line = flat("LINESTRING(0 0, 0 1, 1 0, 2 1, 3 0, 4 1)");
    assert_eq!(shown(|w| line.reduce(0.75, w)), "LINESTRING (0 0, 0 1, 3 0, 4 1)");
    let fault = with_work(|work| line.reduce(-1.0, work)).expect_err("it is negative");
    assert_eq!(fault.number(), 24125);
}

#[test]
fn extreme_coordinates_give_answers_or_errors() {
    let far = "POLYGON((-1e300 -1e300, 1e300 -1e300, 1e300 1e300, -1e300 1e300, -1e300 -1e300))";
    assert!(flat(far).is_valid());
    let meets = with_work(|work| flat(far).intersects(&flat("POINT(1e299 5)"), work));
    assert_eq!(meets, Ok(true));
    let distance =
        with_work(|work| flat("POINT(-1e308 0)").distance(&flat("POINT(1e308 0)"), work));
    assert!(distance.is_ok());
    assert!(with_work(|work| flat("POINT(1e308 0)").buffer(1e308, work)).is_err());
    let tiny = "POLYGON((0 0, 1e-310 0, 1e-310 1e-310, 0 1e-310, 0 0))";
    let _ = with_work(|work| flat(tiny).buffer(1e-310, work));
}

#[test]
fn aggregates_collect_shapes() {
    let collect = |aggregate: Aggregate, inputs: &[&str]| {
        with_work(|work| {
            let mut all = Accumulator::new(aggregate);
            for input in inputs {
                all.add(flat(input), work)?;
            }
            all.finish(work)
        })
        .map(|shape| shape.map(|shape| text(&shape)))
    };
    let points = ["POINT(0 0)", "POINT(2 0)", "POINT(2 3)", "POINT(1 1)"];
    assert_eq!(
        collect(Aggregate::Envelope, &points),
        Ok(Some("POLYGON ((0 0, 2 0, 2 3, 0 3, 0 0))".into()))
    );
    assert_eq!(
        collect(Aggregate::ConvexHull, &points),
        Ok(Some("POLYGON ((2 0, 2 3, 0 0, 2 0))".into()))
    );
    assert_eq!(
        collect(Aggregate::Collection, &points[..2]),
        Ok(Some("GEOMETRYCOLLECTION (POINT (0 0), POINT (2 0))".into()))
    );
    let squares = [
        "POLYGON((0 0,1 0,1 1,0 1,0 0))",
        "POLYGON((1 0,2 0,2 1,1 1,1 0))",
        "POLYGON((0 1,2 1,2 2,0 2,0 1))",
    ];
    assert_eq!(
        collect(Aggregate::Union, &squares),
        Ok(Some("POLYGON ((0 0, 1 0, 2 0, 2 1, 2 2, 0 2, 0 1, 0 0))".into()))
    );
    assert_eq!(collect(Aggregate::Union, &[]), Ok(None));
    let other = with_work(|work| {
        let mut all = Accumulator::new(Aggregate::Union);
        all.add(flat("POINT(0 0)"), work)?;
        all.add(flat("POINT(0 0)").with_srid(5)?, work)?;
        all.finish(work)
    });
    assert_eq!(other, Ok(None));
    assert_eq!(Aggregate::Union.routine(Space::Planar), "GeometryUnionAggregate");
}

#[test]
fn many_lines_that_meet_in_one_place_are_quick() {
    let star: Vec<String> =
        (0..400).map(|at| format!("(0 0, {} {})", 100 + at, 500 - at)).collect();
    let star = flat(&format!("MULTILINESTRING({})", star.join(",")));
    let square = flat("POLYGON((-1 -1, 9 -1, 9 9, -1 9, -1 -1))");
    let inside = with_work(|work| star.intersection(&square, work)).expect("both are valid");
    assert_eq!(inside.num_geometries(), Ok(400));
}

#[test]
fn work_ends_when_memory_does() {
    let account = base::account::Account::new(1 << 20, "default");
    let work = crate::Work::new(&base::pace::Unpaced, &account);
    let grate = |turn: bool| {
        let line = |at: u32| {
            let (a, b) = ((at, 0), (at, 400));
            let [a, b] = [a, b].map(|(x, y)| if turn { (y, x) } else { (x, y) });
            format!("({} {}, {} {})", a.0, a.1, b.0, b.1)
        };
        let lines: Vec<String> = (0..400).map(line).collect();
        format!("MULTILINESTRING({})", lines.join(","))
    };
    let read = |text: &str| Shape::parse(Space::Planar, text, &work);
    let shapes = (read(&grate(false)), read(&grate(true)));
    let (Ok(a), Ok(b)) = shapes else { panic!("there is memory for each") };
    assert_eq!(a.intersects(&b, &work).expect_err("there are too many crossings").number(), 701);
}
