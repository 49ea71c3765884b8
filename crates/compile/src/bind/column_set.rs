//! Column sets: an xml column that shows the sparse columns of its table, and sets them.
//!
//! The value is a fragment with an element for each sparse column that is not NULL, as `FOR XML RAW
//! (''), ELEMENTS` writes it; NULL if all are. Nothing of it is stored. A statement that gives a
//! value to the set gives one to every sparse column: what the element with its name holds, or
//! NULL.

use base::{SqlType, TypeKind, Value};
use engine::catalog::def::TableDef;
use ir::function::clr::hierarchyid;
use ir::function::xml::{RowShape, ValueKind, names as functions};
use ir::operator::CastMode;

use super::binder::Binder;
use super::context::BindResult;
use super::scalar::Scalar;
use super::scope::ColumnAt;
use super::xml::names;
use crate::plan::tree::NewValue;

impl Binder<'_> {
    /// The value of a table's column set. The table is the first source of the innermost block.
    pub(super) fn column_set_value(&mut self, table: &TableDef) -> BindResult<Scalar> {
        let mut shape = RowShape::new(true, false);
        let mut args = Vec::new();
        for (ordinal, column) in table.columns.iter().enumerate().filter(|(_, c)| c.sparse) {
            let block = self.blocks.len() - 1;
            let value = self.column_at(ColumnAt { block, source: 0, ordinal })?;
            let name = names::escaped(&column.name);
            shape.open(&name, "");
            let is_xml = column.ty.kind == TypeKind::Xml;
            shape.value(if is_xml { ValueKind::Nodes } else { ValueKind::Text }, &name);
            shape.close(&name);
            args.push(match column.ty.kind {
                TypeKind::HierarchyId => self.library_call(hierarchyid::TO_STRING, vec![value])?,
                _ => value,
            });
        }
        let ty = SqlType::varbinary(SqlType::MAX);
        args.push(Scalar::constant(ty, Value::Bytes(shape.into_bytes().into())));
        let text = self.library_call(functions::SET, args)?;
        self.explicit_cast(text, SqlType::xml(), CastMode::Explicit, None)
    }

    /// Values for columns by their places, with those of the sparse columns for that of the column
    /// set.
    pub(super) fn column_set_given(
        &mut self,
        table: &TableDef,
        mut given: Vec<(usize, NewValue)>,
    ) -> BindResult<Vec<(usize, NewValue)>> {
        let Some((set, _)) = table.column_set() else { return Ok(given) };
        let Some(at) = given.iter().position(|(ordinal, _)| *ordinal == set) else {
            return Ok(given);
        };
        let (_, NewValue::Expr(document)) = given.swap_remove(at) else {
            return Err(ir::internal("a column set is given a value").into());
        };
        // The value of the first column checks the names of all elements.
        let mut all = Vec::new();
        for column in table.columns.iter().filter(|c| c.sparse) {
            all.extend_from_slice(names::escaped(&column.name).as_bytes());
            all.push(0);
        }
        for (ordinal, column) in table.columns.iter().enumerate().filter(|(_, c)| c.sparse) {
            let function = match column.ty.kind {
                TypeKind::Xml => functions::SET_NODES,
                kind if kind.is_binary() => functions::SET_BYTES,
                _ => functions::SET_TEXT,
            };
            let name = Value::unicode(&names::escaped(&column.name));
            let name_type = SqlType::nvarchar(4000, self.collation());
            let names = Scalar::constant(
                SqlType::varbinary(SqlType::MAX),
                Value::Bytes(std::mem::take(&mut all).into()),
            );
            let args = vec![
                self.copy(&Scalar::computed(document.clone())),
                Scalar::constant(name_type, name),
                names,
            ];
            let found = self.library_call(function, args)?;
            given.push((ordinal, NewValue::Expr(self.column_value(column, found)?)));
        }
        Ok(given)
    }
}
