//! Sensitivity classifications of columns.

use super::super::FilledView;
use super::super::cells::*;
use engine::catalog::def::TableRole;

pub static SENSITIVITY_CLASSIFICATIONS: FilledView = FilledView {
    schema: "sys",
    name: "sensitivity_classifications",
    columns: &[
        column("class", INT, false),
        column("class_desc", var(16), false),
        column("major_id", INT, false),
        column("minor_id", INT, false),
        column("label", SYSNAME, true),
        column("label_id", SYSNAME, true),
        column("information_type", SYSNAME, true),
        column("information_type_id", SYSNAME, true),
        column("rank", INT, true),
        column("rank_desc", SYSNAME, true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in schema.tables().filter(|table| table.role == TableRole::Table) {
            for own in &table.columns {
                let Some(said) = &own.classification else { continue };
                cx.push([
                    int(1),
                    chars("OBJECT_OR_COLUMN"),
                    object(table.id()),
                    int(own.id.0),
                    or_null(said.label.as_ref(), |label| text(label)),
                    or_null(said.label_id.as_ref(), |id| text(id)),
                    or_null(said.information_type.as_ref(), |kind| text(kind)),
                    or_null(said.information_type_id.as_ref(), |id| text(id)),
                    or_null(said.rank, int),
                    or_null(said.rank_name(), text),
                ]);
            }
        }
        Ok(())
    },
};
