//! Which objects `FOR JSON` makes of a row, and which column is which property.

use std::collections::HashSet;
use std::sync::Arc;

use base::{SqlError, message};
use ir::function::json::RowShape;

use crate::bind::context::BindResult;
use crate::bind::scalar::Origin;
use crate::bind::scope::OutCol;
use crate::bind::select::Tables;

/// The objects of a level: one for each row at the innermost one, one for consecutive rows with
/// equal values at the others.
#[derive(Debug, Default)]
pub(in crate::bind) struct Level {
    /// What the array of these objects is called in an object of the level before.
    pub name: Option<Arc<str>>,
    /// The columns that are properties, by their places.
    pub columns: Vec<usize>,
    /// Whether names with dots are of properties of properties.
    is_path: bool,
}

/// The levels of a query's rows, the outermost first: one with `PATH`, and one for each table that
/// columns show with `AUTO`. Errors 13600, 13601, 13603, 13605.
pub(super) fn levels(columns: &[OutCol], tables: &Tables, auto: bool) -> BindResult<Vec<Level>> {
    let levels = match auto {
        true => auto_levels(columns.len(), tables)
            .ok_or_else(|| SqlError::new(&message::FOR_JSON_AUTO_NEEDS_TABLE, &[]))?,
        false => vec![Level { name: None, columns: (0..columns.len()).collect(), is_path: true }],
    };
    for level in &levels {
        level.check(columns)?;
    }
    Ok(levels)
}

/// A column is a property of its table's level, whatever stands before it; any other value is one
/// of the level of the column before it. Nothing if there is no table.
pub(in crate::bind) fn auto_levels(columns: usize, tables: &Tables) -> Option<Vec<Level>> {
    let first = tables.names.first()?;
    let mut shown: Vec<usize> = Vec::new();
    for source in tables.shown.iter().flatten() {
        if !shown.contains(source) {
            shown.push(*source);
        }
    }
    let named = |name: &Arc<str>| Level { name: Some(name.clone()), ..Level::default() };
    let mut levels: Vec<Level> = match shown.is_empty() {
        true => vec![named(first)],
        false => shown.iter().map(|source| named(&tables.names[*source])).collect(),
    };
    let mut current = 0;
    for column in 0..columns {
        if let Some(source) = tables.shown.get(column).copied().flatten() {
            current = shown.iter().position(|s| *s == source).unwrap_or(0);
        }
        levels[current].columns.push(column);
    }
    Some(levels)
}

impl Level {
    /// Errors 13601, 13603, 13605 about the names of columns.
    fn check(&self, columns: &[OutCol]) -> BindResult<()> {
        let mut open: Vec<&str> = Vec::new();
        // The names that each open object has, the outermost first.
        let mut used: Vec<HashSet<&str>> = vec![HashSet::new()];
        for at in &self.columns {
            let Some(name) = columns[*at].name.as_deref().filter(|name| !name.is_empty()) else {
                return Err(SqlError::new(&message::FOR_JSON_WITHOUT_NAME, &[]).into());
            };
            let steps = self.steps(name);
            if self.is_path && steps.iter().any(|step| step.is_empty()) {
                return Err(SqlError::new(&message::FOR_JSON_NAME_INVALID, &[&name]).into());
            }
            let (leaf, objects) = steps.split_last().expect("a name has a step");
            let kept = open.iter().zip(objects).take_while(|(a, b)| a == b).count();
            open.truncate(kept);
            used.truncate(kept + 1);
            for object in &objects[kept..] {
                if !used[open.len()].insert(object) {
                    return Err(conflict(name));
                }
                open.push(object);
                used.push(HashSet::new());
            }
            if !used[open.len()].insert(leaf) {
                return Err(conflict(name));
            }
        }
        Ok(())
    }

    fn steps<'n>(&self, name: &'n str) -> Vec<&'n str> {
        match self.is_path {
            true => name.split('.').collect(),
            false => vec![name],
        }
    }

    /// What the object of a row consists of.
    pub(super) fn shape(&self, columns: &[OutCol], keeps_nulls: bool) -> RowShape {
        let mut shape = RowShape::new(keeps_nulls);
        let mut open: Vec<&str> = Vec::new();
        for at in &self.columns {
            let column = &columns[*at];
            let steps = self.steps(column.name.as_deref().unwrap_or_default());
            let (leaf, objects) = steps.split_last().expect("a name has a step");
            let kept = open.iter().zip(objects).take_while(|(a, b)| a == b).count();
            open.drain(kept..).for_each(|_| shape.close());
            for object in &objects[kept..] {
                shape.open(object);
                open.push(object);
            }
            shape.value(leaf, column.origin == Origin::Json);
        }
        open.iter().for_each(|_| shape.close());
        shape
    }
}

/// Error 13601: another column has the name, or ends the object.
fn conflict(name: &str) -> crate::bind::context::BindError {
    SqlError::new(&message::FOR_JSON_CONFLICT, &[&name]).into()
}
