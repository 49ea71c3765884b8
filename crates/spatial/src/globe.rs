//! The globe: an ellipsoid, on which edges are arcs of ellipses around its center.
//!
//! Seen from the center, such an edge is an arc of a great circle. So positions are directions from
//! the center, and where lines meet is a question of directions alone; lengths and areas are those
//! of the ellipsoid's surface.

use geographiclib_rs::{DirectGeodesic, Geodesic, InverseGeodesic, PolygonArea, Winding};

use crate::arc::{Point3, cross, dot, minus, norm, plus, times, unit};
use crate::error::{Fault, Result};
use crate::plane::Flat;
use crate::reference;
use crate::shape::Shape;

/// What a direction's cosine to a map's center must be at least.
const COSINE_MIN: f64 = 0.05;

/// An ellipsoid.
pub(crate) struct Globe {
    geodesic: Geodesic,
    radius: f64,
    /// The square of the ratio of the polar radius to the equatorial one.
    squash: f64,
}

impl Globe {
    /// The ellipsoid of a shape's SRID.
    pub fn of(shape: &Shape) -> Result<Globe> {
        let system = reference::find(shape.srid).ok_or(Fault::GeographySrid)?;
        let ratio = 1.0 - system.flattening;
        Ok(Globe {
            geodesic: Geodesic::new(system.radius, system.flattening),
            radius: system.radius,
            squash: ratio * ratio,
        })
    }

    /// The equatorial radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The direction of a position from the center.
    pub fn direction(&self, [long, lat]: Flat) -> Point3 {
        let ((sin_long, cos_long), (sin_lat, cos_lat)) = (sin_cos(long), sin_cos(lat));
        unit([cos_lat * cos_long, cos_lat * sin_long, self.squash * sin_lat])
    }

    /// The longitude and latitude of a direction.
    pub fn position(&self, direction: Point3) -> Flat {
        let [x, y, z] = direction;
        [degrees(y, x), degrees(z, self.squash * x.hypot(y)).clamp(-90.0, 90.0)]
    }

    /// Where a direction meets the surface, in meters from the center.
    pub fn surface(&self, direction: Point3) -> Point3 {
        let [x, y, z] = direction;
        let stretch = (x * x + y * y + z * z / self.squash).sqrt();
        times(direction, self.radius / stretch)
    }

    /// The shortest way between two positions on the surface.
    pub fn distance(&self, [long, lat]: Flat, other: Flat) -> f64 {
        let (there_long, there_lat) = (other[0], other[1]);
        let distance: f64 = self.geodesic.inverse(lat, long, there_lat, there_long);
        if distance.is_finite() { distance } else { 0.0 }
    }

    /// The position at a distance in a direction, in degrees from north.
    pub fn travel(&self, [long, lat]: Flat, azimuth: f64, distance: f64) -> Flat {
        let (lat, long): (f64, f64) = self.geodesic.direct(lat, long, azimuth, distance);
        [long, lat]
    }

    /// The area to the left of a ring, less that to its right if it is the smaller one.
    pub fn ring_area(&self, ring: impl Iterator<Item = Flat>) -> f64 {
        let mut area = PolygonArea::new(&self.geodesic, Winding::CounterClockwise);
        for [long, lat] in ring {
            area.add_point(lat, long);
        }
        let (_, area, _) = area.compute(true);
        if area.is_finite() { area } else { 0.0 }
    }

    /// The area of the whole surface.
    pub fn whole_area(&self) -> f64 {
        self.geodesic.area()
    }
}

/// Sine and cosine of an angle in degrees; exact at multiples of 90.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turn = degrees % 360.0;
    let quarter = (turn / 90.0).round();
    let (sin, cos) = (turn - 90.0 * quarter).to_radians().sin_cos();
    match (quarter as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The angle of a vector in degrees; exact on the axes.
fn degrees(y: f64, x: f64) -> f64 {
    match (x == 0.0, y == 0.0) {
        (_, true) if x >= 0.0 => 0.0,
        (_, true) => 180.0,
        (true, _) => 90.0_f64.copysign(y),
        _ => y.atan2(x).to_degrees(),
    }
}

/// The middle of directions, such that the angle to the farthest one is small. `None` if they are
/// all around.
pub(crate) fn middle(directions: &[Point3]) -> Option<Point3> {
    let sum = directions.iter().fold([0.0; 3], |sum, &each| plus(sum, each));
    if directions.is_empty() {
        return Some([1.0, 0.0, 0.0]);
    }
    let mut center = match norm(sum) > 1e-9 {
        true => unit(sum),
        false => directions[0],
    };
    let farthest = |center: Point3| {
        let cosine = |direction: &&Point3| dot(center, **direction);
        directions.iter().min_by(|a, b| cosine(a).total_cmp(&cosine(b))).copied()
    };
    // Moves towards the farthest direction by less each time (Badoiu and Clarkson, "Smaller
    // core-sets for balls", 2003), until all are on the map.
    for round in 1..64_u32 {
        let far = farthest(center)?;
        if dot(center, far) >= COSINE_MIN {
            return Some(center);
        }
        let step = 1.0 / f64::from(round + 1);
        center = unit(plus(times(center, 1.0 - step), times(far, step)));
    }
    None
}

/// A map of almost half the globe on which great circles are straight lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map {
    center: Point3,
    right: Point3,
    up: Point3,
}

impl Map {
    /// A map around a direction, which is rounded so that neighbours have the same map.
    pub fn around(center: Point3) -> Map {
        Map::new(unit(center.map(|value| (value * 32.0).round() / 32.0)))
    }

    /// A map around just this direction.
    pub fn new(center: Point3) -> Map {
        let axis = match center[2].abs() < 0.9 {
            true => [0.0, 0.0, 1.0],
            false => [1.0, 0.0, 0.0],
        };
        let right = unit(cross(axis, center));
        Map { center, right, up: cross(center, right) }
    }

    /// Where a direction is on the map, if it is there.
    pub fn place(&self, direction: Point3) -> Option<Flat> {
        let height = dot(direction, self.center);
        let place = || [dot(direction, self.right) / height, dot(direction, self.up) / height];
        (height >= COSINE_MIN / 4.0).then(place)
    }

    /// The direction of a place.
    pub fn direction(&self, [x, y]: Flat) -> Point3 {
        unit(plus(self.center, plus(times(self.right, x), times(self.up, y))))
    }
}

/// The directions of two arcs' points that are nearest to each other. Arcs are less than half a
/// circle; one that ends where it starts is a point.
pub(crate) fn nearest(a: [Point3; 2], b: [Point3; 2]) -> (Point3, Point3) {
    if let Some(meeting) = meeting(a, b) {
        return (meeting, meeting);
    }
    let mut best = (f64::INFINITY, (a[0], b[0]));
    let mut offer = |pair: (Point3, Point3)| {
        let distance = norm(minus(pair.0, pair.1));
        if distance < best.0 {
            best = (distance, pair);
        }
    };
    for end in a {
        offer((end, nearest_on(b, end)));
    }
    for end in b {
        offer((nearest_on(a, end), end));
    }
    best.1
}

/// Where two arcs cross.
fn meeting(a: [Point3; 2], b: [Point3; 2]) -> Option<Point3> {
    let (first, second) = (cross(a[0], a[1]), cross(b[0], b[1]));
    let sides = [dot(first, b[0]), dot(first, b[1]), dot(second, a[0]), dot(second, a[1])];
    if sides[0] * sides[1] >= 0.0 || sides[2] * sides[3] >= 0.0 {
        return None;
    }
    let meeting = unit(cross(first, second));
    // The arcs' circles meet in two places; the arcs are less than half of them.
    let meeting = match dot(meeting, plus(a[0], a[1])) > 0.0 {
        true => meeting,
        false => times(meeting, -1.0),
    };
    (dot(meeting, plus(b[0], b[1])) > 0.0).then_some(meeting)
}

/// The point of an arc that is nearest to a direction.
pub(crate) fn nearest_on(arc: [Point3; 2], at: Point3) -> Point3 {
    let normal = cross(arc[0], arc[1]);
    let length = norm(normal);
    if length > 1e-15 {
        let normal = times(normal, 1.0 / length);
        let foot = minus(at, times(normal, dot(normal, at)));
        if norm(foot) > 1e-12 {
            let foot = unit(foot);
            let is_between =
                dot(cross(arc[0], foot), normal) >= 0.0 && dot(cross(foot, arc[1]), normal) >= 0.0;
            if is_between {
                return foot;
            }
        }
    }
    match norm(minus(arc[0], at)) <= norm(minus(arc[1], at)) {
        true => arc[0],
        false => arc[1],
    }
}
