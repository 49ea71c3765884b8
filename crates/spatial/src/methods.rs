//! The methods of shapes.

use crate::error::{Fault, Result};
use crate::shape::{Figure, Kind, Shape, Space};
use crate::work::Work;

#[allow(unused_variables)]
impl Shape {
    /// `STIsSimple`.
    pub fn is_simple(&self, work: &Work<'_>) -> Result<bool> {
        Err(Fault::Unsupported("is_simple").into())
    }

    /// `IsValidDetailed`.
    pub fn valid_detail(&self, work: &Work<'_>) -> Result<String> {
        Err(Fault::Unsupported("valid_detail").into())
    }

    /// `STBuffer`.
    pub fn buffer(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("buffer").into())
    }

    /// `BufferWithTolerance`. Error 24108.
    pub fn buffer_with_tolerance(
        &self,
        distance: f64,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("buffer_with_tolerance").into())
    }

    /// `BufferWithCurves`.
    pub fn buffer_with_curves(&self, distance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("buffer_with_curves").into())
    }

    /// `Reduce`. Error 24125.
    pub fn reduce(&self, tolerance: f64, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("reduce").into())
    }

    /// `STCurveToLine`.
    pub fn curve_to_line(&self, work: &Work<'_>) -> Result<Shape> {
        Err(Fault::Unsupported("curve_to_line").into())
    }

    /// `CurveToLineWithTolerance`. Error 24152.
    pub fn curve_to_line_with_tolerance(
        &self,
        tolerance: f64,
        is_relative: bool,
        work: &Work<'_>,
    ) -> Result<Shape> {
        Err(Fault::Unsupported("curve_to_line_with_tolerance").into())
    }
}

impl Shape {
    pub(crate) fn flaw(&self, _: &Work<'_>) -> Result<Option<String>> {
        Ok(None)
    }
}
