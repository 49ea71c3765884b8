//! Cells of spatial indexes: a grid of four levels (or eight, of an automatic grid) over a box in
//! the plane or over the whole globe.
//!
//! An index has an entry for each cell of a shape ([`Grid::cells`]). Cells are numbered so that a
//! cell and all within it are one range of numbers. A search looks up [`Cover::ranges`] and
//! [`Cover::ancestors`]: if two shapes intersect, a cell of one is, contains or lies within a cell
//! of the other.

use crate::error::{Fault, Result};
use crate::shape::{Shape, Space};
use crate::work::Work;

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

/// The parameters of an index's tessellation.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    space: Space,
    /// The box of a geometry index: lowest X and Y, highest X and Y.
    bounds: [f64; 4],
    levels: Vec<Density>,
    cells_max: usize,
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
        Grid { space, bounds, levels: Vec::new(), cells_max }
    }

    /// The cells that a shape is entered under, each once; none of an empty shape. Of shapes that
    /// are not valid as well.
    pub fn cells(&self, shape: &Shape, work: &Work<'_>) -> Result<Vec<CellId>> {
        let _ = (shape, work, self.space, self.bounds, &self.levels, self.cells_max);
        Err(Fault::Unsupported("cells").into())
    }

    /// What a search for shapes that intersect this one looks up.
    pub fn cover(&self, shape: &Shape, work: &Work<'_>) -> Result<Cover> {
        let _ = (shape, work);
        Err(Fault::Unsupported("cover").into())
    }

    /// What a search for shapes within a distance of this one looks up. The distance is in the
    /// units of `STDistance`.
    pub fn cover_within(&self, shape: &Shape, distance: f64, work: &Work<'_>) -> Result<Cover> {
        let _ = (shape, distance, work);
        Err(Fault::Unsupported("cover_within").into())
    }
}

/// What a search looks up in an index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cover {
    /// Ranges of cells from the first to the last inclusive: rising, without overlap.
    pub ranges: Vec<(CellId, CellId)>,
    /// Single cells, rising, none of them in a range.
    pub ancestors: Vec<CellId>,
}
