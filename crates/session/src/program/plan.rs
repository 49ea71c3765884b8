//! The plan of a step, and whether it is stale.

use compile::bind::context::{Dependencies, Facts, Names};
use ir::Unit;

use crate::options::CompileOptions;

/// What a step needs to run.
#[derive(Debug)]
pub struct StepPlan {
    /// The statement or expression.
    pub unit: Unit,
    /// What has to be known of it before it runs.
    pub facts: Facts,
    /// What it counts on in the catalog.
    pub dependencies: Dependencies,
    /// The options with which it was made.
    pub options: CompileOptions,
}

impl StepPlan {
    /// Whether making the plan again would give the same plan.
    pub fn is_good(&self, options: CompileOptions, names: &dyn Names) -> bool {
        self.options == options && !self.facts.recompile && self.dependencies.still_hold(names)
    }
}
