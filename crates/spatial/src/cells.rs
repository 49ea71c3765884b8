//! Cells of spatial indexes: a grid of four levels (or eight, of an automatic grid) over a box in
//! the plane or over the whole globe.
//!
//! An index has an entry for each cell of a shape ([`Grid::cells`]). Cells are numbered so that a
//! cell and all within it are one range of numbers. A search looks up [`Cover::ranges`] and
//! [`Cover::ancestors`]: if two shapes intersect, a cell of one is, contains or lies within a cell
//! of the other.
//!
//! # How it works
//!
//! The top cell is the box, or one of the six faces of a cube around the globe, onto which lines
//! are projected from the center, so that they stay straight. A cell that a shape's boundary passes
//! is divided as long as there is room for more cells; one that is all inside is not. Shapes that
//! reach beyond the box are in the top cell, which every search looks up.
//!
//! # Invariants
//!
//! * C1: a cell that has a place of the shape in it is kept, whatever rounding does: borders are
//!   widened. So of all cells that hold one place, each shape has one that is in the same line of
//!   descent.

use crate::arc::{Point3, dot, unit};
use crate::error::Result;
use crate::globe::Globe;
use crate::layers::Chart;
use crate::measure::is_inside;
use crate::plane::Flat;
use crate::shape::{Figure, Shape, Space};
use crate::tree::Bounds;
use crate::work::Work;

/// Levels of an automatic grid.
const AUTO_LEVELS: usize = 8;

/// Bits of a cell's number for the path to it.
const PATH_BITS: u32 = 32;

/// Bits of a cell's number for its level.
const LEVEL_BITS: u32 = 8;

/// By which share of its width a cell is widened.
const MARGIN: f64 = 1e-6;

/// Cells of a search at least.
const SEARCH_CELLS: usize = 64;

/// The angle between the middle of a face of a cube and its corners.
const CORNER: f64 = 0.9554;

/// A cell: its number orders it among all cells; a cell's descendants follow it directly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(pub u64);

/// How fine a level of the grid is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Density {
    /// 4 × 4 cells.
    Low,
    /// 8 × 8 cells.
    Medium,
    /// 16 × 16 cells.
    High,
}

impl Density {
    /// Bits of a cell's place in one direction.
    fn bits(self) -> u32 {
        match self {
            Density::Low => 2,
            Density::Medium => 3,
            Density::High => 4,
        }
    }
}

/// The parameters of an index's tessellation.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    space: Space,
    /// The box of a geometry index: lowest X and Y, highest X and Y.
    bounds: [f64; 4],
    levels: Vec<Density>,
    cells_max: usize,
}

/// A cell that is looked at.
struct Cell {
    face: u32,
    level: usize,
    /// The path from the top, in the highest bits.
    path: u32,
    /// Bits of the path in use.
    bits: u32,
    bounds: Bounds<2>,
    /// The pieces that pass it.
    pieces: Vec<u32>,
}

impl Cell {
    fn top(face: u32, bounds: Bounds<2>, pieces: Vec<u32>) -> Cell {
        Cell { face, level: 0, path: 0, bits: 0, bounds, pieces }
    }

    fn id(&self) -> CellId {
        number(self.face, self.path, self.level)
    }

    /// The last cell within this one.
    fn last(&self) -> CellId {
        let below = u32::MAX.checked_shr(self.bits).unwrap_or(0);
        CellId(number(self.face, self.path | below, 0).0 | ((1 << LEVEL_BITS) - 1))
    }

    fn middle(&self) -> Flat {
        [0, 1].map(|axis| self.bounds.low[axis] / 2.0 + self.bounds.high[axis] / 2.0)
    }
}

fn number(face: u32, path: u32, level: usize) -> CellId {
    let path = u64::from(face) << PATH_BITS | u64::from(path);
    CellId(path << LEVEL_BITS | level as u64)
}

/// A shape for cells: its boundary and points as pieces in the plane of each top cell, and a way to
/// ask for the rest of its area.
struct Subject<'s> {
    /// By face: straight pieces in its plane.
    pieces: Vec<Vec<[Flat; 2]>>,
    area: SubjectArea,
    /// How far from a piece a cell may be.
    reach: f64,
    work: &'s Work<'s>,
}

enum SubjectArea {
    None,
    Everything,
    /// In the plane: by parity, of the first face's pieces that are of rings.
    Plane(Vec<[Flat; 2]>),
    /// On the globe: each polygon's rings.
    Globe(Vec<Vec<Vec<Point3>>>),
}

impl Grid {
    /// `GEOMETRY_GRID`, `GEOGRAPHY_GRID`: four levels. The bounds are `[xmin, ymin, xmax, ymax]`
    /// of a geometry index, and not looked at of a geography index. At most `cells_max`
    /// (`CELLS_PER_OBJECT`) cells are made of a shape where that is possible.
    pub fn new(space: Space, bounds: [f64; 4], levels: [Density; 4], cells_max: usize) -> Grid {
        Grid { space, bounds, levels: levels.to_vec(), cells_max }
    }

    /// `GEOMETRY_AUTO_GRID`, `GEOGRAPHY_AUTO_GRID`: eight levels.
    pub fn auto(space: Space, bounds: [f64; 4], cells_max: usize) -> Grid {
        Grid { space, bounds, levels: vec![Density::Low; AUTO_LEVELS], cells_max }
    }

    /// The cells that a shape is entered under, each once; none of an empty shape. Of shapes that
    /// are not valid as well.
    pub fn cells(&self, shape: &Shape, work: &Work<'_>) -> Result<Vec<CellId>> {
        if shape.is_empty() {
            return Ok(Vec::new());
        }
        if self.space == Space::Planar && !self.holds(&shape.bounds(work)?) {
            return Ok(vec![number(0, 0, 0)]);
        }
        let Some(subject) = self.subject(shape, 0.0, work)? else {
            return Ok(self.tops().into_iter().map(|top| top.id()).collect());
        };
        let cells = self.divide(&subject, self.cells_max)?;
        let mut ids: Vec<CellId> = cells.iter().map(Cell::id).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// What a search for shapes that intersect this one looks up.
    pub fn cover(&self, shape: &Shape, work: &Work<'_>) -> Result<Cover> {
        self.cover_within(shape, 0.0, work)
    }

    /// What a search for shapes within a distance of this one looks up. The distance is in the
    /// units of `STDistance`.
    pub fn cover_within(&self, shape: &Shape, distance: f64, work: &Work<'_>) -> Result<Cover> {
        if shape.is_empty() || distance < 0.0 {
            return Ok(Cover::default());
        }
        let Some(subject) = self.subject(shape, distance, work)? else {
            return Ok(Cover { ranges: vec![(CellId(0), CellId(u64::MAX))], ancestors: vec![] });
        };
        let mut cells = self.divide(&subject, self.cells_max.max(SEARCH_CELLS))?;
        cells.sort_unstable_by_key(Cell::id);
        let mut cover = Cover::default();
        if self.space == Space::Planar {
            cover.ancestors.push(number(0, 0, 0));
        }
        for cell in &cells {
            work.step(1)?;
            let mut bits = 0;
            for (level, density) in self.levels.iter().enumerate().take(cell.level) {
                let path = cell.path & !u32::MAX.checked_shr(bits).unwrap_or(0);
                cover.ancestors.push(number(cell.face, path, level));
                bits += 2 * density.bits();
            }
            match cover.ranges.last_mut() {
                // The next cell may follow right behind the last one.
                Some((_, last)) if last.0.checked_add(1) == Some(cell.id().0) => {
                    *last = cell.last();
                }
                Some((_, last)) if *last >= cell.id() => *last = cell.last().max(*last),
                _ => cover.ranges.push((cell.id(), cell.last())),
            }
        }
        cover.ancestors.sort_unstable();
        cover.ancestors.dedup();
        let ranges = &cover.ranges;
        cover.ancestors.retain(|id| {
            let at = ranges.partition_point(|range| range.0 <= *id);
            at.checked_sub(1).is_none_or(|at| ranges[at].1 < *id)
        });
        Ok(cover)
    }

    fn holds(&self, bounds: &Bounds<2>) -> bool {
        let [low_x, low_y, high_x, high_y] = self.bounds;
        bounds.low[0] >= low_x
            && bounds.low[1] >= low_y
            && bounds.high[0] <= high_x
            && bounds.high[1] <= high_y
    }

    /// The cells of level 0, without pieces.
    fn tops(&self) -> Vec<Cell> {
        let [low_x, low_y, high_x, high_y] = self.bounds;
        match self.space {
            Space::Planar => {
                let bounds = Bounds { low: [low_x, low_y], high: [high_x, high_y] };
                vec![Cell::top(0, bounds, Vec::new())]
            }
            Space::Geographic => {
                let bounds = Bounds { low: [-1.0; 2], high: [1.0; 2] };
                (0..6).map(|face| Cell::top(face, bounds, Vec::new())).collect()
            }
        }
    }

    /// A shape for cells. `None` if all cells may be within the distance.
    fn subject<'s>(
        &self,
        shape: &Shape,
        distance: f64,
        work: &'s Work<'s>,
    ) -> Result<Option<Subject<'s>>> {
        if !distance.is_finite() {
            return Ok(None);
        }
        match self.space {
            Space::Planar => self.flat_subject(shape, distance, work).map(Some),
            Space::Geographic => globe_subject(shape, distance, work),
        }
    }

    fn flat_subject<'s>(
        &self,
        shape: &Shape,
        reach: f64,
        work: &'s Work<'s>,
    ) -> Result<Subject<'s>> {
        // Of what is not valid, the box is taken: nothing else is sure.
        let boxed;
        let shape = match shape.is_valid {
            true => shape,
            false => {
                boxed = Shape { is_valid: true, ..shape.clone() }.envelope(work)?;
                &boxed
            }
        };
        let layer = Chart::Plane.layer(&shape.figure, work)?;
        let mut rings = Vec::new();
        for ring in &layer.rings {
            for pair in ring.windows(2) {
                work.push(&mut rings, [pair[0].at, pair[1].at])?;
            }
        }
        let area = if rings.is_empty() { SubjectArea::None } else { SubjectArea::Plane(rings) };
        Ok(Subject { pieces: vec![shape.flat_pieces(work)?], area, reach, work })
    }

    /// The cells of a subject: the top ones, divided as long as there are not too many.
    fn divide(&self, subject: &Subject<'_>, cells_max: usize) -> Result<Vec<Cell>> {
        let mut open = std::collections::VecDeque::new();
        for mut top in self.tops() {
            let pieces = &subject.pieces[top.face as usize];
            top.pieces = (0..pieces.len() as u32).collect();
            open.extend(subject.keep(top)?);
        }
        let mut done: Vec<Cell> = Vec::new();
        while let Some(cell) = open.pop_front() {
            if cell.level == self.levels.len() || cell.pieces.is_empty() {
                done.push(cell);
                continue;
            }
            let density = self.levels[cell.level];
            let mut children = Vec::new();
            let side = 1_u32 << density.bits();
            for place in 0..side * side {
                let child = child(&cell, density, place % side, place / side);
                children.extend(subject.keep(child)?);
            }
            match done.len() + open.len() + children.len() <= cells_max.max(1) {
                true => open.extend(children),
                false => done.push(cell),
            }
        }
        Ok(done)
    }
}

fn child(cell: &Cell, density: Density, column: u32, row: u32) -> Cell {
    let side = f64::from(1_u32 << density.bits());
    let at = |axis: usize, place: u32| {
        let (low, high) = (cell.bounds.low[axis], cell.bounds.high[axis]);
        let share = f64::from(place) / side;
        low * (1.0 - share) + high * share
    };
    let bounds =
        Bounds { low: [at(0, column), at(1, row)], high: [at(0, column + 1), at(1, row + 1)] };
    let width = 2 * density.bits();
    let bits = cell.bits + width;
    let path = cell.path | (row << density.bits() | column) << (PATH_BITS - bits);
    Cell { face: cell.face, level: cell.level + 1, path, bits, bounds, pieces: cell.pieces.clone() }
}

/// The axis of each face of the cube, and two that are perpendicular to it.
fn axes(face: usize) -> [Point3; 3] {
    let sign = if face < 3 { 1.0 } else { -1.0 };
    let axis = |at: usize, sign: f64| {
        let mut axis = [0.0; 3];
        axis[at % 3] = sign;
        axis
    };
    [axis(face, sign), axis(face + 1, 1.0), axis(face + 2, 1.0)]
}

fn globe_subject<'s>(
    shape: &Shape,
    distance: f64,
    work: &'s Work<'s>,
) -> Result<Option<Subject<'s>>> {
    let globe = Globe::of(shape)?;
    // An angle at the center that is not less than the distance.
    let angle = 1.02 * distance / globe.radius();
    if CORNER + angle > 1.4 || !shape.is_valid {
        return Ok(None);
    }
    let reach = angle / (CORNER + angle).cos().powi(2);
    let height_min = (CORNER + angle + 0.06).cos();
    let arcs = shape.arcs(&globe, work)?;
    let mut pieces = Vec::new();
    for face in 0..6 {
        let [up, right, ahead] = axes(face);
        let mut on_face = Vec::new();
        for arc in &arcs {
            work.step(1)?;
            let heights = arc.map(|end| dot(end, up));
            if heights.iter().all(|height| *height > height_min) {
                let place = |at: usize| {
                    let end = arc[at];
                    [dot(end, right) / heights[at], dot(end, ahead) / heights[at]]
                };
                work.push(&mut on_face, [place(0), place(1)])?;
            }
        }
        pieces.push(on_face);
    }
    let area = match &shape.figure {
        Figure::FullGlobe => SubjectArea::Everything,
        figure if figure.has_area() => SubjectArea::Globe(shape.ring_paths(&globe, work)?),
        _ => SubjectArea::None,
    };
    Ok(Some(Subject { pieces, area, reach, work }))
}

impl Subject<'_> {
    /// The cell with the pieces that pass it or are within reach; `None` if nothing of the shape is
    /// in it.
    fn keep(&self, mut cell: Cell) -> Result<Option<Cell>> {
        let mut bounds = cell.bounds;
        for axis in 0..2 {
            let width = bounds.high[axis] - bounds.low[axis];
            let largest = bounds.low[axis].abs().max(bounds.high[axis].abs());
            let margin = self.reach + MARGIN * width + 1e-12 * largest;
            bounds.low[axis] -= margin;
            bounds.high[axis] += margin;
        }
        let pieces = &self.pieces[cell.face as usize];
        let mut passing = Vec::new();
        for &piece in &cell.pieces {
            self.work.step(1)?;
            if passes(&pieces[piece as usize], &bounds) {
                passing.push(piece);
            }
        }
        cell.pieces = passing;
        let is_kept = !cell.pieces.is_empty() || self.holds(&cell)?;
        Ok(is_kept.then_some(cell))
    }

    /// Whether a cell without boundary in it is inside.
    fn holds(&self, cell: &Cell) -> Result<bool> {
        let middle = cell.middle();
        match &self.area {
            SubjectArea::None => Ok(false),
            SubjectArea::Everything => Ok(true),
            SubjectArea::Plane(edges) => {
                self.work.step(edges.len())?;
                let is_right = |edge: &&[Flat; 2]| {
                    let [a, b] = **edge;
                    (a[1] > middle[1]) != (b[1] > middle[1]) && {
                        let share = (middle[1] - a[1]) / (b[1] - a[1]);
                        a[0] + (b[0] - a[0]) * share > middle[0]
                    }
                };
                Ok(edges.iter().filter(is_right).count() % 2 == 1)
            }
            SubjectArea::Globe(polygons) => {
                let [up, right, ahead] = axes(cell.face as usize);
                let direction: Point3 = std::array::from_fn(|axis| {
                    up[axis] + right[axis] * middle[0] + ahead[axis] * middle[1]
                });
                for rings in polygons {
                    if is_inside(rings, unit(direction), self.work)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Whether a straight piece passes a box.
fn passes([a, b]: &[Flat; 2], bounds: &Bounds<2>) -> bool {
    if !Bounds::of(&[*a, *b]).meets(bounds) {
        return false;
    }
    let cross = |at: Flat| (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]);
    let corners =
        [bounds.low, [bounds.high[0], bounds.low[1]], bounds.high, [bounds.low[0], bounds.high[1]]];
    let sides = corners.map(cross);
    !(sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0))
}

/// What a search looks up in an index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cover {
    /// Ranges of cells from the first to the last inclusive: rising, without overlap.
    pub ranges: Vec<(CellId, CellId)>,
    /// Single cells, rising, none of them in a range.
    pub ancestors: Vec<CellId>,
}

impl Cover {
    /// Whether a search finds what is entered under a cell.
    pub fn finds(&self, cell: CellId) -> bool {
        let at = self.ranges.partition_point(|range| range.0 <= cell);
        at.checked_sub(1).is_some_and(|at| cell <= self.ranges[at].1)
            || self.ancestors.binary_search(&cell).is_ok()
    }
}
