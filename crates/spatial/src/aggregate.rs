//! The aggregates: `UnionAggregate`, `CollectionAggregate`, `EnvelopeAggregate`,
//! `ConvexHullAggregate`.

use crate::error::{Fault, Result};
use crate::shape::{Figure, Kind, Shape, Space};
use crate::work::Work;

/// Which aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregate {
    /// `UnionAggregate`.
    Union,
    /// `CollectionAggregate`.
    Collection,
    /// `EnvelopeAggregate`.
    Envelope,
    /// `ConvexHullAggregate`.
    ConvexHull,
}

impl Aggregate {
    /// The name that errors give as their routine, `GeometryUnionAggregate` say.
    pub fn routine(self, space: Space) -> String {
        let name = match self {
            Aggregate::Union => "Union",
            Aggregate::Collection => "Collection",
            Aggregate::Envelope => "Envelope",
            Aggregate::ConvexHull => "ConvexHull",
        };
        format!("{}{name}Aggregate", space.title())
    }
}

/// What an aggregate has collected so far.
#[derive(Debug)]
pub struct Accumulator {
    aggregate: Aggregate,
    /// What the result is made of. Of a union: the unions of 1, 2, 4, ... shapes, the largest
    /// first.
    shapes: Vec<(u64, Shape)>,
    /// Whether shapes of different SRIDs were added.
    is_mixed: bool,
    size_bytes: usize,
}

impl Accumulator {
    /// Nothing collected.
    pub fn new(aggregate: Aggregate) -> Accumulator {
        Accumulator { aggregate, shapes: Vec::new(), is_mixed: false, size_bytes: 0 }
    }

    /// Adds a shape that is not NULL. Error 24144 of an invalid one. Shapes of different SRIDs make
    /// the result NULL.
    pub fn add(&mut self, shape: Shape, work: &Work<'_>) -> Result<()> {
        shape.check_valid()?;
        if self.is_mixed || self.shapes.first().is_some_and(|(_, first)| first.srid != shape.srid) {
            self.is_mixed = true;
            self.shapes.clear();
            self.size_bytes = 0;
            return Ok(());
        }
        let (mut count, mut shape) = (1, shape);
        match self.aggregate {
            Aggregate::Union => {
                while let Some((_, other)) = self.shapes.pop_if(|(others, _)| *others <= count) {
                    self.size_bytes -= other.size_bytes();
                    shape = other.union(&shape, work)?;
                    count *= 2;
                }
            }
            Aggregate::Collection if shape.kind() == Kind::FullGlobe => {
                return Err(Fault::FullGlobeInCollection.into());
            }
            Aggregate::Collection => {}
            Aggregate::Envelope if shape.space == Space::Planar => shape = shape.envelope(work)?,
            Aggregate::Envelope | Aggregate::ConvexHull => shape = shape.convex_hull(work)?,
        }
        self.size_bytes += shape.size_bytes();
        work.push(&mut self.shapes, (count, shape))
    }

    /// Adds what another accumulator of the same aggregate has collected.
    pub fn merge(&mut self, other: Accumulator, work: &Work<'_>) -> Result<()> {
        self.is_mixed |= other.is_mixed;
        for (_, shape) in other.shapes {
            self.add(shape, work)?;
        }
        Ok(())
    }

    /// About how many bytes are held, for the caller's account.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// The result: `None` (NULL) if there was no shape, or their SRIDs differ.
    pub fn finish(self, work: &Work<'_>) -> Result<Option<Shape>> {
        if self.is_mixed {
            return Ok(None);
        }
        let mut shapes = self.shapes.into_iter().map(|(_, shape)| shape);
        let Some(first) = shapes.next() else { return Ok(None) };
        if self.aggregate == Aggregate::Union {
            let mut shapes = shapes.rev();
            let Some(mut union) = shapes.next() else { return Ok(Some(first)) };
            for shape in shapes {
                union = shape.union(&union, work)?;
            }
            return first.union(&union, work).map(Some);
        }
        let (space, srid) = (first.space, first.srid);
        let mut members = vec![first.figure];
        members.extend(shapes.map(|shape| shape.figure));
        if members.contains(&Figure::FullGlobe) {
            return Shape::empty(space, Kind::FullGlobe, srid).map(Some);
        }
        let figure = Figure::Collection(Kind::GeometryCollection, members);
        let mut all = Shape { space, srid, figure, is_valid: true, is_large: false };
        all.is_large = all.find_large(work)?;
        Ok(Some(match (self.aggregate, space) {
            (Aggregate::Collection, _) => all,
            (Aggregate::ConvexHull, _) => all.convex_hull(work)?,
            (_, Space::Planar) => all.envelope(work)?,
            (_, Space::Geographic) => all.bounding_circle(work)?,
        }))
    }
}
