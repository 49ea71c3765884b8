//! `sql:column` and `sql:variable`: what a query mentions of the statement around it.

use std::cell::RefCell;

use base::{SqlError, SqlResult, SqlType, message};
use ir::function::method::OuterValue;
use tsql::ast;
use xquery::{Context, External, NodeShape, Origin, Purpose, Query};

use super::super::binder::Binder;
use super::super::context::{BindError, BindResult};
use super::super::scalar::Scalar;

/// A query and the outer values that it wants.
pub(super) struct Found {
    pub query: Query,
    pub names: Vec<OuterValue>,
    pub values: Vec<Scalar>,
}

/// The statement around a query.
struct Around<'b, 'c> {
    binder: RefCell<&'b mut Binder<'c>>,
    found: RefCell<Vec<Value>>,
    /// The binder's own error.
    failure: RefCell<Option<BindError>>,
}

/// A value that was mentioned.
struct Value {
    is_variable: bool,
    name: String,
    scalar: Scalar,
}

impl Binder<'_> {
    /// Compiles a query. Errors of its text, and of what it mentions.
    pub(super) fn compile_query(
        &mut self,
        text: &str,
        purpose: Purpose,
        receiver: &str,
        namespaces: &[(String, String)],
        shape: &NodeShape,
    ) -> BindResult<Found> {
        let namespaces: Vec<(&str, &str)> =
            namespaces.iter().map(|(prefix, uri)| (&**prefix, &**uri)).collect();
        let binder = RefCell::new(self);
        let around = Around { binder, found: RefCell::default(), failure: RefCell::default() };
        let (namespaces, external) = (&namespaces[..], &around);
        let context = Context { receiver, namespaces, external, shape, is_checked: false };
        let compiled = Query::compile(text, purpose, &context);
        let Around { found, failure, .. } = around;
        if let Some(failure) = failure.into_inner() {
            return Err(failure);
        }
        let query = compiled?;
        // The functions number the values by their places in this list.
        let found = found.into_inner();
        let mut names = Vec::with_capacity(found.len());
        let mut values = Vec::with_capacity(found.len());
        for Value { is_variable, name, scalar } in found {
            names.push(OuterValue { is_variable, name, kind: scalar.expr.ty.kind });
            values.push(scalar);
        }
        debug_assert!(query.externals().iter().all(|outer| {
            let name = &names[outer.index];
            name.name == outer.name && name.is_variable == (outer.origin == Origin::Variable)
        }));
        Ok(Found { query, names, values })
    }

    /// The column of this name, which may be in brackets and have several parts.
    fn outer_column(&mut self, name: &str) -> BindResult<Scalar> {
        let unknown = || SqlError::new(&message::INVALID_COLUMN, &[&name]);
        let options = tsql::ParseOptions { quoted_identifier: true };
        let parsed = tsql::parse_expression(name, options).map_err(|_| unknown())?;
        let ast::ExprKind::Column(column) = parsed.kind else { return Err(unknown().into()) };
        let at = self.resolve_column(column.qualifier.as_deref(), &column.column)?;
        self.column_at(at)
    }
}

impl Around<'_, '_> {
    fn known(&self, is_variable: bool, name: &str) -> Option<(usize, SqlType)> {
        let found = self.found.borrow();
        let is_it = |value: &Value| value.is_variable == is_variable && value.name == name;
        let at = found.iter().position(is_it)?;
        Some((at, found[at].scalar.expr.ty))
    }

    fn keep(&self, is_variable: bool, name: &str, scalar: Scalar) -> (usize, SqlType) {
        let mut found = self.found.borrow_mut();
        let ty = scalar.expr.ty;
        found.push(Value { is_variable, name: name.to_owned(), scalar });
        (found.len() - 1, ty)
    }

    fn fail(&self, failure: BindError) -> SqlError {
        let error = failure.error.clone();
        self.failure.borrow_mut().get_or_insert(failure);
        error
    }
}

impl External for Around<'_, '_> {
    fn column(&self, name: &str) -> SqlResult<(usize, SqlType)> {
        if let Some(known) = self.known(false, name) {
            return Ok(known);
        }
        let scalar = self.binder.borrow_mut().outer_column(name);
        scalar.map(|scalar| self.keep(false, name, scalar)).map_err(|error| self.fail(error))
    }

    fn variable(&self, name: &str) -> SqlResult<Option<(usize, SqlType)>> {
        if let Some(known) = self.known(true, name) {
            return Ok(Some(known));
        }
        match self.binder.borrow_mut().variable(&name.into(), 0) {
            Ok(scalar) => Ok(Some(self.keep(true, name, scalar))),
            Err(error) if error.error.number() == message::UNDECLARED_VARIABLE.number => Ok(None),
            Err(error) => Err(self.fail(error)),
        }
    }
}
