//! What a name in a `FROM` means: tables, views, what the server provides, table variables,
//! functions.

use std::sync::Arc;

use base::collation::codepage::string_to_unicode;
use base::ids::DbId;
use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::{ModuleDef, ModuleKind, Permission, TableDef, TableRole};
use engine::catalog::{Object, Schema};
use ir::function::rowset::RowsetColumn;
use ir::function::{ArgType, FileContent, RowsetFunction, Typing};
use ir::read::{Isolation, ReadOptions};
use tsql::ast::{self, Argument, ObjectName, TableHint, TableHintKind};

use super::binder::{Binder, Variables};
use super::context::{AtLine, BindResult, SystemObject, Variable};
use super::dml::kept_index;
use super::expand::Expanded;
use super::hints::old_hint;
use super::names::{invalid_object, is_function};
use super::query::unimplemented;
use super::scalar::Scalar;
use super::scope::{Exposed, OutCol, Rows, ScanSource, Source, TableName, TableSchema};
use super::select::Usage;
use crate::plan::hints::AccessHint;
use crate::plan::tree::{self, Node};

/// What a name in a `FROM` means, as far as it is a table or a view.
pub(super) enum Meaning {
    Cte(usize),
    Table(DbId, Arc<TableDef>),
    Transition(bool, Arc<TableDef>),
    View(DbId, Arc<ModuleDef>),
    System(DbId, SystemObject),
}

impl Binder<'_> {
    /// A table, view or the like. Errors 208, 216 and those of hints.
    pub fn table_ref(&mut self, table: &ast::TableRef, usage: Usage) -> BindResult<Source> {
        let Some(meaning) = self.meaning(&table.name)? else {
            return Err(self.no_such_table(&table.name));
        };
        let time = table.system_time.as_deref();
        let (name, alias) = (&table.name, table.alias.as_ref());
        let mut source = self.source_of(meaning, name, time, alias, &table.hints, usage)?;
        if let Some(sample) = &table.sample {
            self.sampled(&mut source, sample, name)?;
        }
        Ok(source)
    }

    fn source_of(
        &mut self,
        meaning: Meaning,
        name: &ObjectName,
        time: Option<&ast::SystemTime>,
        alias: Option<&ast::Ident>,
        hints: &[TableHint],
        usage: Usage,
    ) -> BindResult<Source> {
        let line = name.span.line;
        // What a view stands for is looked at when it is expanded.
        let moments = match &meaning {
            Meaning::View(..) => None,
            Meaning::Table(database, table) => {
                self.moments_of(time, Some((*database, table)), &name.name.name)?
            }
            _ => self.moments_of(time, None, &name.name.name)?,
        };
        let view = match &meaning {
            Meaning::View(database, view) => Some((*database, view.id())),
            _ => None,
        };
        let (rows, table) = match meaning {
            Meaning::Cte(place) => {
                let inherited = self.inherited(hints, name)?;
                (self.cte_rows(place, inherited, usage, line)?, None)
            }
            Meaning::Table(database, table) => {
                refuse_no_expand(hints, name)?;
                let schema = match table.is_temporary() {
                    true => TableSchema::Any,
                    false => TableSchema::Of(table.header.schema),
                };
                let mut rows = match moments {
                    Some(moments) => self.versioned_rows(database, table, hints, &moments)?,
                    None => self.table_rows(database, table, hints)?,
                };
                self.name_rows(usage, &mut rows);
                (rows, Some((database, schema)))
            }
            Meaning::Transition(inserted, table) => {
                let source = tree::Source::Transition(inserted, table);
                (self.scan(source, Vec::new(), ReadOptions::default()), None)
            }
            Meaning::View(database, view) => {
                let inherited = self.inherited(hints, name)?;
                self.note_access(database, view.id(), Permission::Select);
                let schema = TableSchema::Of(view.header.schema);
                let outer = self.env.system_time.clone();
                let moments = match time {
                    Some(_) if outer.is_some() => {
                        let message = &message::SYSTEM_TIME_TWICE;
                        return Err(SqlError::new(message, &[name]).at_line(line).into());
                    }
                    Some(time) => Some(self.moments(time)?),
                    None => outer,
                };
                let is_current = moments.is_none();
                let expanded = Expanded { inherited, moments, usage };
                let versioned = self.versioned_tables;
                let rows = self.view_rows(database, &view, expanded, name).at(line)?;
                let rows = match is_current {
                    true => self.kept_rows(database, &view, rows, hints, (name, usage)).at(line)?,
                    false => rows,
                };
                if time.is_some() && self.versioned_tables == versioned {
                    let error = SqlError::new(&message::NOT_SYSTEM_VERSIONED, &[name]);
                    return Err(error.at_line(line).into());
                }
                (rows, Some((database, schema)))
            }
            Meaning::System(database, object) => {
                let own = || object.schema().into();
                let written = name.schema.as_ref().map_or_else(own, |s| s.name.clone());
                let rows = self.system_rows(database, object, name)?;
                (rows, Some((database, TableSchema::System(written))))
            }
        };
        let exposed = match (alias, table) {
            (Some(alias), _) => Exposed { name: alias.name.clone(), table: None },
            (None, None) => Exposed { name: name.name.name.clone(), table: None },
            (None, Some((database, schema))) => {
                let shown = name.to_string();
                let before = shown.strip_suffix(&*name.name.name).unwrap_or_default();
                let table = TableName { database, schema, written: before.into() };
                Exposed { name: name.name.name.clone(), table: Some(table) }
            }
        };
        let written = Some(name.to_string().into());
        Ok(Source { exposed, rows, optional: false, view, written })
    }

    /// The rows of a view, from its clustered index where `NOEXPAND` asks for it.
    /// Errors 1934, 8171.
    fn kept_rows(
        &mut self,
        database: DbId,
        view: &Arc<ModuleDef>,
        expanded: Rows,
        hints: &[TableHint],
        (name, usage): (&ObjectName, Usage),
    ) -> BindResult<Rows> {
        let asks = |hint: &TableHint| matches!(hint.kind, TableHintKind::NoExpand);
        let Rows::Derived(Some(node), _) = &expanded else { return Ok(expanded) };
        if !hints.iter().any(asks) {
            return Ok(expanded);
        }
        let schema = self.schema_of(database)?;
        let rows = view.rows.and_then(|rows| schema.table(rows)).cloned();
        let Some(rows) = rows.filter(|rows| kept_index(rows).is_some()) else {
            return refuse_no_expand(hints, name).map(|()| expanded);
        };
        self.options.check_for_derived_indexes(self.verb)?;
        // What masks leave of a column is known of the tables' columns.
        if usage == Usage::Target || self.hides_columns(database, node) {
            return Ok(expanded);
        }
        self.view_index(database, &rows, hints)
    }

    /// A scan of the rows of an indexed view.
    fn view_index(
        &mut self,
        database: DbId,
        rows: &Arc<TableDef>,
        hints: &[TableHint],
    ) -> BindResult<Rows> {
        let schema = self.schema_of(database)?;
        let options = self.read_options(hints, Some(rows))?;
        self.note_table(database, rows, &options);
        self.note_object(database, &schema, rows.id());
        let hint = self.access_hint(hints, rows, Some(database))?;
        let mut columns = Vec::with_capacity(rows.columns.len());
        for def in &rows.columns {
            let ty = self.type_here(database, def.ty);
            let id = self.free_column();
            columns.push(OutCol::plain(id, Some(def.name.clone()), ty, def.nullable));
        }
        let node = Node::Scan(Box::new(tree::Scan {
            source: tree::Source::Table { database, table: rows.clone() },
            columns: columns.iter().map(|column| column.id).enumerate().collect(),
            access: tree::Access::Full,
            residual: None,
            row: None,
            options,
            hint,
        }));
        Ok(Rows::Derived(Some(node), columns))
    }

    /// Names the rows of a target: a statement that changes what a view shows has to find the rows
    /// behind it.
    fn name_rows(&mut self, usage: Usage, rows: &mut Rows) {
        if let (Usage::Target, Rows::Scan(scan)) = (usage, rows) {
            scan.row = Some(self.free_column());
        }
    }

    /// What a name means.
    pub(super) fn meaning(&mut self, name: &ObjectName) -> BindResult<Option<Meaning>> {
        let bare = &name.name.name;
        if name.is_bare() {
            if let Some(place) = self.find_cte(bare) {
                return Ok(Some(Meaning::Cte(place)));
            }
            if self.env.depth == 0
                && let Some(trigger) = self.names.trigger()
                && let Some(inserted) = transition(bare)
            {
                return Ok(Some(Meaning::Transition(inserted, trigger.table)));
            }
        }
        if bare.starts_with('#') {
            return self.temporary(name);
        }
        let place = name.schema.as_ref().map(|s| &*s.name);
        let servers_own = place.is_some_and(|s| {
            s.eq_ignore_ascii_case("sys") || s.eq_ignore_ascii_case("INFORMATION_SCHEMA")
        });
        if servers_own && let Some(found) = self.system_meaning(name) {
            return Ok(Some(found));
        }
        if let Some((database, schema, id)) = self.find_object(name)? {
            return Ok(match schema.object(id) {
                Some(Object::Table(table)) => Some(Meaning::Table(database, table.clone())),
                Some(Object::Module(module)) if matches!(module.kind, ModuleKind::View { .. }) => {
                    Some(Meaning::View(database, module.clone()))
                }
                Some(object) if is_function(object) => {
                    let error =
                        SqlError::new(&message::FUNCTION_WITHOUT_PARAMETERS, &[&name.to_string()]);
                    return Err(error.at_line(name.span.line).into());
                }
                _ => None,
            });
        }
        Ok(self.system_meaning(name))
    }

    fn system_meaning(&self, name: &ObjectName) -> Option<Meaning> {
        let place = name.schema.as_ref().map(|s| &*s.name);
        let database = self.database_of(name)?;
        match self.names.system_object(place, &name.name.name)? {
            SystemObject::Function(_) => None,
            found => Some(Meaning::System(database, found)),
        }
    }

    /// A temporary table, with or without `tempdb..` before it.
    fn temporary(&mut self, name: &ObjectName) -> BindResult<Option<Meaning>> {
        let bare = &name.name.name;
        if self.env.depth > 0 {
            let error = SqlError::new(&message::TEMPORARY_TABLE_IN_VIEW, &[]);
            return Err(error.at_line(name.span.line).into());
        }
        let Some(table) = self.names.temporary_table(bare) else { return Ok(None) };
        self.dependencies.temporary.push((bare.clone(), table.clone()));
        Ok(Some(Meaning::Table(DbId::TEMPDB, table)))
    }

    /// Error 208 for a name that means nothing that has rows.
    fn no_such_table(&self, name: &ObjectName) -> super::context::BindError {
        invalid_object(name)
    }

    pub(super) fn table_rows(
        &mut self,
        database: DbId,
        table: Arc<TableDef>,
        hints: &[TableHint],
    ) -> BindResult<Rows> {
        if table.role == TableRole::Internal {
            return self.internal_rows(database, table, hints);
        }
        let options = self.read_options(hints, Some(&table))?;
        self.note_table(database, &table, &options);
        if !table.is_temporary() {
            self.note_access(database, table.id(), Permission::Select);
        }
        let hint = self.access_hint(hints, &table, Some(database))?;
        let source = tree::Source::Table { database, table: table.clone() };
        let mut rows = self.scan(source, Vec::new(), options);
        self.hide_rows(database, &table, &mut rows)?;
        Ok(hinted(rows, hint))
    }

    /// The rows of a table that the server keeps for itself, which statements always read from
    /// versions: a commit that has the turn does not wait for them.
    fn internal_rows(
        &mut self,
        database: DbId,
        table: Arc<TableDef>,
        hints: &[TableHint],
    ) -> BindResult<Rows> {
        self.note_table(database, &table, &ReadOptions::default());
        let hint = self.access_hint(hints, &table, Some(database))?;
        let isolation = Some(Isolation::Snapshot);
        let options = ReadOptions { isolation, ..ReadOptions::default() };
        let rows = self.scan(tree::Source::Table { database, table }, Vec::new(), options);
        Ok(hinted(rows, hint))
    }

    fn system_rows(
        &mut self,
        database: DbId,
        object: SystemObject,
        name: &ObjectName,
    ) -> BindResult<Rows> {
        self.facts.reads_system_rowsets = true;
        if !self.facts.databases.contains(&database) {
            self.facts.databases.push(database);
        }
        if let Some(mentions) = &mut self.mentions {
            mentions.reads_data = true;
        }
        match object {
            SystemObject::Rowset(rowset) => {
                // Names are compared as the database that is described compares them.
                let collation = self.schema_of(database)?.collation();
                let own = |ty: SqlType| match ty.kind.is_character() {
                    true => ty.with_collation(collation),
                    false => ty,
                };
                let listed = rowset.columns.iter();
                let listed = listed.map(|c| RowsetColumn { ty: own(c.ty), ..*c }).collect();
                let source = tree::Source::System(database, rowset);
                Ok(self.scan(source, listed, ReadOptions::default()))
            }
            SystemObject::View(view) => self.system_view_rows(database, view),
            SystemObject::Function(_) => Err(invalid_object(name)),
        }
    }

    /// A scan of which no column is used yet.
    pub fn scan(
        &mut self,
        source: tree::Source,
        listed: Vec<RowsetColumn>,
        options: ReadOptions,
    ) -> Rows {
        if let tree::Source::Table { database, table } = &source {
            self.note_marks(*database, table);
            if !table.indexed_views.is_empty() {
                self.view_tables.push((*database, table.clone()));
            }
        }
        let mut scan = ScanSource {
            number: self.next_scan(),
            source,
            listed,
            ids: Vec::new(),
            row: None,
            row_number: None,
            sample: None,
            filter: None,
            options,
            hint: AccessHint::default(),
            computed: Vec::new(),
        };
        let columns = scan.table().map_or(scan.listed.len(), |table| table.columns.len());
        scan.ids = vec![None; columns];
        Rows::Scan(Box::new(scan))
    }

    /// `FROM @t AS a`. Error 1087.
    pub fn table_variable(
        &mut self,
        variable: &ast::Variable,
        alias: Option<&ast::Ident>,
        hints: &[TableHint],
        usage: Usage,
    ) -> BindResult<Source> {
        let name = &variable.name;
        let found = match self.env.variables {
            Variables::Module => self.names.variable(name),
            _ => None,
        };
        let Some(Variable::Table { id, table, .. }) = found else {
            let error = SqlError::new(&message::UNDECLARED_TABLE_VARIABLE, &[name]);
            return Err(error.at_line(variable.span.line).into());
        };
        let options = self.read_options(hints, Some(&table))?;
        let hint = self.access_hint(hints, &table, None)?;
        let mut rows = self.scan(tree::Source::TableVar(id, table), Vec::new(), options);
        self.name_rows(usage, &mut rows);
        let rows = hinted(rows, hint);
        let name = alias.map_or(name, |alias| &alias.name).clone();
        Ok(Source {
            exposed: Exposed { name, table: None },
            rows,
            optional: false,
            view: None,
            written: None,
        })
    }
}

/// Functions.
impl Binder<'_> {
    /// A call in a `FROM`. Errors 208, 215, 313, 321, 8144 and those of its arguments.
    pub fn table_function(
        &mut self,
        function: &ast::TableFunction,
        line: u32,
    ) -> BindResult<Source> {
        let name = &function.name;
        if !function.schema.is_empty() {
            return self.open_json(function, line);
        }
        let is_system = |s: &ast::Ident| s.name.is_empty() || s.name.eq_ignore_ascii_case("sys");
        if name.database.is_none() && name.schema.as_ref().is_none_or(is_system) {
            let bare = &name.name.name;
            if let Some(rowset) = self.names.functions().rowset(bare) {
                return self.library_rowset(rowset, function, line);
            }
            let place = name.schema.as_ref().map(|s| &*s.name).filter(|s| !s.is_empty());
            if let Some(SystemObject::Function(rowset)) = self.names.system_object(place, bare) {
                return self.library_rowset(rowset, function, line);
            }
        }
        if let Some(source) = self.table_method_of_column(function, line)? {
            return Ok(source);
        }
        if let Some(found) = self.find_object(name)? {
            let (database, schema, id) = found;
            if let Some(Object::Module(module)) = schema.object(id)
                && is_function(Object::Module(module))
            {
                let module = module.clone();
                return self.user_table_function(database, &schema, &module, function, line);
            }
        }
        self.table_with_old_hints(function, line)
    }

    /// `FROM t (NOLOCK)`: what stands in parentheses are hints. Errors 215, 321.
    fn table_with_old_hints(
        &mut self,
        function: &ast::TableFunction,
        line: u32,
    ) -> BindResult<Source> {
        let Some(meaning) = self.meaning(&function.name)? else {
            return Err(invalid_object(&function.name));
        };
        let mut hints = Vec::with_capacity(function.arguments.len());
        for argument in &function.arguments {
            let word = match argument {
                Argument::Expr(ast::Expr {
                    kind: ast::ExprKind::Column(ast::ColumnRef { qualifier: None, column }),
                    ..
                }) => &column.name,
                _ => {
                    let shown = function.name.to_string();
                    let error = SqlError::new(&message::PARAMETERS_FOR_NON_FUNCTION, &[&shown]);
                    return Err(error.at_line(line).into());
                }
            };
            let Some(kind) = old_hint(word) else {
                let error = SqlError::new(&message::UNKNOWN_TABLE_HINT, &[word]);
                return Err(error.at_line(line).into());
            };
            hints.push(TableHint { span: function.name.span, kind });
        }
        hints.extend(function.hints.iter().cloned());
        let alias = function.alias.as_ref().map(|a| &a.name);
        self.source_of(meaning, &function.name, None, alias, &hints, Usage::Statement)
    }

    fn library_rowset(
        &mut self,
        rowset: &'static RowsetFunction,
        function: &ast::TableFunction,
        line: u32,
    ) -> BindResult<Source> {
        let args = self.rowset_arguments(function)?;
        let rows = self.rowset_rows(rowset, args, line)?;
        self.function_source(rows, function)
    }

    /// What a function of the library is called with.
    pub fn rowset_arguments(&mut self, function: &ast::TableFunction) -> BindResult<Vec<Scalar>> {
        let argument = |argument: &Argument| match argument {
            Argument::Expr(expr) => self.scalar(expr),
            // The server's own functions have NULL for a default.
            Argument::Default(_) => Ok(Scalar::null()),
        };
        function.arguments.iter().map(argument).collect()
    }

    /// The rows that a function of the library makes of arguments.
    pub fn rowset_rows(
        &mut self,
        rowset: &'static RowsetFunction,
        args: Vec<Scalar>,
        line: u32,
    ) -> BindResult<Rows> {
        let mut label = super::scalar::Label::NONE;
        for arg in &args {
            label = label.combine(arg.label, rowset.name)?;
        }
        let collation = label.resolve(rowset.name).at(line)?.unwrap_or(self.collation());
        let infos: Vec<ArgType<'_>> = args.iter().map(Scalar::argument).collect();
        let types = rowset.bind(&infos, Typing { collation }).at(line)?;
        let mut exprs = Vec::with_capacity(args.len());
        for (arg, ty) in args.into_iter().zip(&types.args) {
            exprs.push(self.coerce_argument(arg, *ty).at(line)?);
        }
        let mut listed = (rowset.columns)(&types.args);
        listed.truncate(types.visible);
        Ok(self.scan(tree::Source::Function(rowset, exprs), listed, ReadOptions::default()))
    }

    /// A file: a row with one value, or the rows that a format file describes.
    pub fn file_source(&mut self, file: &ast::TableFile, line: u32) -> BindResult<Source> {
        let content = match &file.reading {
            ast::FileReading::Whole(ast::FileContent::Bytes) => FileContent::Bytes,
            ast::FileReading::Whole(ast::FileContent::Narrow) => FileContent::Narrow,
            ast::FileReading::Whole(ast::FileContent::Wide) => FileContent::Wide,
            ast::FileReading::Rows(options) => {
                let found = self.names.file_rows(file, options).at(line)?;
                // The format file may be another one the next time.
                self.facts.recompile = true;
                let source = tree::Source::Stream(found.source, found.table);
                let rows = self.scan(source, Vec::new(), ReadOptions::default());
                return self.aliased_rows(rows, &file.alias);
            }
        };
        let rowset = self.names.functions().open_file(content);
        let mut units = Vec::new();
        string_to_unicode(&file.path, &mut units);
        let ty = SqlType::nvarchar(4000, self.collation());
        let path = Scalar::constant(ty, Value::Unicode(units.into()));
        let rows = self.rowset_rows(rowset, vec![path], line)?;
        self.aliased_rows(rows, &file.alias)
    }

    /// A user's function that returns a table.
    fn user_table_function(
        &mut self,
        database: DbId,
        schema: &Arc<Schema>,
        module: &Arc<ModuleDef>,
        function: &ast::TableFunction,
        line: u32,
    ) -> BindResult<Source> {
        self.note_access(database, module.id(), Permission::Select);
        self.check_home_of(database, module).at(line)?;
        let rows = match &module.kind {
            ModuleKind::InlineFunction { .. } => {
                let args =
                    self.inline_arguments(module, &function.arguments, &function.name, line)?;
                let inherited = self.inherited(&function.hints, &function.name)?;
                self.inline_rows(database, module, args, inherited, &function.name).at(line)?
            }
            ModuleKind::TableFunction { result, .. } => {
                if database != self.env.database {
                    return Err(unimplemented("a table-valued function of another database", line));
                }
                let args =
                    self.user_arguments(module, &function.arguments, &function.name, line)?;
                self.facts.calls_functions = true;
                let source = tree::Source::UserFunction(module.id(), args, result.clone());
                self.scan(source, Vec::new(), ReadOptions::default())
            }
            _ => return Err(invalid_object(&function.name)),
        };
        debug_assert_eq!(schema.database(), database, "the module is of this schema");
        self.function_source(rows, function)
    }

    /// A function's rows under its alias, or its own name.
    pub fn function_source(
        &mut self,
        rows: Rows,
        function: &ast::TableFunction,
    ) -> BindResult<Source> {
        self.aliased_source(rows, &function.name.name.name, function.alias.as_ref())
    }

    /// Rows under an alias, or else a name.
    pub fn aliased_source(
        &mut self,
        rows: Rows,
        name: &Arc<str>,
        alias: Option<&ast::TableAlias>,
    ) -> BindResult<Source> {
        let Some(alias) = alias else {
            let name = name.clone();
            return Ok(Source {
                exposed: Exposed { name, table: None },
                rows,
                optional: false,
                view: None,
                written: None,
            });
        };
        self.aliased_rows(rows, alias)
    }

    /// A function's rows under an alias.
    pub(super) fn aliased_rows(
        &mut self,
        rows: Rows,
        alias: &ast::TableAlias,
    ) -> BindResult<Source> {
        let exposed = Exposed { name: alias.name.name.clone(), table: None };
        if alias.columns.is_empty() {
            return Ok(Source { exposed, rows, optional: false, view: None, written: None });
        }
        let (node, columns) = self.derived_rows(rows)?;
        let columns = self.named_columns(columns, alias, alias.name.span.line)?;
        Ok(Source {
            exposed,
            rows: Rows::Derived(Some(node), columns),
            optional: false,
            view: None,
            written: None,
        })
    }

    /// All columns of a source as columns that can be renamed.
    pub fn derived_rows(&mut self, rows: Rows) -> BindResult<(Node, Vec<OutCol>)> {
        match rows {
            Rows::Derived(node, columns) => Ok((node.expect("it has not been taken yet"), columns)),
            Rows::Scan(mut scan) => {
                let mut columns = Vec::with_capacity(scan.columns());
                for ordinal in 0..scan.columns() {
                    let id = self.free_column();
                    scan.ids[ordinal] = Some(id);
                    let view = scan.column(ordinal);
                    let name = Some(view.name.into());
                    columns.push(OutCol::plain(id, name, view.ty, view.nullable));
                }
                Ok((super::from::source_node(&mut Rows::Scan(scan)), columns))
            }
        }
    }
}

/// Rows that are found as hints demand.
fn hinted(mut rows: Rows, hint: AccessHint) -> Rows {
    if let Rows::Scan(scan) = &mut rows {
        scan.hint = hint;
    }
    rows
}

/// Which of a trigger's two tables a name means.
fn transition(name: &str) -> Option<bool> {
    match () {
        () if name.eq_ignore_ascii_case("inserted") => Some(true),
        () if name.eq_ignore_ascii_case("deleted") => Some(false),
        () => None,
    }
}

/// Error 8171: `NOEXPAND` of what has no clustered index of a view.
fn refuse_no_expand(hints: &[TableHint], name: &ObjectName) -> BindResult<()> {
    let asks = |hint: &&TableHint| matches!(hint.kind, TableHintKind::NoExpand);
    match hints.iter().find(asks) {
        Some(hint) => {
            let args: [&dyn std::fmt::Display; 2] = [&"noexpand", name];
            let error = SqlError::new(&message::INVALID_VIEW_HINT, &args);
            Err(error.at_line(hint.span.line).into())
        }
        None => Ok(()),
    }
}
