//! The plan of a step, and whether it is still good.

use crate::ir::Unit;

/// What a step needs to run.
#[derive(Debug)]
pub struct StepPlan {
    /// The statement or expression.
    pub unit: Unit,
}
