//! The variables of a program: what they are called and where they are kept.

use std::collections::HashMap;
use std::sync::Arc;

use base::text::identifier::fold_identifier;
use base::{SqlError, SqlResult, SqlType, message};
use engine::catalog::def::TableDef;
use ir::operator::{TableVarId, VarId};
use run::interp::local::LocalShape;

/// How many variables are compared with a name as it is written, before the name is hashed.
const SCANNED_MAX: usize = 16;

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, `@` included.
    pub name: Arc<str>,
    /// What it is.
    pub kind: VariableKind,
}

/// What a variable is.
#[derive(Clone, Debug)]
pub enum VariableKind {
    /// A scalar.
    Scalar {
        /// Its place in the frame.
        id: VarId,
        /// Its type.
        ty: SqlType,
        /// Whether it may be NULL.
        nullable: bool,
    },
    /// A table variable or table-valued parameter.
    Table {
        /// Its place in the frame.
        id: TableVarId,
        /// Columns, keys and checks.
        table: Arc<TableDef>,
        /// What its rows are kept in.
        shape: Arc<LocalShape>,
        /// Whether it is a parameter.
        read_only: bool,
    },
    /// A cursor variable, by its number.
    Cursor(usize),
}

/// The variables of a program in the order of their declaration, parameters first.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: Vec<Variable>,
    by_name: HashMap<Box<str>, usize>,
    /// The types of the scalar ones, by [`VarId`].
    pub scalars: Vec<SqlType>,
    tables: u32,
    cursors: usize,
    /// How many are parameters.
    pub parameters: usize,
}

impl Variables {
    /// Declares a scalar. Error 134 if the name is taken.
    pub fn scalar(&mut self, name: &Arc<str>, ty: SqlType, nullable: bool) -> SqlResult<VarId> {
        let id = VarId(self.scalars.len() as u32);
        self.add(name, VariableKind::Scalar { id, ty, nullable })?;
        self.scalars.push(ty);
        Ok(id)
    }

    /// A scalar without a name.
    pub fn hidden(&mut self, ty: SqlType) -> VarId {
        self.scalars.push(ty);
        VarId((self.scalars.len() - 1) as u32)
    }

    /// Declares a table, which has the variable's name also where a type describes it. Error 134 if
    /// the name is taken.
    pub fn table(
        &mut self,
        name: &Arc<str>,
        mut table: Arc<TableDef>,
        read_only: bool,
    ) -> SqlResult<TableVarId> {
        if table.header.name != *name {
            Arc::make_mut(&mut table).header.name = name.clone();
        }
        let id = TableVarId(self.tables);
        let shape = LocalShape::of(&table);
        self.add(name, VariableKind::Table { id, table, shape, read_only })?;
        self.tables += 1;
        Ok(id)
    }

    /// Declares a cursor variable. Error 134 if the name is taken.
    pub fn cursor(&mut self, name: &Arc<str>) -> SqlResult<usize> {
        let number = self.cursors;
        self.add(name, VariableKind::Cursor(number))?;
        self.cursors += 1;
        Ok(number)
    }

    fn add(&mut self, name: &Arc<str>, kind: VariableKind) -> SqlResult<()> {
        let key: Box<str> = fold_identifier(name).into();
        if self.by_name.insert(key, self.all.len()).is_some() {
            return Err(SqlError::new(&message::VARIABLE_ALREADY_DECLARED, &[name]));
        }
        self.all.push(Variable { name: name.clone(), kind });
        Ok(())
    }

    /// A variable by name, if it is among the first `declared`.
    pub fn find(&self, name: &str, declared: u32) -> Option<&Variable> {
        // Most are few, and are written as they were declared.
        let as_written = self.all.iter().take(SCANNED_MAX).position(|v| *v.name == *name);
        let place = match as_written {
            Some(place) => place,
            None => *self.by_name.get(&*fold_identifier(name))?,
        };
        (place < declared as usize).then(|| &self.all[place])
    }

    /// A scalar by name. Error 137.
    pub fn find_scalar(&self, name: &str, declared: u32) -> SqlResult<(VarId, SqlType)> {
        match self.find(name, declared).map(|v| &v.kind) {
            Some(VariableKind::Scalar { id, ty, .. }) => Ok((*id, *ty)),
            _ => Err(SqlError::new(&message::UNDECLARED_VARIABLE, &[&name])),
        }
    }

    /// All in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = &Variable> {
        self.all.iter()
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Variable] {
        &self.all[..self.parameters]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many cursor variables there are.
    pub fn cursors(&self) -> usize {
        self.cursors
    }

    /// How many table variables there are.
    pub fn tables(&self) -> u32 {
        self.tables
    }
}

#[cfg(test)]
mod tests;
