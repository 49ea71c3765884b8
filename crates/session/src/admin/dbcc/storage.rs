//! `DBCC DBREINDEX` and `DBCC CHECKFILEGROUP`.

use std::collections::HashSet;
use std::sync::Arc;

use base::ids::DbId;
use base::text::identifier::bracketed;
use base::{SqlError, message};
use engine::catalog::def::{DataSpaceId, FileGroupDef, FileGroupKind, TableDef};
use tsql::ast::{self, Literal};

use super::check::Errors;
use super::{Shown, informs, word};
use crate::context::Context;
use crate::fault::Run;

impl Context<'_> {
    /// `DBREINDEX (table [, index [, fill factor]])`: what `ALTER INDEX … REBUILD` does. Errors
    /// 2501, 2560, 7999, and those of the rebuilding.
    pub(super) fn rebuild_indexes(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        if dbcc.arguments.len() > 3 {
            return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&4]).into());
        }
        let (database, table) = self.dbcc_table(dbcc.arguments.first())?;
        let schema = self.schema(database)?;
        let index = dbcc.arguments.get(1).map(word).filter(|name| !name.is_empty());
        let exists = |name: &String| table.indexes.iter().any(|i| schema.same_name(&i.name, name));
        if let Some(missing) = index.as_ref().filter(|name| !exists(name)) {
            let args: [Shown; 2] = [missing, &table.header.name];
            return Err(SqlError::new(&message::INDEX_DOES_NOT_EXIST_ON, &args).into());
        }
        let index = index.map_or("ALL".to_owned(), |name| bracketed(&name));
        let fill_factor = dbcc.arguments.get(2).map(word).filter(|factor| factor != "0");
        let with = match fill_factor {
            Some(factor) if factor.parse::<u8>().is_ok_and(|percent| percent <= 100) => {
                format!(" WITH (FILLFACTOR = {factor})")
            }
            Some(_) => return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&3]).into()),
            None => String::new(),
        };
        let place = schema.schemas().get(table.header.schema).map(|place| place.name.clone());
        let table = [
            bracketed(&self.session.instance.database_name(database)),
            bracketed(place.as_deref().unwrap_or_default()),
            bracketed(&table.header.name),
        ];
        let text = format!("ALTER INDEX {index} ON {} REBUILD{with}", table.join("."));
        let batch = tsql::parse_batch(&text, tsql::ParseOptions { quoted_identifier: true })?;
        for statement in &batch.statements {
            crate::ddl::execute(self, statement, &text)?;
        }
        Ok(())
    }

    /// The filegroup that an argument names, or whose number it is: the first for 0 or none.
    /// Error 2560.
    fn dbcc_file_group(&self, argument: Option<&ast::Expr>) -> Run<Arc<FileGroupDef>> {
        let schema = self.schema(self.database())?;
        let mut groups = schema.file_groups().iter();
        let found = match argument.map(|argument| (&argument.kind, word(argument))) {
            None | Some((ast::ExprKind::Literal(Literal::Integer(0)), _)) => {
                groups.find(|group| group.id == DataSpaceId::PRIMARY)
            }
            Some((ast::ExprKind::Literal(Literal::Integer(id)), _)) => {
                groups.find(|group| group.id.0 == *id)
            }
            Some((_, name)) => groups.find(|group| schema.same_name(&group.name, &name)),
        };
        let unknown = || SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&1]);
        Ok(found.cloned().ok_or_else(unknown)?)
    }

    /// `CHECKFILEGROUP`: the tables of a filegroup, and the data file if they are in it. Errors
    /// 2560, 2571.
    pub(super) fn check_file_group(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let database = self.database();
        self.demand_owner(database, "CHECKFILEGROUP")?;
        let group = self.dbcc_file_group(dbcc.arguments.first())?;
        let in_memory = group.kind == FileGroupKind::MemoryOptimized;
        let is_first = group.id == DataSpaceId::PRIMARY;
        let name = self.session.instance.database_name(database);
        if informs(dbcc) {
            self.tell(SqlError::new(&message::DBCC_RESULTS_FOR, &[&name]))?;
        }
        let mut errors = Errors::default();
        let mut known = HashSet::new();
        let is_here = |table: &TableDef| match table.kind.is_memory_optimized() {
            true => in_memory,
            false => table.data_space == group.id,
        };
        errors.consistency += self.check_tables(dbcc, database, &is_here, &mut known)?;
        if is_first && database != DbId::TEMPDB {
            let of_file = self.check_file(database, &known)?;
            errors.allocation += of_file.allocation;
            errors.consistency += of_file.consistency;
        }
        let Errors { allocation, consistency } = errors;
        if informs(dbcc) || allocation + consistency > 0 {
            let args: [Shown; 4] = [&"CHECKFILEGROUP", &allocation, &consistency, &name];
            self.tell(SqlError::new(&message::DBCC_DATABASE_RESULT, &args))?;
        }
        Ok(())
    }
}
