//! Arcs of circles.

/// Coordinates in space; those in the plane have 0 as their third one.
pub(crate) type Point3 = [f64; 3];

pub(crate) fn minus(a: Point3, b: Point3) -> Point3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn plus(a: Point3, b: Point3) -> Point3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn times(a: Point3, by: f64) -> Point3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

pub(crate) fn dot(a: Point3, b: Point3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point3, b: Point3) -> Point3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn norm(a: Point3) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

/// A vector of length 1; the X axis for one without length.
pub(crate) fn unit(a: Point3) -> Point3 {
    let length = norm(a);
    match length > 0.0 && length.is_finite() {
        true => times(a, 1.0 / length),
        false => [1.0, 0.0, 0.0],
    }
}

/// An arc of a circle, which is not a straight line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub center: Point3,
    pub radius: f64,
    /// Unit vectors of the circle's plane; the arc starts at the first one.
    along: Point3,
    across: Point3,
    /// How far it goes, in radians; more than 0, with `across` on the side that it goes to.
    pub angle: f64,
    /// The angle of the point in the middle, less than `angle`.
    middle: f64,
}

impl Arc {
    /// The arc from a point through another one to a third one. `None` if they lie on one line.
    pub fn new(start: Point3, through: Point3, end: Point3) -> Option<Arc> {
        let (a, b) = (minus(through, start), minus(end, start));
        let size = norm(a).max(norm(b));
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        let (a, b) = (times(a, 1.0 / size), times(b, 1.0 / size));
        let normal = cross(a, b);
        let square = dot(normal, normal);
        // Below this, the center is too far away to be told.
        if square < 1e-24 * dot(a, a) * dot(b, b) || square == 0.0 {
            return None;
        }
        let toward = plus(times(cross(normal, a), dot(b, b)), times(cross(b, normal), dot(a, a)));
        let offset = times(toward, 0.5 / square);
        let radius = norm(offset) * size;
        let center = plus(start, times(offset, size));
        if !radius.is_finite() || center.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let along = unit(times(offset, -1.0));
        let across = cross(unit(normal), along);
        let angle_of = |at: Point3| {
            let from_center = minus(times(at, 1.0), offset);
            let angle = dot(from_center, across).atan2(dot(from_center, along));
            if angle < 0.0 { angle + std::f64::consts::TAU } else { angle }
        };
        // The normal is turned so that the arc goes to the left of it.
        let (middle, angle) = (angle_of(a), angle_of(b));
        (angle > middle && middle > 0.0).then_some(Arc {
            center,
            radius,
            along,
            across,
            angle,
            middle,
        })
    }

    /// The length of the arc.
    pub fn length(&self) -> f64 {
        self.radius * self.angle
    }

    /// The point at an angle from the start.
    pub fn at(&self, angle: f64) -> Point3 {
        let (sin, cos) = angle.sin_cos();
        let offset = plus(times(self.along, cos), times(self.across, sin));
        plus(self.center, times(offset, self.radius))
    }

    /// The angle of a point's direction from the center.
    pub fn angle_of(&self, at: Point3) -> f64 {
        let offset = minus(at, self.center);
        let angle = dot(offset, self.across).atan2(dot(offset, self.along));
        if angle < 0.0 { angle + std::f64::consts::TAU } else { angle }
    }

    /// Points between the start and the end, in pieces of at most this angle. The given one in the
    /// middle is one of them.
    pub fn between(&self, step: f64) -> impl Iterator<Item = Option<Point3>> + use<> {
        let arc = *self;
        let count = |angle: f64| (angle / step).ceil().clamp(1.0, 65_536.0) as u32;
        let (first, second) = (count(self.middle), count(self.angle - self.middle));
        let part = move |from: f64, to: f64, count: u32| {
            (1..count)
                .map(move |at| Some(arc.at(from + (to - from) * f64::from(at) / f64::from(count))))
        };
        part(0.0, self.middle, first).chain(std::iter::once(None)).chain(part(
            self.middle,
            self.angle,
            second,
        ))
    }
}
