//! Sensitivity classifications of results: those of the columns that each column of a result is
//! made of.
//!
//! They are found when a plan is bound and before it is masked. A client that has asked for them is
//! told them with the result's columns; they decide nothing.

use std::sync::Arc;

use base::ids::DbId;
use base::types::Classification;
use engine::catalog::def::TableDef;

use super::binder::Binder;
use super::flow::{self, Marks, Rule};
use crate::plan::expr::ColId;
use crate::plan::tree::{Destination, Plan, RowEffects, Target};

/// The classifications of what a value is made of, each once.
type Sources = Vec<Classification>;

struct Classified;

impl Rule for Classified {
    type Mark = Sources;

    fn column(&mut self, _: DbId, table: &TableDef, at: usize) -> Option<Sources> {
        let column = table.stored_columns().nth(at)?;
        let made_of = column.computed.iter().flat_map(|computed| &computed.columns);
        let made_of = made_of.filter_map(|id| table.column(*id));
        let all = std::iter::once(column).chain(made_of);
        let mut found = Sources::new();
        for source in all.filter_map(|column| column.classification.as_ref()) {
            add(&mut found, source.clone());
        }
        (!found.is_empty()).then_some(found)
    }

    fn either(&self, mut one: Sources, other: Sources) -> Sources {
        other.into_iter().for_each(|source| add(&mut one, source));
        one
    }

    fn computed(&self, from: Sources) -> Sources {
        from
    }

    fn passes_over_documents(&self) -> bool {
        false
    }
}

fn add(sources: &mut Sources, source: Classification) {
    if !sources.contains(&source) {
        sources.push(source);
    }
}

impl Binder<'_> {
    /// Notes of which classified columns the columns of a plan's results are made.
    pub(super) fn classify_plan(&self, plan: &mut Plan) {
        if !self.reads_classified {
            return;
        }
        let mut marks = Marks::default();
        match plan {
            Plan::Select(select) => {
                if !matches!(select.destination, Destination::Client) {
                    return;
                }
                flow::find(&mut Classified, &mut marks, &select.root);
                for output in &mut select.output {
                    let sources = marks.columns.get(&output.column);
                    output.shown.classified = sources.map(|sources| sources.as_slice().into());
                }
            }
            Plan::Insert(insert) => {
                flow::find(&mut Classified, &mut marks, &insert.source);
                classify_effects(&mut marks, &insert.target, &mut insert.effects);
            }
            Plan::Update(update) => {
                flow::find(&mut Classified, &mut marks, &update.input);
                classify_effects(&mut marks, &update.target, &mut update.effects);
            }
            Plan::Delete(delete) => {
                flow::find(&mut Classified, &mut marks, &delete.input);
                classify_effects(&mut marks, &delete.target, &mut delete.effects);
            }
            Plan::Merge(merge) => {
                flow::find(&mut Classified, &mut marks, &merge.input);
                classify_effects(&mut marks, &merge.target, &mut merge.effects);
            }
        }
    }
}

/// `OUTPUT` to the client.
fn classify_effects(marks: &mut Marks<Sources>, target: &Target, effects: &mut RowEffects) {
    let RowEffects { new_columns, old_columns, output, .. } = effects;
    if let Target::Table { database, table } = target {
        let mut note = |columns: &[ColId]| {
            for (at, column) in columns.iter().enumerate() {
                marks.note(*column, Classified.column(*database, table, at));
            }
        };
        note(new_columns);
        note(old_columns);
    }
    for (value, shown) in output.iter_mut().flatten() {
        let sources = flow::mark_of(&mut Classified, marks, value);
        shown.classified = sources.map(Arc::from);
    }
}
