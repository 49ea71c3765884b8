//! Columns.

use std::sync::Arc;

use base::types::declare::Subject;
use base::{Collation, SqlError, SqlType, TypeKind, message};
use compile::bind::{self, define};
use engine::catalog::def::*;
use tsql::ast::{self, ColumnKind, ConstraintKind};

use super::{Builder, Purpose};
use crate::ddl::failure::{DdlResult, constraint_error};

/// The most columns that a table can have.
const COLUMNS_MAX: usize = 1024;
/// The bytes of a row that a page has room for.
const ROW_BYTES_MAX: usize = 8060;

impl Builder<'_> {
    /// All columns of a definition with their defaults. `in_key` says which are in a primary key.
    pub fn columns(
        &mut self,
        columns: &[&ast::ColumnDefinition],
        in_key: &dyn Fn(&str) -> bool,
    ) -> DdlResult<()> {
        for column in columns {
            let line = column.span.line;
            self.column(column, in_key(&column.name.name)).map_err(|f| f.at_line(line))?;
        }
        for column in columns {
            if let ColumnKind::Computed { expr, persisted } = &column.kind {
                let line = column.span.line;
                let made = self.computed(column, expr, *persisted);
                made.map_err(|f| f.at_line(line))?;
            }
        }
        if self.table.columns.iter().all(|c| c.computed.is_some()) {
            let name = self.name();
            return Err(SqlError::new(&message::TABLE_NEEDS_DATA_COLUMN, &[&name]).into());
        }
        self.check_column_set()?;
        Ok(())
    }

    /// Error 401 for columns that a column set cannot show here.
    fn check_column_set(&self) -> DdlResult<()> {
        let is_variant = |c: &ColumnDef| c.sparse && c.ty.kind == TypeKind::SqlVariant;
        match self.table.column_set().is_some() && self.table.columns.iter().any(is_variant) {
            true => {
                let what = "sparse sql_variant beside a column set";
                Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into())
            }
            false => Ok(()),
        }
    }

    /// One column; a computed one gets its type later.
    fn column(&mut self, column: &ast::ColumnDefinition, in_key: bool) -> DdlResult<()> {
        let name = &column.name.name;
        let table = self.name();
        if self.find_column(name).is_some() {
            let args: [&dyn std::fmt::Display; 2] = [name, &table];
            return Err(SqlError::new(&message::COLUMN_NAMES_MUST_BE_UNIQUE, &args).into());
        }
        if self.table.columns.len() == COLUMNS_MAX {
            let args: [&dyn std::fmt::Display; 3] = [name, &table, &COLUMNS_MAX];
            return Err(SqlError::new(&message::TOO_MANY_COLUMNS, &args).into());
        }
        let id = ColumnId(self.table.max_column_id.0 + 1);
        let def = match &column.kind {
            ColumnKind::Stored(ty) => self.stored(id, column, ty, in_key)?,
            ColumnKind::Computed { .. } => self.placeholder(id, column)?,
        };
        self.table.max_column_id = id;
        self.table.columns.push(def);
        Ok(())
    }

    fn stored(
        &mut self,
        id: ColumnId,
        column: &ast::ColumnDefinition,
        written: &ast::DataType,
        in_key: bool,
    ) -> DdlResult<ColumnDef> {
        let name = &column.name.name;
        let ordinal = self.table.columns.len() as u32 + 1;
        let subject = Subject::Column(name);
        let declared = bind::data_type(&self.setting.bind(), written, subject, ordinal)?;
        let mut ty = self.collated(column.collation.as_ref(), declared.ty, declared.user_type)?;
        if column.collation.is_none() && self.setting.contained && ty.kind.is_character() {
            ty = ty.with_collation(self.setting.default_collation);
        }
        let mut def = ColumnDef::new(id, name.clone(), ty, declared.user_type);
        def.rowguidcol = column.row_guid;
        def.sparse = column.sparse;
        def.hidden = column.hidden;
        if column.column_set {
            return self.column_set(def, column);
        }
        self.nullability(&mut def, column, declared.nullable, in_key)?;
        if let Some(option) = &column.identity {
            def.identity = Some(self.identity(&def, column, option)?);
            def.nullable = false;
        }
        self.inherit_bindings(&mut def)?;
        self.generated_column(&mut def, column)?;
        def.set_padding(self.setting.ansi_padding);
        if let Some(text) = &column.masked {
            def.mask = Some(super::mask::read(text, name, &def.ty)?);
        }
        self.check_properties(&def, column)?;
        Ok(def)
    }

    /// Binds to a column what is bound to its alias type. Errors 1710, 10794.
    pub fn inherit_bindings(&self, def: &mut ColumnDef) -> DdlResult<()> {
        let Some(alias) = self.setting.schema.types().get(def.user_type) else { return Ok(()) };
        let TypeDefKind::Alias { default, rule, .. } = &alias.kind else { return Ok(()) };
        let bound = match (rule, default) {
            (Some(_), _) => "rule",
            (None, Some(_)) => "default",
            (None, None) => return Ok(()),
        };
        if self.purpose != Purpose::Table {
            let args: [&dyn std::fmt::Display; 2] = [&alias.name, &bound];
            return Err(SqlError::new(&message::BOUND_TYPE_OF_VARIABLE, &args).into());
        }
        if self.in_memory() {
            let args: [&dyn std::fmt::Display; 3] =
                [&bound, &alias.name, &"memory optimized tables"];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
        }
        if def.identity.is_none() && def.default.is_none() {
            def.bound_default = default.clone();
        }
        def.bound_rule = rule.clone();
        Ok(())
    }

    /// The column set. Errors 401, 1731 to 1734.
    fn column_set(
        &self,
        mut def: ColumnDef,
        column: &ast::ColumnDefinition,
    ) -> DdlResult<ColumnDef> {
        let table = self.name();
        let args: [&dyn std::fmt::Display; 2] = [&def.name, &table];
        let fail = |message| Err(SqlError::new(message, &args).into());
        if self.purpose != Purpose::Table {
            let what = "COLUMN_SET in a table type or table variable";
            return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
        }
        if self.table.versioning.is_some() {
            let what = "COLUMN_SET in a system-versioned table";
            return Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
        }
        if self.table.column_set().is_some() {
            return fail(&message::COLUMN_SET_TWO);
        }
        let is_xml = def.ty == SqlType::xml() && def.user_type == system_type(&def.ty);
        if !is_xml || column.nullable == Some(false) {
            return fail(&message::COLUMN_SET_INVALID);
        }
        if column.sparse || column.row_guid || column.identity.is_some() || column.filestream {
            return fail(&message::SPARSE_COLUMN_INVALID);
        }
        if self.statement == "ALTER TABLE" && self.table.columns.iter().any(|c| c.sparse) {
            return fail(&message::COLUMN_SET_AFTER_SPARSE);
        }
        def.column_set = true;
        def.nullable = true;
        def.computed = Some(no_expression());
        Ok(def)
    }

    /// A type with the collation that a column asks for. Errors 447, 448, 452, 459.
    pub fn collated(
        &self,
        written: Option<&ast::Ident>,
        ty: SqlType,
        user_type: UserTypeId,
    ) -> DdlResult<SqlType> {
        let Some(written) = written else { return Ok(ty) };
        if !ty.kind.is_character() {
            let error = SqlError::new(&message::COLLATE_TYPE_INVALID, &[&ty.kind.name()]);
            return Err(error.into());
        }
        if user_type >= UserTypeId::FIRST_USER {
            return Err(SqlError::new(&message::COLLATE_ON_USER_TYPE, &[]).into());
        }
        let collation = self.collation(&written.name)?;
        if ty.kind.is_chars() && collation.info().is_unicode_only() {
            let name = collation.name();
            return Err(SqlError::new(&message::COLLATION_UNICODE_ONLY, &[&name]).into());
        }
        Ok(ty.with_collation(collation))
    }

    fn collation(&self, name: &str) -> DdlResult<Collation> {
        if name.eq_ignore_ascii_case("database_default") {
            return Ok(self.setting.default_collation);
        }
        if name.eq_ignore_ascii_case("catalog_default") {
            return Ok(match self.setting.contained {
                true => Collation::by_name(bind::CONTAINED_CATALOG)?,
                false => self.setting.default_collation,
            });
        }
        Collation::by_name(name)
            .map_err(|_| SqlError::new(&message::INVALID_COLLATION, &[&name]).into())
    }

    /// Whether a column may be NULL: as written, or as its type, the session or the database has
    /// it. Error 8111.
    fn nullability(
        &self,
        def: &mut ColumnDef,
        column: &ast::ColumnDefinition,
        alias: Option<bool>,
        in_key: bool,
    ) -> DdlResult<()> {
        if in_key && column.nullable == Some(true) {
            let error = SqlError::new(&message::PRIMARY_KEY_ON_NULLABLE, &[&self.name()]);
            return Err(constraint_error(error));
        }
        def.nullable = match (column.nullable, alias) {
            _ if in_key => false,
            (Some(written), _) => written,
            (None, Some(alias)) => alias,
            (None, None) if def.user_type == UserTypeId::SYSNAME => false,
            (None, None) if def.ty.kind == TypeKind::RowVersion => false,
            (None, None) => column.sparse || self.setting.nulls,
        };
        Ok(())
    }

    fn identity(
        &self,
        def: &ColumnDef,
        column: &ast::ColumnDefinition,
        option: &ast::IdentityOption,
    ) -> DdlResult<IdentityDef> {
        let (name, table) = (&def.name, self.name());
        if self.table.identity_column().is_some() {
            return Err(SqlError::new(&message::MULTIPLE_IDENTITY_COLUMNS, &[&table]).into());
        }
        if !identity_type(&def.ty) {
            return Err(SqlError::new(&message::IDENTITY_TYPE_INVALID, &[name]).into());
        }
        if column.nullable == Some(true) {
            let args: [&dyn std::fmt::Display; 2] = [name, &table];
            return Err(SqlError::new(&message::IDENTITY_ON_NULLABLE, &args).into());
        }
        let number = |text: &str| text.parse::<i64>().ok().filter(|n| fits(*n, &def.ty));
        let (seed, increment) = match &option.values {
            None => (Some(1), Some(1)),
            Some(values) => (number(&values.seed), number(&values.increment)),
        };
        let seed = seed.ok_or_else(|| SqlError::new(&message::IDENTITY_SEED_INVALID, &[name]))?;
        let increment = increment
            .filter(|step| *step != 0)
            .ok_or_else(|| SqlError::new(&message::IDENTITY_STEP_INVALID, &[name]))?;
        Ok(IdentityDef { seed, increment, not_for_replication: option.not_for_replication })
    }

    /// Rules about single columns.
    fn check_properties(&self, def: &ColumnDef, column: &ast::ColumnDefinition) -> DdlResult<()> {
        let (name, table) = (&def.name, self.name());
        let others = &self.table.columns;
        if def.ty.kind == TypeKind::RowVersion
            && others.iter().any(|c| c.ty.kind == TypeKind::RowVersion)
        {
            let args: [&dyn std::fmt::Display; 2] = [&table, name];
            return Err(SqlError::new(&message::TIMESTAMP_ONLY_ONE, &args).into());
        }
        if def.rowguidcol {
            if def.ty.kind != TypeKind::UniqueIdentifier {
                return Err(SqlError::new(&message::ROWGUIDCOL_NEEDS_GUID, &[]).into());
            }
            if others.iter().any(|c| c.rowguidcol) {
                return Err(SqlError::new(&message::MULTIPLE_ROWGUIDCOL, &[]).into());
            }
        }
        let user_type = def.user_type >= UserTypeId::FIRST_USER;
        if def.sparse
            && (!def.nullable
                || def.rowguidcol
                || def.identity.is_some()
                || def.ty.kind.is_legacy_lob()
                || def.ty.kind.is_spatial()
                || user_type)
        {
            let args: [&dyn std::fmt::Display; 2] = [name, &table];
            return Err(SqlError::new(&message::SPARSE_COLUMN_INVALID, &args).into());
        }
        if column.filestream {
            // No database has one.
            let database = self.setting.names.database_name(self.setting.database);
            let error = SqlError::new(&message::FILESTREAM_FILEGROUP_MISSING, &[&database]);
            return Err(error.into());
        }
        Ok(())
    }

    /// A computed column before its expression is known: the others must find it.
    fn placeholder(
        &mut self,
        id: ColumnId,
        column: &ast::ColumnDefinition,
    ) -> DdlResult<ColumnDef> {
        let ty = SqlType::int();
        let mut def = ColumnDef::new(id, column.name.name.clone(), ty, system_type(&ty));
        def.computed = Some(no_expression());
        Ok(def)
    }

    fn computed(
        &mut self,
        column: &ast::ColumnDefinition,
        expr: &ast::Expr,
        persisted: bool,
    ) -> DdlResult<()> {
        let name = &column.name.name;
        let whole = Arc::new(self.table.clone());
        let found = define::computed(&self.setting.bind(), &whole, expr)?;
        let table = self.name();
        if found.xml_methods {
            let message = match self.purpose {
                Purpose::Variable => &message::XML_METHOD_IN_COMPUTED_OF_VARIABLE,
                Purpose::Table | Purpose::Type => &message::XML_METHOD_IN_COMPUTED,
            };
            let args: [&dyn std::fmt::Display; 3] = [name, &table, &self.statement];
            return Err(SqlError::new(message, &args).into());
        }
        let refuse = |message| {
            let args: [&dyn std::fmt::Display; 2] = [name, &table];
            Err(SqlError::new(message, &args).into())
        };
        if persisted && !found.deterministic {
            return refuse(&message::COMPUTED_NOT_DETERMINISTIC);
        }
        if persisted && found.reads_data {
            return refuse(&message::COMPUTED_DATA_ACCESS);
        }
        if column.nullable == Some(false) && !persisted {
            return Err(SqlError::new(&message::COMPUTED_CONSTRAINT_INVALID, &[]).into());
        }
        let ty = self.collated(column.collation.as_ref(), found.ty, system_type(&found.ty))?;
        let place = self.find_column(name).expect("a place was kept for it");
        let def = &mut self.table.columns[place];
        def.ty = ty;
        def.user_type = system_type(&ty);
        def.nullable = found.nullable && column.nullable != Some(false);
        def.computed = Some(ComputedDef {
            definition: found.text,
            persisted,
            stored: persisted,
            uses_database_collation: found.uses_database_collation,
            columns: found.columns,
            references: found.references,
        });
        Ok(())
    }

    /// The default that a column declares.
    pub fn column_default(&mut self, column: &ast::ColumnDefinition) -> DdlResult<()> {
        for constraint in &column.constraints {
            let ConstraintKind::Default { value, .. } = &constraint.kind else { continue };
            let line = constraint.span.line;
            let place = self.find_column(&column.name.name).expect("it has been made");
            if self.table.columns[place].default.is_some() {
                let (name, table) = (&column.name.name, self.name());
                let args: [&dyn std::fmt::Display; 3] = [&"DEFAULT", name, &table];
                return Err(SqlError::new(&message::MULTIPLE_DEFAULTS, &args).into());
            }
            let made = self.default(constraint.name.as_ref(), place, value);
            made.map_err(|f| f.at_line(line))?;
        }
        Ok(())
    }

    /// Rows must fit a page. Error 1701, warning 1708.
    pub fn check_row_size(&mut self) -> DdlResult<()> {
        const OVERHEAD: usize = 7;
        if self.in_memory() || self.purpose == Purpose::Variable {
            return Ok(());
        }
        let stored = || self.table.stored_columns();
        let fixed: usize = stored().filter_map(|c| fixed_bytes(&c.ty)).sum();
        let minimum = OVERHEAD + fixed + self.table.columns.len().div_ceil(8);
        if minimum > ROW_BYTES_MAX {
            let name = self.name();
            let args: [&dyn std::fmt::Display; 4] = [&name, &minimum, &OVERHEAD, &ROW_BYTES_MAX];
            return Err(SqlError::new(&message::MINIMUM_ROW_TOO_LARGE, &args).into());
        }
        Ok(())
    }
}

/// What is computed in a way that no text says, or none says yet.
fn no_expression() -> ComputedDef {
    ComputedDef {
        definition: "".into(),
        persisted: false,
        stored: false,
        uses_database_collation: false,
        columns: Vec::new(),
        references: Vec::new(),
    }
}

/// The id of a built-in type.
pub fn system_type(ty: &SqlType) -> UserTypeId {
    UserTypeId(i32::from(ty.kind.user_type_id()))
}

/// Whether a column of this type can count by itself.
pub fn identity_type(ty: &SqlType) -> bool {
    ty.kind.is_integer() && ty.kind != TypeKind::Bit || ty.kind.is_decimal() && ty.scale == 0
}

fn fits(number: i64, ty: &SqlType) -> bool {
    match ty.kind {
        TypeKind::TinyInt => u8::try_from(number).is_ok(),
        TypeKind::SmallInt => i16::try_from(number).is_ok(),
        TypeKind::Int => i32::try_from(number).is_ok(),
        _ => true,
    }
}

/// The bytes that a value of a type of fixed length takes.
fn fixed_bytes(ty: &SqlType) -> Option<usize> {
    use TypeKind::*;
    match ty.kind {
        VarChar | NVarChar | VarBinary | Text | NText | Image | SqlVariant | Json | Xml
        | HierarchyId | Geometry | Geography | Bit => None,
        _ => usize::try_from(ty.max_length()).ok(),
    }
}
