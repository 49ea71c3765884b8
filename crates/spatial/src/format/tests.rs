use crate::tests::{flat, round, text, with_work};
use crate::{Shape, Space};

/// Shapes of all kinds.
const ALL: &[&str] = &[
    "POINT EMPTY",
    "POINT (1 2)",
    "POINT (1 2 3)",
    "POINT (1 2 NULL 4)",
    "POINT (1.5 -2.25 3 4)",
    "LINESTRING EMPTY",
    "LINESTRING (0 0, 1 1)",
    "LINESTRING (0 0 1, 1 1 NULL, 2 0 3)",
    "POLYGON EMPTY",
    "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))",
    "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))",
    "MULTIPOINT EMPTY",
    "MULTIPOINT ((1 1), (2 2))",
    "MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))",
    "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((2 2, 3 2, 3 3, 2 2)))",
    "GEOMETRYCOLLECTION EMPTY",
    "GEOMETRYCOLLECTION (POINT (1 1), GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1), POINT EMPTY), \
     POLYGON ((0 0, 1 0, 1 1, 0 0)), GEOMETRYCOLLECTION EMPTY, POINT (2 3))",
    "CIRCULARSTRING EMPTY",
    "CIRCULARSTRING (0 0, 1 1, 2 0)",
    "COMPOUNDCURVE ((1 0, 0 1), CIRCULARSTRING (0 1, 1 2, 2 1), (2 1, 3 1, 4 1))",
    "CURVEPOLYGON (CIRCULARSTRING (0 0, 2 2, 4 0, 2 -2, 0 0))",
    "CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (0 0, 2 2, 4 0), (4 0, 0 0)))",
    "CURVEPOLYGON ((0 0, 4 0, 4 4, 0 0))",
    "GEOMETRYCOLLECTION (CURVEPOLYGON (COMPOUNDCURVE ((0 0, 4 0), CIRCULARSTRING (4 0, 2 2, 0 \
     0))), COMPOUNDCURVE ((1 0, 0 1), (0 1, 2 2)))",
];

#[test]
fn all_formats_go_there_and_back() {
    for input in ALL {
        for space in [Space::Planar, Space::Geographic] {
            let shape = if space == Space::Planar { flat(input) } else { round(input) };
            assert_eq!(text(&shape), input.replace("1 1 NULL", "1 1"));
            with_work(|work| {
                let bytes = shape.to_bytes(work).expect(input);
                assert_eq!(Shape::from_bytes(space, &bytes, work).expect(input), shape);
                assert_eq!(Shape::from_untrusted_bytes(space, &bytes, work).expect(input), shape);
                let gml = shape.to_gml(work).expect(input);
                let again = Shape::from_gml(space, &gml, shape.srid(), work).expect(&gml);
                if !shape.has_z() && !shape.has_m() {
                    assert_eq!(text(&again), *input, "{gml}");
                }
                let wkb = shape.to_wkb_zm(work).expect(input);
                let again = Shape::from_wkb(space, &wkb, None, shape.srid(), work).expect(input);
                if !input.contains("POINT EMPTY") {
                    assert_eq!(again, shape);
                }
            });
        }
    }
}

#[test]
fn the_globe_goes_there_and_back() {
    let globe = round("FULLGLOBE");
    with_work(|work| {
        let bytes = globe.to_bytes(work).expect("it has bytes");
        assert_eq!(Shape::from_untrusted_bytes(Space::Geographic, &bytes, work), Ok(globe.clone()));
        let wkb = globe.to_wkb(work).expect("it has bytes");
        assert_eq!(Shape::from_wkb(Space::Geographic, &wkb, None, 4326, work), Ok(globe.clone()));
        let gml = globe.to_gml(work).expect("it has a text");
        assert_eq!(Shape::from_gml(Space::Geographic, &gml, 4326, work), Ok(globe));
    });
}

#[test]
fn bytes_are_those_of_the_specification() {
    let bytes = |shape: &Shape| with_work(|work| shape.to_bytes(work)).expect("it has bytes");
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    assert_eq!(hex(bytes(&flat("POINT(1 2)"))), "00000000010C000000000000F03F0000000000000040");
    assert_eq!(hex(bytes(&round("POINT(1 2)"))), "E6100000010C0000000000000040000000000000F03F");
    assert_eq!(
        hex(bytes(&flat("GEOMETRYCOLLECTION EMPTY"))),
        "000000000104000000000000000001000000FFFFFFFFFFFFFFFF07"
    );
    assert_eq!(
        hex(bytes(&round("FULLGLOBE"))),
        "E61000000224000000000000000001000000FFFFFFFFFFFFFFFF0B"
    );
    assert_eq!(
        hex(bytes(&flat("LINESTRING (0 1 1, 3 2 2, 4 5 NULL)"))).get(..16),
        Some("0000000001050300")
    );
    let wkb = with_work(|work| flat("POINT(1 2)").to_wkb(work)).expect("it has bytes");
    assert_eq!(hex(wkb), "0101000000000000000000F03F0000000000000040");
    let gml = |shape: &Shape| with_work(|work| shape.to_gml(work)).expect("it has a text");
    assert_eq!(
        gml(&flat("LINESTRING(0 0, 0 1, 1 0)")),
        "<LineString xmlns=\"http://www.opengis.net/gml\"><posList>0 0 0 1 1 0</posList>\
         </LineString>"
    );
    assert_eq!(
        gml(&round("POINT(1 2)")),
        "<Point xmlns=\"http://www.opengis.net/gml\"><pos>2 1</pos></Point>"
    );
}

#[test]
fn numbers_are_those_of_dot_net() {
    for (input, wanted) in [
        ("POINT(0.1 1e15)", "POINT (0.1 1E+15)"),
        ("POINT(123456789012345 0.00001)", "POINT (123456789012345 1E-05)"),
        ("POINT(0.0001 -0)", "POINT (0.0001 0)"),
        ("POINT(1.23456789012345678 1e-7)", "POINT (1.2345678901234567 1E-07)"),
        ("POINT(1e300 -2.5e-300)", "POINT (1E+300 -2.5E-300)"),
    ] {
        assert_eq!(text(&flat(input)), wanted);
    }
}
