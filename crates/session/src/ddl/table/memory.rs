//! What memory-optimized tables allow.

use base::{SqlError, TypeKind, message};
use engine::catalog::def::*;

use super::indexes::IndexRequest;
use super::{Builder, Purpose};
use crate::ddl::failure::{DdlResult, constraint_error};

type Shown<'a> = &'a dyn std::fmt::Display;

/// What messages call them.
pub(super) const TABLES: &str = "memory optimized tables";

/// Error 10794: memory-optimized tables do not support the feature.
pub fn not_supported(what: &str, name: &str) -> SqlError {
    let args: [Shown; 3] = [&what, &name, &TABLES];
    SqlError::new(&message::NOT_SUPPORTED_WITH, &args)
}

impl Builder<'_> {
    /// Rules about the columns. Errors 10794, 12329, 12339.
    pub fn check_memory_columns(&self) -> DdlResult<()> {
        self.table.columns.iter().try_for_each(|column| self.check_memory_column(column))
    }

    fn check_memory_column(&self, column: &ColumnDef) -> DdlResult<()> {
        use TypeKind::*;
        let kind = column.ty.kind;
        if column.user_type >= UserTypeId::FIRST_USER {
            let ty = self.setting.schema.types().get(column.user_type);
            return Err(not_supported("type", ty.map_or("", |t| &t.name)).into());
        }
        if matches!(kind, RowVersion | SqlVariant | DateTimeOffset | Text | NText | Image)
            || kind.is_opaque()
        {
            let name = if kind == RowVersion { "timestamp" } else { kind.name() };
            return Err(not_supported("type", name).into());
        }
        if column.rowguidcol {
            return Err(not_supported("feature", "ROWGUIDCOL").into());
        }
        if column.sparse {
            return Err(not_supported("feature", "SPARSE").into());
        }
        if let Some(identity) = column.identity
            && (identity.seed, identity.increment) != (1, 1)
        {
            return Err(SqlError::new(&message::IDENTITY_SEED_NOT_SUPPORTED, &[&TABLES]).into());
        }
        if column.ty.kind.is_chars() && column.ty.collation.info().code_page != 1252 {
            return Err(SqlError::new(&message::CODE_PAGE_NOT_SUPPORTED, &[&TABLES]).into());
        }
        Ok(())
    }

    /// Rules about one index. Error 10794.
    pub fn check_memory_index(
        &self,
        request: &IndexRequest<'_>,
        index: &IndexDef,
    ) -> DdlResult<()> {
        if !index.included.is_empty() {
            return Err(not_supported("feature", "INCLUDE").into());
        }
        if index.filter.is_some() {
            return Err(not_supported("feature", "filtered indexes").into());
        }
        if request.on.is_some() {
            return Err(not_supported("option", "filegroup").into());
        }
        Ok(())
    }

    /// Rules about the table as a whole. Errors 41321 and 41327.
    pub fn check_memory_table(&self) -> DdlResult<()> {
        let name = self.name();
        let refused = if self.table.indexes.is_empty() {
            Some(&message::MEMORY_OPTIMIZED_NEEDS_INDEX)
        } else if self.purpose == Purpose::Table
            && self.table.kind == TableKind::MemoryDurable
            && self.table.primary_key().is_none()
        {
            Some(&message::DURABLE_NEEDS_PRIMARY_KEY)
        } else {
            None
        };
        match refused {
            Some(message) => Err(constraint_error(SqlError::new(message, &[&name]))),
            None => Ok(()),
        }
    }
}
