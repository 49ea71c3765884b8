//! How two shapes relate: the matrix of dimensions in which the interiors, boundaries and exteriors
//! of both meet (DE-9IM).

use crate::error::{Error, Fault, Result};
use crate::layers::Chart;
use crate::plane::Arrangement;
use crate::shape::{Figure, Shape, Space};
use crate::work::Work;

/// Where a place is in a shape: a set, as a place can be in the interior of one part of a
/// collection and on the boundary of another one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Parts(u8);

const INTERIOR: usize = 0;
const BOUNDARY: usize = 1;
const EXTERIOR: usize = 2;

impl Parts {
    fn add(&mut self, part: usize) {
        self.0 |= 1 << part;
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        let parts = if self.0 == 0 { 1 << EXTERIOR } else { self.0 };
        (0..3).filter(move |part| parts >> part & 1 == 1)
    }
}

/// The dimension of what two parts have in common; -1 if that is nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Matrix([[i8; 3]; 3]);

impl Matrix {
    fn raise(&mut self, a: Parts, b: Parts, dimension: i8) {
        for row in a.iter() {
            for column in b.iter() {
                let cell = &mut self.0[row][column];
                *cell = (*cell).max(dimension);
            }
        }
    }

    /// Of two layers of an arrangement.
    fn of(arrangement: &Arrangement, work: &Work<'_>) -> Result<Matrix> {
        let mut matrix = Matrix([[-1; 3]; 3]);
        let area = |is_inside: bool| Parts(u8::from(is_inside));
        let mut parts = vec![[Parts::default(); 2]; arrangement.nodes.len()];
        let mut areas = parts.clone();
        let outside = arrangement.covers_outside;
        matrix.raise(area(outside[0]), area(outside[1]), 2);
        for edge in &arrangement.edges {
            work.step(1)?;
            let mut of_edge = [Parts::default(); 2];
            for (layer, of_edge) in of_edge.iter_mut().enumerate() {
                match (arrangement.below(edge, layer), arrangement.above(edge, layer)) {
                    (true, true) => of_edge.add(INTERIOR),
                    (false, false) => {}
                    _ => of_edge.add(BOUNDARY),
                }
                let of_area = *of_edge;
                if edge.lines[layer] > 0 {
                    of_edge.add(INTERIOR);
                }
                for node in [edge.from, edge.to] {
                    areas[node as usize][layer].0 |= of_area.0;
                    if edge.lines[layer] > 0 && arrangement.facts[node as usize].ends[layer] == 0 {
                        parts[node as usize][layer].add(INTERIOR);
                    }
                }
            }
            matrix.raise(of_edge[0], of_edge[1], 1);
            for side in [Arrangement::below, Arrangement::above] {
                let of = |layer| area(side(arrangement, edge, layer));
                matrix.raise(of(0), of(1), 2);
            }
        }
        for chain in arrangement.chains.iter().filter(|chain| chain.nodes.len() == 1) {
            parts[chain.nodes[0] as usize][chain.layer].add(INTERIOR);
        }
        for (node, mut of_node) in parts.into_iter().enumerate() {
            work.step(1)?;
            let facts = &arrangement.facts[node];
            for (layer, of_node) in of_node.iter_mut().enumerate() {
                // A node at a boundary is on it, whatever else ends there.
                let area = areas[node][layer].iter().filter(|part| *part != EXTERIOR);
                area.max().into_iter().for_each(|part| of_node.add(part));
                if facts.points[layer] || arrangement.is_within(node, layer) {
                    of_node.add(INTERIOR);
                }
                // On the boundary are the ends of an odd number of lines.
                match facts.ends[layer] {
                    0 => {}
                    ends if ends % 2 == 1 => of_node.add(BOUNDARY),
                    _ => of_node.add(INTERIOR),
                }
            }
            matrix.raise(of_node[0], of_node[1], 0);
        }
        Ok(matrix)
    }

    fn is_empty(&self, row: usize, column: usize) -> bool {
        self.0[row][column] < 0
    }

    fn intersects(&self) -> bool {
        let parts = [INTERIOR, BOUNDARY];
        parts.iter().any(|&row| parts.iter().any(|&column| !self.is_empty(row, column)))
    }

    fn covers(&self) -> bool {
        self.is_empty(EXTERIOR, INTERIOR) && self.is_empty(EXTERIOR, BOUNDARY)
    }

    fn is_covered(&self) -> bool {
        self.is_empty(INTERIOR, EXTERIOR) && self.is_empty(BOUNDARY, EXTERIOR)
    }
}

/// A pattern of `STRelate`: what each cell of the matrix must be, row by row.
struct Pattern([char; 9]);

impl Pattern {
    fn read(text: &str) -> Result<Pattern> {
        let len = text.encode_utf16().count();
        let characters: Vec<char> = text.chars().take(9).collect();
        let Ok(pattern) = <[char; 9]>::try_from(characters) else {
            return Err(Fault::PatternLength(len).into());
        };
        if len != 9 {
            return Err(Fault::PatternLength(len).into());
        }
        let wrong = pattern.iter().position(|c| !matches!(c, '0' | '1' | '2' | 'T' | 'F' | '*'));
        match wrong {
            Some(at) => Err(Fault::PatternCharacter(at, pattern[at]).into()),
            None => Ok(Pattern(pattern)),
        }
    }

    fn matches(&self, matrix: &Matrix) -> bool {
        self.0.iter().zip(matrix.0.as_flattened()).all(|(wanted, &cell)| match wanted {
            '*' => true,
            'T' => cell >= 0,
            'F' => cell < 0,
            digit => digit.to_digit(10) == u32::try_from(cell).ok(),
        })
    }
}

impl Shape {
    /// Both are valid.
    pub(crate) fn check_both(&self, other: &Shape) -> Result<()> {
        self.check_valid()?;
        other.check_valid()
    }

    fn matrix(&self, other: &Shape, work: &Work<'_>) -> Result<Matrix> {
        self.check_both(other)?;
        let chart = Chart::of(&[self, other], work)?;
        let arrangement = chart.arrange(&[&self.figure, &other.figure], work)?;
        Matrix::of(&arrangement, work)
    }

    /// Whether a look at the bounds tells that the shapes have nothing in common.
    fn is_far(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        if self.is_empty() || other.is_empty() {
            return Ok(true);
        }
        Ok(self.space == Space::Planar && !self.bounds(work)?.meets(&other.bounds(work)?))
    }

    /// `STIntersects`, and `Filter` without an index.
    pub fn intersects(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        self.check_both(other)?;
        if self.is_far(other, work)? {
            return Ok(false);
        }
        for (area, point) in [(self, other), (other, self)] {
            if let Some(holds) = area.holds_point(point, work)? {
                return Ok(holds);
            }
        }
        match self.matrix(other, work) {
            Ok(matrix) => Ok(matrix.intersects()),
            Err(error) if is_too_large(&error) => self.meets_on_globe(other, work),
            Err(error) => Err(error),
        }
    }

    /// `STDisjoint`.
    pub fn disjoint(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        Ok(!self.intersects(other, work)?)
    }

    /// `STEquals`: no part of one shape is outside the other one.
    pub fn equals(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        self.check_both(other)?;
        if self.is_empty() || other.is_empty() {
            return Ok(self.is_empty() && other.is_empty());
        }
        if self.figure == other.figure {
            return Ok(true);
        }
        let matrix = self.matrix(other, work)?;
        Ok(matrix.covers() && matrix.is_covered())
    }

    /// `STTouches` of geometry.
    pub fn touches(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        let matrix = self.matrix(other, work)?;
        Ok(matrix.is_empty(INTERIOR, INTERIOR) && matrix.intersects())
    }

    /// `STCrosses` of geometry: of a shape with one of a higher dimension, and of two lines.
    pub fn crosses(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        let matrix = self.matrix(other, work)?;
        let (own, others) = (self.figure.dimension(), other.figure.dimension());
        Ok(match (own, others) {
            (1, 1) => matrix.0[INTERIOR][INTERIOR] == 0,
            _ => {
                own < others
                    && !matrix.is_empty(INTERIOR, INTERIOR)
                    && !matrix.is_empty(INTERIOR, EXTERIOR)
            }
        })
    }

    /// `STWithin`.
    pub fn within(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        self.check_both(other)?;
        if self.is_far(other, work)? {
            return Ok(false);
        }
        if let Some(holds) = other.holds_point(self, work)? {
            return Ok(holds);
        }
        match self.matrix(other, work) {
            Ok(matrix) => Ok(!matrix.is_empty(INTERIOR, INTERIOR) && matrix.is_covered()),
            Err(error) if is_too_large(&error) => {
                self.is_within_on_globe(other, work)?.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// `STContains`.
    pub fn contains(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        other.within(self, work)
    }

    /// `STOverlaps`: shapes of one dimension that have a part of that dimension in common, and each
    /// has another one besides.
    pub fn overlaps(&self, other: &Shape, work: &Work<'_>) -> Result<bool> {
        let matrix = self.matrix(other, work)?;
        let (own, others) = (self.figure.dimension(), other.figure.dimension());
        let common = matrix.0[INTERIOR][INTERIOR];
        Ok(own == others
            && if own == 1 { common == 1 } else { common >= 0 }
            && !matrix.is_empty(INTERIOR, EXTERIOR)
            && !matrix.is_empty(EXTERIOR, INTERIOR))
    }

    /// `STRelate` of geometry. Errors 24109 and 24110 of the pattern.
    pub fn relate(&self, other: &Shape, pattern: &str, work: &Work<'_>) -> Result<bool> {
        let pattern = Pattern::read(pattern)?;
        Ok(pattern.matches(&self.matrix(other, work)?))
    }
}

/// Whether an operation failed because no map shows the shapes as a whole.
pub(crate) fn is_too_large(error: &Error) -> bool {
    matches!(error, Error::Fault(fault) if **fault == Fault::Hemisphere)
}

impl Figure {
    /// Whether there is an area in it.
    pub(crate) fn has_area(&self) -> bool {
        self.dimension() == 2
    }
}
