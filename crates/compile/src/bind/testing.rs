//! What tests of the binder bind against: a database that is made by `CREATE` statements (read as
//! far as tests need), with rows in it, and a way to see results and errors as text.

use std::collections::HashMap;
use std::sync::Arc;

use base::ids::{DbId, ObjectId, StorageId};
use base::types::declare::Subject;
use base::value::DateTime;
use base::{Collation, SqlResult, SqlType, Value};
use engine::catalog::def::*;
use engine::catalog::{Definition, ObjectDef, Schema};
use ir::operator::{TableVarId, VarId};
use run::interp::testing::{DB, TestDatabase};
use run::interp::{Frame, Outcome};
use tsql::ast::{self, ColumnKind, ConstraintKind, Module, StatementKind, TableElement};

use super::binder::Binder;
use super::*;
use crate::plan::statistics::NoStatistics;
use crate::plan::testing::RunsPlans;
use crate::plan::tree::Plan;

/// Another database, with the same schemas.
pub const OTHER: DbId = DbId(6);

/// A database to bind against.
pub struct Db {
    definitions: HashMap<DbId, Vec<Definition>>,
    pub names: TestNames,
    pub options: BindOptions,
    pub data: TestDatabase,
    next_id: i32,
}

/// What names mean in tests.
#[derive(Default)]
pub struct TestNames {
    pub schemas: HashMap<DbId, Arc<Schema>>,
    pub variables: HashMap<String, Variable>,
    pub temporary: HashMap<String, Arc<TableDef>>,
    pub trigger: Option<TriggerScope>,
    pub identity_insert: Option<ObjectId>,
    pub cursor: Option<CursorRow>,
    pub system: HashMap<String, SystemObject>,
}

impl Names for TestNames {
    fn functions(&self) -> &'static dyn ir::function::Functions {
        &run::func::Library
    }

    fn database(&self) -> DbId {
        DB
    }

    fn find_database(&self, name: &str) -> Option<DbId> {
        match name {
            "db" => Some(DB),
            "other" => Some(OTHER),
            _ => None,
        }
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        if database == OTHER { "other".into() } else { "db".into() }
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.schemas.get(&database).cloned()
    }

    fn default_schema(&self, _: DbId) -> SchemaId {
        SchemaId::DBO
    }

    fn temporary_table(&self, name: &str) -> Option<Arc<TableDef>> {
        self.temporary.get(name).cloned()
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        self.system.get(&format!("{}.{name}", schema.unwrap_or_default())).copied()
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.variables.get(&name.to_ascii_lowercase()).cloned()
    }

    fn trigger(&self) -> Option<TriggerScope> {
        self.trigger.clone()
    }

    fn identity_insert(&self, _: DbId, table: ObjectId) -> bool {
        self.identity_insert == Some(table)
    }

    fn is_contained(&self, _: DbId) -> bool {
        false
    }

    fn is_chained(&self, _: (DbId, ObjectId), _: (DbId, ObjectId)) -> bool {
        true
    }

    fn may_unmask(&self, _: DbId, _: ObjectId, _: ColumnId) -> bool {
        true
    }

    fn cursor_rows(&self, _: &ast::CursorRef) -> SqlResult<Vec<CursorRow>> {
        Ok(self.cursor.iter().cloned().collect())
    }
}

impl Db {
    /// An empty database.
    pub fn new() -> Db {
        let mut db = Db {
            definitions: HashMap::new(),
            names: TestNames::default(),
            options: BindOptions::default(),
            data: TestDatabase::new(),
            next_id: 100,
        };
        for (database, schemas) in [(DB, &["dbo", "s"][..]), (OTHER, &["dbo", "s"])] {
            let schema = |(at, name): (usize, &&str)| {
                let id = if at == 0 { SchemaId::DBO } else { SchemaId(4 + at as i32) };
                let owner = PrincipalId::DBO;
                Definition::Schema(Arc::new(SchemaDef { id, name: (*name).into(), owner }))
            };
            db.definitions.insert(database, schemas.iter().enumerate().map(schema).collect());
            db.refresh(database);
        }
        db
    }

    /// A database made by these statements.
    pub fn with(texts: &[&str]) -> Db {
        let mut db = Db::new();
        texts.iter().for_each(|text| db.create(text));
        db
    }

    fn refresh(&mut self, database: DbId) {
        let definitions = self.definitions[&database].clone();
        let collation = Collation::DEFAULT;
        let schema = Schema::from_definitions(database, collation, definitions).unwrap();
        self.names.schemas.insert(database, Arc::new(schema));
    }

    pub fn context(&self) -> BindContext<'_> {
        BindContext { names: &self.names, options: self.options, statistics: &NoStatistics }
    }

    /// Declares a scalar variable; the place in the frame is the order of declarations.
    pub fn declare(&mut self, name: &str, ty: SqlType) -> VarId {
        let id = VarId(self.names.variables.len() as u32);
        let variable = Variable::Scalar { id, ty, nullable: true };
        self.names.variables.insert(name.to_owned(), variable);
        id
    }

    /// Declares a table variable after a table that exists.
    pub fn declare_table(&mut self, name: &str, like: &str) -> TableVarId {
        let id = TableVarId(self.names.variables.len() as u32);
        let table = self.table(like);
        let variable = Variable::Table { id, table, read_only: false };
        self.names.variables.insert(name.to_owned(), variable);
        id
    }

    /// A table of the current database, in `dbo`.
    pub fn table(&self, name: &str) -> Arc<TableDef> {
        let schema = &self.names.schemas[&DB];
        let id = schema.find_object(SchemaId::DBO, name).unwrap().id();
        schema.table(id).unwrap().clone()
    }

    /// Puts a changed table in place of the old one.
    pub fn replace(&mut self, table: TableDef) {
        self.define(DB, ObjectDef::Table(Arc::new(table)));
    }

    fn define(&mut self, database: DbId, object: ObjectDef) {
        let definitions = self.definitions.get_mut(&database).unwrap();
        let id = object.header().id;
        definitions.retain(|d| !matches!(d, Definition::Object(o) if o.header().id == id));
        definitions.push(Definition::Object(object));
        self.refresh(database);
    }

    fn header(&mut self, name: &ast::ObjectName) -> (DbId, ObjectHeader) {
        self.next_id += 1;
        let database = match &name.database {
            Some(database) => self.names.find_database(&database.name).unwrap(),
            None => DB,
        };
        let schema = match &name.schema {
            Some(schema) => self.names.schemas[&database].find_schema(&schema.name).unwrap().id,
            None => SchemaId::DBO,
        };
        let zero = DateTime { days: 0, ticks: 0 };
        let header = ObjectHeader {
            id: ObjectId(self.next_id),
            schema,
            name: name.name.name.clone(),
            owner: None,
            created: zero,
            modified: zero,
            ms_shipped: false,
        };
        (database, header)
    }

    /// Runs a `CREATE` of a table, view, inline function, sequence or synonym.
    pub fn create(&mut self, text: &str) {
        let batch = parse(text);
        match &batch.statements[0].kind {
            StatementKind::CreateTable(create) => self.create_table(create),
            StatementKind::Module(module) => self.create_module(&module.module, text),
            StatementKind::CreateType(create) => self.create_type(create),
            StatementKind::CreateSynonym(create) => {
                let (database, header) = self.header(&create.name);
                let base = create.target.to_string().into();
                self.define(database, ObjectDef::Synonym(Arc::new(SynonymDef { header, base })));
            }
            other => panic!("tests do not create {other:?}"),
        }
    }

    /// A memory-optimized table type.
    fn create_type(&mut self, create: &ast::CreateType) {
        let ast::CreateTypeKind::Table(definition) = &create.kind else {
            panic!("tests do not create alias types");
        };
        let (database, header) = self.header(&create.name);
        let (schema, name, id) = (header.schema, header.name.clone(), header.id);
        let mut table = self.table_of(header, TableKind::MemoryDurable, definition);
        table.role = TableRole::Type;
        self.define(database, ObjectDef::Table(Arc::new(table)));
        let kind = TypeDefKind::Table { table: id };
        let id = UserTypeId(UserTypeId::FIRST_USER.0 + id.0);
        let def = TypeDef { id, schema, name, owner: None, kind };
        self.definitions.get_mut(&database).unwrap().push(Definition::Type(Arc::new(def)));
        self.refresh(database);
    }

    /// Makes a module that nothing but its header and parameters is known of.
    pub fn native_module(&mut self, text: &str) -> (ModuleDef, ast::Batch) {
        let batch = parse(text);
        let Some(module) = super::expand::module_of(&batch) else { panic!("{text}") };
        let (name, parameters, kind) = match module {
            Module::Procedure(p) => {
                (&p.name, &p.parameters, ModuleKind::Procedure { auto_executed: false })
            }
            Module::Function(f) => {
                let ast::FunctionBody::Scalar { ty, .. } = &f.body else { panic!("{text}") };
                let returns =
                    ReturnDef { ty: self.ty(ty), user_type: UserTypeId(56), nullable: true };
                (&f.name, &f.parameters, ModuleKind::ScalarFunction { returns })
            }
            _ => panic!("{text}"),
        };
        let (_, header) = self.header(name);
        let mut def = ModuleDef::new(header, kind, text.into());
        def.native = true;
        for parameter in parameters {
            let schema = &self.names.schemas[&DB];
            let of_type = schema.find_type(SchemaId::DBO, &parameter.ty.name.name.name);
            let user_type = of_type.map_or(UserTypeId(56), |t| t.id);
            let table_valued = of_type.is_some();
            let ty = if table_valued { SqlType::int() } else { self.ty(&parameter.ty) };
            def.parameters.push(ParameterDef {
                name: parameter.name.name.clone(),
                ty,
                user_type,
                table_valued,
                nullable: true,
                output: parameter.output,
                read_only: parameter.read_only,
                cursor: false,
                default: parameter.default.as_ref().map(|_| Value::Null),
            });
        }
        (def, batch)
    }

    /// Puts a module into the catalog.
    pub fn add_module(&mut self, module: ModuleDef) {
        self.define(DB, ObjectDef::Module(Arc::new(module)));
    }

    fn create_table(&mut self, create: &ast::CreateTable) {
        let (database, header) = self.header(&create.name);
        let temporary = header.name.starts_with('#');
        let on_disk = create
            .definition
            .options
            .iter()
            .any(|o| matches!(o.kind, ast::TableOptionKind::MemoryOptimized(false)));
        let kind = if temporary || on_disk { TableKind::Disk } else { TableKind::MemoryDurable };
        let table = self.table_of(header, kind, &create.definition);
        self.data.create(&table);
        match temporary {
            true => {
                let name = table.header.name.to_string();
                self.names.temporary.insert(name, Arc::new(table));
            }
            false => self.define(database, ObjectDef::Table(Arc::new(table))),
        }
    }

    /// A table definition as far as tests need it: columns, identities, defaults, checks, keys.
    fn table_of(
        &mut self,
        header: ObjectHeader,
        kind: TableKind,
        definition: &ast::TableDefinition,
    ) -> TableDef {
        let storage = StorageId(1000 + header.id.0 as u64);
        let mut table = TableDef::new(header, kind, TableRole::Table);
        table.storage = storage;
        for element in &definition.elements {
            match element {
                TableElement::Column(column) => self.add_column(&mut table, column),
                TableElement::Constraint(constraint) => {
                    self.add_constraint(&mut table, None, constraint);
                }
                TableElement::Index(index) => {
                    let kind = if index.hash { IndexKind::Hash } else { IndexKind::NonClustered };
                    let key = key_of(&table, &index.columns);
                    add_index(&mut table, &index.name.name, kind, index.unique, key);
                }
                TableElement::Period { .. } => {}
            }
        }
        if table.indexes.is_empty() {
            // The engine finds a table's rows by an index.
            let first = vec![KeyColumn { column: ColumnId(1), descending: false }];
            add_index(&mut table, "heap", IndexKind::NonClustered, false, first);
        }
        table
    }

    fn add_column(&mut self, table: &mut TableDef, column: &ast::ColumnDefinition) {
        let id = ColumnId(table.columns.len() as i32 + 1);
        let name = column.name.name.clone();
        let context = self.context();
        let mut def = match &column.kind {
            ColumnKind::Stored(ty) => {
                let mut binder = Binder::new(&context).unwrap();
                let declared = binder.data_type(ty, Subject::Column(&name), 1, 1).unwrap();
                let mut ty = declared.ty;
                if let Some(collation) = &column.collation {
                    ty = ty.with_collation(binder.collation_named(collation).unwrap());
                }
                ColumnDef::new(id, name, ty, declared.user_type)
            }
            ColumnKind::Computed { expr, .. } => {
                let mut def = ColumnDef::new(id, name, SqlType::int(), UserTypeId(56));
                def.computed = Some(ComputedDef {
                    definition: tsql::print::expression(expr).into(),
                    persisted: false,
                    stored: false,
                    uses_database_collation: false,
                    columns: Vec::new(),
                    references: Vec::new(),
                });
                def
            }
        };
        def.nullable = column.nullable.unwrap_or(true);
        def.identity = column.identity.as_ref().map(|_| IdentityDef {
            seed: 1,
            increment: 1,
            not_for_replication: false,
        });
        table.columns.push(def);
        table.max_column_id = id;
        for constraint in &column.constraints {
            self.add_constraint(table, Some(id), constraint);
        }
    }

    fn add_constraint(
        &mut self,
        table: &mut TableDef,
        column: Option<ColumnId>,
        constraint: &ast::Constraint,
    ) {
        self.next_id += 1;
        let zero = DateTime { days: 0, ticks: 0 };
        let name = constraint.name.as_ref().map(|n| n.name.clone());
        let header = ConstraintHeader {
            id: ObjectId(self.next_id),
            name: name.unwrap_or_else(|| format!("constraint{}", self.next_id).into()),
            system_named: constraint.name.is_none(),
            created: zero,
            modified: zero,
        };
        match &constraint.kind {
            ConstraintKind::Key(key) => {
                let kind = if key.hash { IndexKind::Hash } else { IndexKind::NonClustered };
                let columns = match column {
                    Some(column) => vec![KeyColumn { column, descending: false }],
                    None => key_of(table, &key.columns),
                };
                for part in columns.iter().filter(|_| key.primary) {
                    table.columns[part.column.0 as usize - 1].nullable = false;
                }
                let name = header.name.clone();
                add_index(table, &name, kind, true, columns);
                let index = table.indexes.last_mut().unwrap();
                index.constraint = Some(KeyConstraintDef { header, primary: key.primary });
            }
            ConstraintKind::Check { condition, .. } => table.checks.push(CheckDef {
                header,
                column,
                definition: tsql::print::condition(condition).into(),
                disabled: false,
                not_for_replication: false,
                not_trusted: false,
                uses_database_collation: false,
                columns: Vec::new(),
                references: Vec::new(),
            }),
            ConstraintKind::Default { value, .. } => {
                let def = &mut table.columns[column.unwrap().0 as usize - 1];
                let definition = tsql::print::expression(value).into();
                def.default = Some(DefaultDef { header, definition, references: Vec::new() });
            }
            ConstraintKind::ForeignKey(_) => {}
        }
    }

    fn create_module(&mut self, module: &Module, text: &str) {
        let (name, kind, parameters) = match module {
            Module::View(view) => {
                let query = &view.query;
                let columns = self.columns_of(query.with.as_ref(), &query.query, &view.columns);
                let kind = ModuleKind::View { columns, with_check_option: view.check_option };
                (&view.name, kind, &[][..])
            }
            Module::Function(function) => {
                let ast::FunctionBody::Inline { with, query } = &function.body else {
                    let ast::FunctionBody::Scalar { ty, .. } = &function.body else {
                        panic!("tests do not create such functions");
                    };
                    let ty = self.ty(ty);
                    let returns = ReturnDef { ty, user_type: UserTypeId(56), nullable: true };
                    let kind = ModuleKind::ScalarFunction { returns };
                    return self.define_module(&function.name, kind, &function.parameters, text);
                };
                let outside = std::mem::take(&mut self.names.variables);
                for parameter in &function.parameters {
                    let ty = self.ty(&parameter.ty);
                    self.declare(&parameter.name.name, ty);
                }
                let columns = self.columns_of(with.as_ref(), query, &[]);
                self.names.variables = outside;
                let kind = ModuleKind::InlineFunction { columns };
                (&function.name, kind, &function.parameters[..])
            }
            _ => panic!("tests do not create such modules"),
        };
        self.define_module(name, kind, parameters, text);
    }

    fn define_module(
        &mut self,
        name: &ast::ObjectName,
        kind: ModuleKind,
        parameters: &[ast::ParameterDeclaration],
        text: &str,
    ) {
        let (database, header) = self.header(name);
        let mut def = ModuleDef::new(header, kind, text.into());
        for parameter in parameters {
            def.parameters.push(ParameterDef {
                name: parameter.name.name.clone(),
                ty: self.ty(&parameter.ty),
                user_type: UserTypeId(56),
                table_valued: false,
                nullable: true,
                output: false,
                read_only: false,
                cursor: false,
                default: None,
            });
        }
        self.define(database, ObjectDef::Module(Arc::new(def)));
    }

    fn ty(&self, ty: &ast::DataType) -> SqlType {
        data_type(&self.context(), ty, Subject::Type, 1).unwrap().ty
    }

    fn columns_of(
        &self,
        with: Option<&ast::With>,
        query: &ast::Query,
        names: &[ast::Ident],
    ) -> Vec<ColumnDef> {
        let columns = query_columns(&self.context(), with, query).unwrap().columns;
        let def = |(at, column): (usize, QueryColumn)| {
            let name = names.get(at).map(|n| n.name.clone()).or(column.name).unwrap();
            ColumnDef::new(ColumnId(at as i32 + 1), name, column.ty, UserTypeId(56))
        };
        columns.into_iter().enumerate().map(def).collect()
    }

    /// Fills a table of `dbo` with the rows of a query.
    pub fn fill(&mut self, table: &str, query: &str) {
        let table = self.names.temporary.get(table).cloned().unwrap_or_else(|| self.table(table));
        let batch = parse(query);
        let StatementKind::Select(select) = &batch.statements[0].kind else { panic!("{query}") };
        let bound = super::select_into(&self.context(), select, DB, &table).unwrap();
        self.data.run(&bound.plan, &mut Frame::default()).unwrap();
    }

    /// Binds the first statement of a text.
    pub fn bind(&self, text: &str) -> BindResult<Bound> {
        let batch = tsql::parse_batch(text, Default::default())?;
        statement(&self.context(), &batch.statements[0])
    }

    /// A statement's error as `number line: text`.
    pub fn error(&self, text: &str) -> String {
        match self.bind(text) {
            Ok(bound) => panic!("no error: {text}\n{:?}", bound.plan),
            Err(BindError { error, .. }) => {
                format!("{} {}: {}", error.number(), error.line(), error.text())
            }
        }
    }

    /// Runs a statement over variables.
    pub fn run_in(&mut self, text: &str, frame: &mut Frame) -> SqlResult<(Vec<String>, Outcome)> {
        let bound = self.bind(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let (collected, outcome) = self.data.run(&bound.plan, frame)?;
        let types: Vec<SqlType> = match &bound.plan {
            Plan::Select(select) => select.output.iter().map(|o| o.shown.ty).collect(),
            Plan::Insert(insert) => shown_types(&insert.effects),
            Plan::Update(update) => shown_types(&update.effects),
            Plan::Delete(delete) => shown_types(&delete.effects),
            Plan::Merge(merge) => shown_types(&merge.effects),
        };
        Ok((collected.rows.iter().map(|row| shown(row, &types)).collect(), outcome))
    }

    /// The rows of a query as text, columns separated by blanks.
    pub fn rows(&mut self, text: &str) -> Vec<String> {
        self.run_in(text, &mut Frame::default()).unwrap_or_else(|e| panic!("{text}: {e:?}")).0
    }

    /// The rows of a query in one line, separated by `|`.
    pub fn line(&mut self, text: &str) -> String {
        self.rows(text).join(" | ")
    }
}

/// The types of what `OUTPUT` shows.
fn shown_types(effects: &crate::plan::tree::RowEffects) -> Vec<SqlType> {
    effects.output.iter().flatten().map(|(_, column)| column.ty).collect()
}

/// Values as a client would show them.
fn shown(row: &[Value], types: &[SqlType]) -> String {
    let arena = base::Arena::new();
    let one = |(at, value): (usize, &Value)| -> String {
        if value.is_null() {
            return "NULL".to_owned();
        }
        let Some(ty) = types.get(at) else { return format!("{value:?}") };
        let to = SqlType::nvarchar_max(Collation::DEFAULT);
        let options = base::ConvertOptions::default();
        match base::convert(value.as_ref(), ty, &to, &options, &arena).map(|v| v.to_owned()) {
            Ok(Value::Unicode(bytes)) => {
                let units = bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]]));
                char::decode_utf16(units).map(|c| c.unwrap_or('?')).collect()
            }
            _ => format!("{value:?}"),
        }
    };
    row.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
}

pub fn parse(text: &str) -> ast::Batch {
    tsql::parse_batch(text, Default::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn key_of(table: &TableDef, columns: &[ast::IndexColumn]) -> Vec<KeyColumn> {
    let part = |c: &ast::IndexColumn| KeyColumn {
        column: table.columns.iter().find(|d| d.name == c.name.name).unwrap().id,
        descending: c.descending,
    };
    columns.iter().map(part).collect()
}

fn add_index(table: &mut TableDef, name: &str, kind: IndexKind, unique: bool, key: Vec<KeyColumn>) {
    let id = table.next_index_id(kind);
    let mut index = IndexDef::new(id, name.into(), kind, unique);
    index.key = key;
    table.indexes.push(index);
}
