//! Frames with the variables of a program.

use run::interp::local::LocalTable;
use run::interp::{Frame, TableSlot};

use super::variables::{VariableKind, Variables};

/// A frame for a program's variables, all NULL, with empty tables.
pub(crate) fn new_frame(variables: &Variables) -> Frame {
    let mut frame = frame_without_tables(variables);
    add_tables(variables, &mut frame);
    frame
}

/// A frame whose tables are still to come: from arguments, and the others from [`add_tables`].
pub(crate) fn frame_without_tables(variables: &Variables) -> Frame {
    let mut frame = Frame::new(variables.scalars.iter().copied());
    for _ in 0..variables.tables() {
        frame.declare_table(TableSlot::None);
    }
    frame
}

/// Makes the tables of variables that have none, empty.
pub(crate) fn add_tables(variables: &Variables, frame: &mut Frame) {
    if variables.tables() == 0 {
        return;
    }
    for variable in variables.iter() {
        if let VariableKind::Table { id, shape, .. } = &variable.kind
            && let slot @ TableSlot::None = frame.table_mut(*id)
        {
            *slot = TableSlot::Own(Box::new(LocalTable::new(shape.clone())));
        }
    }
}
