//! The aggregates: `UnionAggregate`, `CollectionAggregate`, `EnvelopeAggregate`,
//! `ConvexHullAggregate`.

use crate::error::{Fault, Result};
use crate::shape::{Shape, Space};
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
    shapes: Vec<Shape>,
}

impl Accumulator {
    /// Nothing collected.
    pub fn new(aggregate: Aggregate) -> Accumulator {
        Accumulator { aggregate, shapes: Vec::new() }
    }

    /// Adds a shape that is not NULL. Error 24144 of an invalid one. Shapes of different SRIDs make
    /// the result NULL.
    pub fn add(&mut self, shape: Shape, work: &Work<'_>) -> Result<()> {
        let _ = (shape, work, self.aggregate, &self.shapes);
        Err(Fault::Unsupported("add").into())
    }

    /// Adds what another accumulator of the same aggregate has collected.
    pub fn merge(&mut self, other: Accumulator, work: &Work<'_>) -> Result<()> {
        let _ = (other, work);
        Err(Fault::Unsupported("merge").into())
    }

    /// About how many bytes are held, for the caller's account.
    pub fn size_bytes(&self) -> usize {
        0
    }

    /// The result: `None` (NULL) if there was no shape, or their SRIDs differ.
    pub fn finish(self, work: &Work<'_>) -> Result<Option<Shape>> {
        let _ = work;
        Err(Fault::Unsupported("finish").into())
    }
}
