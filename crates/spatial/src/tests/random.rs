//! What must hold of all shapes.

use proptest::prelude::*;

use super::with_work;
use crate::{
    Accumulator, Aggregate, CellId, Curve, Density, Figure, Grid, Kind, Part, Position, Shape,
    Space,
};

/// Few different coordinates, so that things meet.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-4_i32..5).prop_map(f64::from),
        2 => (-40_i32..41).prop_map(|value| f64::from(value) / 10.0),
        1 => -4.0..4.0_f64,
    ]
}

fn position() -> impl Strategy<Value = Position> {
    (coordinate(), coordinate()).prop_map(|(x, y)| Position::new(x, y))
}

fn line() -> impl Strategy<Value = Vec<Position>> {
    prop::collection::vec(position(), 2..7)
}

fn ring() -> impl Strategy<Value = Vec<Position>> {
    let rectangle = (position(), 1_u32..4, 1_u32..4).prop_map(|(at, width, height)| {
        let (right, up) = (at.x + f64::from(width), at.y + f64::from(height));
        let place = Position::new;
        vec![at, place(right, at.y), place(right, up), place(at.x, up), at]
    });
    let any = prop::collection::vec(position(), 3..7).prop_map(|mut points| {
        points.push(points[0]);
        points
    });
    prop_oneof![rectangle, any]
}

fn arcs() -> impl Strategy<Value = Vec<Position>> {
    prop::collection::vec(position(), 3..6).prop_map(|mut points| {
        points.truncate(points.len() - 1 + points.len() % 2);
        points
    })
}

fn figure() -> impl Strategy<Value = Figure> {
    let simple = prop_oneof![
        prop::option::of(position()).prop_map(Figure::Point),
        line().prop_map(|points| Figure::Curve(Curve::Line(points))),
        arcs().prop_map(|points| Figure::Curve(Curve::Arcs(points))),
        (arcs(), position()).prop_map(|(points, end)| {
            let last = points[points.len() - 1];
            let parts = vec![
                Part { is_arc: true, points },
                Part { is_arc: false, points: vec![last, end] },
            ];
            Figure::Curve(Curve::Compound(parts))
        }),
        prop::collection::vec(ring(), 1..3).prop_map(Figure::Polygon),
        ring().prop_map(|ring| Figure::CurvePolygon(vec![Curve::Line(ring)])),
        prop::collection::vec(position(), 0..4).prop_map(|points| {
            let points = points.into_iter().map(|at| Figure::Point(Some(at))).collect();
            Figure::Collection(Kind::MultiPoint, points)
        }),
        prop::collection::vec(ring(), 1..3).prop_map(|rings| {
            let polygons = rings.into_iter().map(|ring| Figure::Polygon(vec![ring])).collect();
            Figure::Collection(Kind::MultiPolygon, polygons)
        }),
    ];
    simple.prop_recursive(2, 6, 3, |inner| {
        prop::collection::vec(inner, 0..3)
            .prop_map(|members| Figure::Collection(Kind::GeometryCollection, members))
    })
}

/// A shape, made valid.
fn shape(space: Space) -> impl Strategy<Value = Shape> {
    figure().prop_filter_map("a shape", move |figure| {
        let srid = if space == Space::Planar { 0 } else { 4326 };
        with_work(|work| Shape::new(space, srid, figure, work)?.make_valid(work)).ok()
    })
}

/// Everything that can be asked of two shapes; answers and errors are both fine.
fn ask_all(a: &Shape, b: &Shape) {
    with_work(|work| {
        let _ = (a.relate(b, "T*F**F***", work), a.equals(b, work), a.touches(b, work));
        let _ = (a.distance(b, work), a.shortest_line_to(b, work), a.crosses(b, work));
        let _ = (a.union(b, work), a.sym_difference(b, work), a.difference(b, work));
        let _ = (a.convex_hull(work), a.boundary(work), a.centroid(work), a.envelope(work));
        let _ = (a.point_on_surface(work), a.area(work), a.length(work), a.is_simple(work));
        let _ = (a.valid_detail(work), a.make_valid(work), a.reduce(0.5, work));
        let _ = (a.curve_to_line(work), a.envelope_center(work), a.reorient(work));
        let _ = (a.buffer_with_tolerance(0.5, 0.1, false, work), a.is_closed(), a.num_points());
    });
}

fn grid(space: Space) -> Grid {
    let levels = [Density::Low, Density::Medium, Density::Low, Density::High];
    Grid::new(space, [-3.0, -3.0, 3.0, 3.0], levels, 16)
}

/// How many shapes are tried. Failures are not written to files.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn nothing_panics(a in figure(), b in figure(), on_globe: bool) {
        let (space, srid) =
            if on_globe { (Space::Geographic, 4326) } else { (Space::Planar, 0) };
        let shape = |figure| with_work(|work| Shape::new(space, srid, figure, work));
        if let (Ok(a), Ok(b)) = (shape(a), shape(b)) {
            ask_all(&a, &b);
        }
    }

    #[test]
    fn cells_of_geographies_that_meet_are_found(
        a in shape(Space::Geographic), b in shape(Space::Geographic), reach in 0.0..200_000.0_f64,
    ) {
        check_cells(&a, &b, reach);
    }

    #[test]
    fn unions_do_not_depend_on_order(shapes in prop::collection::vec(shape(Space::Planar), 1..5)) {
        with_work(|work| {
            let union = |shapes: &mut dyn Iterator<Item = &Shape>| {
                let mut all = Accumulator::new(Aggregate::Union);
                shapes.for_each(|shape| all.add(shape.clone(), work).expect("valid"));
                all.finish(work).expect("valid").expect("not NULL")
            };
            let there = union(&mut shapes.iter());
            let back = union(&mut shapes.iter().rev());
            let areas = [there.area(work), back.area(work)].map(|area| area.expect("valid"));
            assert!((areas[0] - areas[1]).abs() < 1e-6, "{areas:?}");
        });
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn bytes_and_text_give_the_same_shape(shape in shape(Space::Planar)) {
        with_work(|work| {
            let bytes = shape.to_bytes(work).expect("it has bytes");
            assert_eq!(Shape::from_untrusted_bytes(Space::Planar, &bytes, work), Ok(shape.clone()));
            let text = shape.to_text_zm(work).expect("it has a text");
            assert_eq!(Shape::parse(Space::Planar, &text, work).as_ref(), Ok(&shape));
        });
    }

    #[test]
    fn broken_bytes_are_errors(shape in shape(Space::Planar), at: u16, to: u8, cut: u16) {
        with_work(|work| {
            let mut bytes = shape.to_bytes(work).expect("it has bytes");
            let len = bytes.len();
            bytes[usize::from(at) % len] = to;
            for space in [Space::Planar, Space::Geographic] {
                if let Ok(read) = Shape::from_untrusted_bytes(space, &bytes, work) {
                    let _ = (read.length(work), read.area(work), read.to_bytes(work));
                }
                if let Ok(read) = Shape::from_bytes(space, &bytes, work) {
                    let _ = (read.equals(&read, work), read.centroid(work), read.to_gml(work));
                }
                let _ = Shape::from_bytes(space, &bytes[..usize::from(cut) % len], work);
                let _ = Shape::from_wkb(space, &bytes[4..], None, 4326, work);
            }
        });
    }

    #[test]
    fn relations_agree(a in shape(Space::Planar), b in shape(Space::Planar)) {
        with_work(|work| {
            let meets = a.intersects(&b, work).expect("both are valid");
            let both = a.intersection(&b, work).expect("both are valid");
            assert_eq!(meets, !both.is_empty(), "{both:?}");
            if let Some(distance) = a.distance(&b, work).expect("both are valid") {
                assert!(if meets { distance < 1e-9 } else { distance > 0.0 }, "{distance}");
            }
            assert_eq!(a.contains(&b, work), b.within(&a, work));
            assert_eq!(a.equals(&a, work), Ok(true));
        });
    }

    #[test]
    fn areas_add_up(a in shape(Space::Planar), b in shape(Space::Planar)) {
        with_work(|work| {
            let straight = |shape: &Shape| shape.curve_to_line(work).and_then(|it| it.make_valid(work));
            let (a, b) = (straight(&a).expect("valid"), straight(&b).expect("valid"));
            // Areas of a collection count each, so they are joined first.
            let none = Shape::empty(Space::Planar, Kind::Point, 0).expect("a shape");
            let area = |shape: &Shape| shape.union(&none, work)?.area(work);
            let (of_a, of_b) = (area(&a).expect("valid"), area(&b).expect("valid"));
            let both = a.intersection(&b, work).and_then(|it| it.area(work)).expect("valid");
            let all = a.union(&b, work).and_then(|it| it.area(work)).expect("valid");
            assert!((of_a + of_b - both - all).abs() < 1e-6, "{of_a} {of_b} {both} {all}");
        });
    }

    #[test]
    fn results_are_valid(a in shape(Space::Planar), b in shape(Space::Planar)) {
        with_work(|work| {
            for made in [a.union(&b, work), a.intersection(&b, work), a.difference(&b, work)] {
                let made = made.expect("both are valid");
                let again = Shape::new(Space::Planar, 0, made.figure().clone(), work);
                let again = again.expect("it keeps what formats demand");
                assert!(
                    again.is_valid(),
                    "{:?} of {:?} and {:?}: {:?}",
                    again.valid_detail(work),
                    a.to_text(work),
                    b.to_text(work),
                    made.to_text(work)
                );
            }
        });
    }

    #[test]
    fn cells_of_shapes_that_meet_are_found(
        a in shape(Space::Planar), b in shape(Space::Planar), reach in 0.0..2.0_f64,
    ) {
        check_cells(&a, &b, reach);
    }

    #[test]
    fn geographies_agree(a in shape(Space::Geographic), b in shape(Space::Geographic)) {
        with_work(|work| {
            let meets = a.intersects(&b, work).expect("both are valid");
            if let Ok(both) = a.intersection(&b, work) {
                assert_eq!(meets, !both.is_empty(), "{both:?}");
            }
            if let Some(distance) = a.distance(&b, work).expect("both are valid") {
                assert!(if meets { distance < 1e-3 } else { distance > 0.0 }, "{distance}");
            }
        });
    }
}

fn check_cells(a: &Shape, b: &Shape, reach: f64) {
    with_work(|work| {
        let grid = grid(a.space());
        let cells: Vec<CellId> = grid.cells(a, work).expect("it has cells");
        let found = |cover: &crate::Cover| cells.iter().any(|cell| cover.finds(*cell));
        if a.intersects(b, work).expect("both are valid") {
            assert!(found(&grid.cover(b, work).expect("it has a cover")));
        }
        if a.distance(b, work).expect("both are valid").is_some_and(|it| it <= reach) {
            assert!(found(&grid.cover_within(b, reach, work).expect("it has a cover")));
        }
    });
}
