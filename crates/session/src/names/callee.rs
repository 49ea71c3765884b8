//! What the names of procedures mean.

use std::borrow::Cow;
use std::sync::Arc;

use base::convert::display;
use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::Object;
use engine::catalog::def::{ModuleDef, ModuleKind, SchemaId};
use run::interp::Frame;
use tsql::ast::{self, ProcedureName};

use crate::context::Context;
use crate::fault::Run;
use crate::program::{KnownCallee, Place, Program, Step};
use crate::sysproc::{self, SystemProcedure};

/// What a name of a procedure means.
#[derive(Clone)]
pub(crate) enum Callee {
    /// A user's module in a database.
    Module(DbId, Arc<ModuleDef>),
    /// A procedure of the server's.
    System(&'static SystemProcedure),
    /// One of those that deal with texts and handles.
    Text(crate::sysproc::TextProcedure),
    /// One of those that prepare XML documents.
    Xml(crate::sysproc::XmlProcedure),
    /// One of those that deal with cursors.
    Cursor(crate::sysproc::CursorProcedure),
}

impl Context<'_> {
    /// What an `EXEC` executes, and its name.
    pub(crate) fn callee<'n>(
        &mut self,
        program: &Program,
        step: &Step,
        name: &'n ProcedureName,
        frame: &mut Frame,
    ) -> Run<(Cow<'n, ast::ObjectName>, Callee)> {
        let variable = match name {
            ProcedureName::Name(name, number) => {
                return Ok((Cow::Borrowed(name), self.known_callee(step, name, *number)?));
            }
            ProcedureName::Variable(variable) => variable,
        };
        let (id, ty) = program.variables.find_scalar(&variable.name, step.declared)?;
        let value = frame.get(id);
        let text = if value.is_null() { String::new() } else { display(value, &ty) };
        let (name, number) = parse_numbered(&text)?;
        let callee = self.find_numbered(&name, number)?;
        Ok((Cow::Owned(name), callee))
    }

    /// What a written name means: mostly what it meant when the step ran last.
    fn known_callee(
        &self,
        step: &Step,
        name: &ast::ObjectName,
        number: Option<i32>,
    ) -> Run<Callee> {
        let Some(place) = self.place_of_names(name)? else {
            return self.find_numbered(name, number);
        };
        if let Some(known) = step.callee().filter(|known| known.place == place) {
            return Ok(Callee::Module(place.database, known.module.clone()));
        }
        let callee = self.find_numbered(name, number)?;
        if let Callee::Module(database, module) = &callee
            && *database == place.database
        {
            step.keep_callee(Arc::new(KnownCallee { place, module: module.clone() }));
        }
        Ok(callee)
    }

    /// What the meaning of a name depends on, unless that is another database or what only this
    /// session's transaction knows of.
    fn place_of_names(&self, name: &ast::ObjectName) -> Run<Option<Place>> {
        let is_temporary = name.name.name.starts_with('#');
        let is_elsewhere = name.server.is_some() || name.database.is_some() || is_temporary;
        if is_elsewhere || self.session.transaction.has_edits() {
            return Ok(None);
        }
        let database = self.database();
        let version = self.schema(database)?.version();
        Ok(Some(Place { database, version, default: self.default_schema(database) }))
    }

    /// What a procedure's name and number mean. Error 2812.
    pub(crate) fn find_numbered(&self, name: &ast::ObjectName, number: Option<i32>) -> Run<Callee> {
        let callee = self.find_procedure(name)?;
        let Some(number) = number.filter(|number| *number != 1) else { return Ok(callee) };
        let found = match callee {
            Callee::Module(database, module) => {
                module.of_number(number).map(|module| Callee::Module(database, module))
            }
            _ => None,
        };
        let message = &message::PROCEDURE_NOT_FOUND;
        Ok(found.ok_or_else(|| SqlError::new(message, &[&name.to_string()]))?)
    }

    /// What a procedure's name means. Error 2812.
    pub(crate) fn find_procedure(&self, name: &ast::ObjectName) -> Run<Callee> {
        let bare = &*name.name.name;
        let of_system = name.schema.as_ref().is_none_or(|s| {
            s.name.eq_ignore_ascii_case("sys") || s.name.eq_ignore_ascii_case("dbo")
        });
        if of_system {
            if let Some(text) = crate::sysproc::TextProcedure::find(bare) {
                return Ok(Callee::Text(text));
            }
            if let Some(xml) = crate::sysproc::XmlProcedure::find(bare) {
                return Ok(Callee::Xml(xml));
            }
            if let Some(cursor) = crate::sysproc::CursorProcedure::find(bare) {
                return Ok(Callee::Cursor(cursor));
            }
            if let Some(found) = sysproc::find(bare).filter(|p| {
                !p.internal
                    || self.session.level().module.as_ref().is_some_and(|m| m.header.ms_shipped)
            }) {
                return Ok(Callee::System(found));
            }
        }
        let found = match bare.starts_with('#') {
            true => self.find_temporary_procedure(bare)?,
            false => self.find_module(name)?,
        };
        match found {
            Some((database, module)) => Ok(Callee::Module(database, module)),
            None => {
                let message = &message::PROCEDURE_NOT_FOUND;
                Err(SqlError::new(message, &[&name.to_string()]).into())
            }
        }
    }

    /// Calls a procedure that every database has, in the one that its name has. The client does not
    /// hear of that, but of the caller's database again if the procedure has told it of others.
    /// Errors 911, 916.
    pub(crate) fn in_database_of<T>(
        &mut self,
        name: &ast::ObjectName,
        call: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        let Some(written) = &name.database else { return call(self) };
        let Some(def) = self.session.instance.find_database(&written.name) else {
            return Err(SqlError::new(&message::DATABASE_NOT_FOUND, &[&written.name]).into());
        };
        if def.id == self.session.database {
            return call(self);
        }
        self.session.user(def.id)?;
        self.session.visit_database(def.id)?;
        let told = std::mem::replace(&mut self.session.database_told, false);
        let result = call(self);
        let from = self.session.database;
        let mut back = self.session.end_visit();
        if std::mem::replace(&mut self.session.database_told, told) {
            back = back.and_then(|()| self.tell_database(from, None));
        }
        match (result, back) {
            (Ok(_), Err(error)) => Err(error.into()),
            (result, _) => result,
        }
    }

    /// A temporary procedure by its name.
    fn find_temporary_procedure(&self, name: &str) -> Run<Option<(DbId, Arc<ModuleDef>)>> {
        let tempdb = self.schema(DbId::TEMPDB)?;
        let found = self.session.find_temporary_procedure(&tempdb, name);
        let module = found.and_then(|id| tempdb.module(id).cloned());
        Ok(module.map(|module| (DbId::TEMPDB, module)))
    }

    /// A procedure or scalar function of a user's by its name, synonyms followed.
    fn find_module(&self, name: &ast::ObjectName) -> Run<Option<(DbId, Arc<ModuleDef>)>> {
        let Some((database, id)) = self.find_object(name)? else { return Ok(None) };
        let schema = self.schema(database)?;
        let runs = |m: &&Arc<ModuleDef>| {
            matches!(m.kind, ModuleKind::Procedure { .. } | ModuleKind::ScalarFunction { .. })
        };
        if let Some(module) = schema.module(id).filter(runs) {
            return Ok(Some((database, module.clone())));
        }
        let found =
            schema.object(id).map(|o| o.kind().description().replace('_', " ").to_lowercase());
        let found = found.unwrap_or_default();
        let args: [&dyn std::fmt::Display; 4] =
            [&"procedure", &name.to_string(), &name.name.name, &found];
        Err(SqlError::new(&message::WRONG_KIND_OF_OBJECT, &args).into())
    }

    /// An object of a user's by its name, synonyms followed. Error 911.
    pub(crate) fn find_object(
        &self,
        name: &ast::ObjectName,
    ) -> base::SqlResult<Option<(DbId, base::ids::ObjectId)>> {
        if let Some(server) = &name.server {
            return Err(SqlError::new(&message::LINKED_SERVER_NOT_FOUND, &[&server.name]));
        }
        let mut name = name.clone();
        // A synonym of a synonym is none.
        for _ in 0..2 {
            let database = match &name.database {
                None => self.database(),
                Some(written) => match self.session.instance.find_database(&written.name) {
                    Some(def) => def.id,
                    None => {
                        let message = &message::DATABASE_NOT_FOUND;
                        return Err(SqlError::new(message, &[&written.name]));
                    }
                },
            };
            let schema = self.schema(database)?;
            let default = self.default_schema(database);
            let found = match &name.schema {
                Some(place) => schema
                    .find_schema(&place.name)
                    .and_then(|place| schema.find_object(place.id, &name.name.name)),
                None => schema.resolve_object(default, &name.name.name),
            };
            let Some(object) = found else { return Ok(None) };
            match schema.synonym(object.id()) {
                Some(synonym) => name = parse_name(&synonym.base)?,
                None => return Ok(Some((database, object.id()))),
            }
        }
        Ok(None)
    }

    /// A table by its name, temporary ones included.
    pub(crate) fn find_table(
        &self,
        name: &ast::ObjectName,
    ) -> base::SqlResult<Option<(DbId, Arc<engine::catalog::def::TableDef>)>> {
        if name.name.name.starts_with('#') {
            let tempdb = self.schema(DbId::TEMPDB)?;
            let found = self.session.find_temporary_table(&tempdb, &name.name.name);
            let table = found.and_then(|id| tempdb.table(id).cloned());
            return Ok(table.map(|table| (DbId::TEMPDB, table)));
        }
        let Some((database, id)) = self.find_object(name)? else { return Ok(None) };
        let schema = self.schema(database)?;
        Ok(match schema.object(id) {
            Some(Object::Constraint { .. }) | None => None,
            Some(_) => schema.table(id).map(|table| (database, table.clone())),
        })
    }

    /// The schema in which unqualified names are looked up first in a database.
    pub(crate) fn default_schema(&self, database: DbId) -> SchemaId {
        let level = self.session.level();
        match level.schema {
            Some(schema) if level.database == database => schema,
            _ => self.session.user(database).map_or(SchemaId::DBO, |user| user.default_schema),
        }
    }
}

/// A name of up to four parts from a text. Error 2812 for what is none.
pub(crate) fn parse_name(text: &str) -> base::SqlResult<ast::ObjectName> {
    if let Some(name) = plain_name(text) {
        return Ok(name);
    }
    let missing = || SqlError::new(&message::PROCEDURE_NOT_FOUND, &[&text]);
    let options = tsql::ParseOptions { quoted_identifier: true };
    tsql::parse_object_name(text.trim(), options).map_err(|_| missing())
}

/// As [`parse_name`], of a procedure: `name; 2` has a number.
pub(crate) fn parse_numbered(text: &str) -> base::SqlResult<(ast::ObjectName, Option<i32>)> {
    let numbered = text.rsplit_once(';').and_then(|(name, number)| {
        let number = number.trim();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        Some((name, number.parse::<i32>().ok().filter(|_| is_number)?))
    });
    match numbered {
        Some((name, number)) => Ok((parse_name(name.trim_end())?, Some(number))),
        None => Ok((parse_name(text)?, None)),
    }
}

/// A name of one or two parts without quotes or anything else that the parser has to look at.
fn plain_name(text: &str) -> Option<ast::ObjectName> {
    let part = |from: usize, to: usize| {
        let name = &text[from..to];
        let mut bytes = name.bytes();
        let is_plain = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !tsql::is_reserved(name);
        let (start, end) = (from as u32, to as u32);
        let span = ast::Span { start, end, line: 1, column: start + 1 };
        is_plain.then(|| ast::Ident { name: name.into(), quoted: false, span })
    };
    let Some(dot) = text.find('.') else {
        return Some(ast::ObjectName::bare(part(0, text.len())?));
    };
    let (schema, name) = (part(0, dot)?, part(dot + 1, text.len())?);
    let span = ast::Span { end: name.span.end, ..schema.span };
    Some(ast::ObjectName { server: None, database: None, schema: Some(schema), name, span })
}
