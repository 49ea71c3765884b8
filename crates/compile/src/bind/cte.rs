//! Common table expressions.
//!
//! Such an expression is bound anew wherever it is used. It sees those before it, and nothing of
//! the query that uses it. One that refers to itself becomes a [`Node::Recursive`]: the members of
//! its union that do not refer to it are the anchor, the others the step.

use std::cell::Cell;
use std::rc::Rc;

use base::{SqlError, message};
use tsql::ast::{self, QueryBody, SetOperator, TableSourceKind};

use super::access_hint::Inherited;
use super::binder::{Binder, Env};
use super::context::{AtLine, BindError, BindResult};
use super::scalar::Origin;
use super::scope::{OutCol, Rows};
use super::select::{Output, Usage};
use crate::plan::expr::ColId;
use crate::plan::tree::{Node, WorktableId};

/// A common table expression in scope.
#[derive(Debug)]
pub(super) struct Cte {
    alias: ast::TableAlias,
    meaning: Meaning,
    /// Whether it has been referred to.
    used: Cell<bool>,
}

/// What its name means.
#[derive(Debug)]
enum Meaning {
    /// Its query.
    Query(ast::Query),
    /// Inside its own query: what has been found so far.
    Itself(Recursion),
}

/// What a reference inside a common table expression to itself means.
#[derive(Debug)]
struct Recursion {
    worktable: WorktableId,
    columns: Vec<OutCol>,
    /// The place of the block whose `FROM` may refer to it; nothing where none may.
    block: Option<usize>,
    /// How often the current member has referred to it.
    uses: Cell<u32>,
}

impl Binder<'_> {
    /// Runs a function with the tables and namespaces of a `WITH` in scope. Errors 239, 6869 to
    /// 6874, 22108.
    pub fn with_tables<T>(
        &mut self,
        with: Option<&ast::With>,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let Some(with) = with else { return f(self) };
        if with.context.is_some() && self.change_context.is_none() {
            let error = SqlError::new(&message::CHANGE_CONTEXT_OF_SELECT, &[]);
            return Err(error.at_line(with.span.line).into());
        }
        super::xml::check_namespaces(&with.namespaces).at(with.span.line)?;
        let before = self.env.ctes.len();
        for (at, table) in with.tables.iter().enumerate() {
            let name = &table.name;
            if with.tables[..at].iter().any(|t| self.same_name(&t.name.name, &name.name)) {
                let error = SqlError::new(&message::DUPLICATE_CTE, &[&name.name]);
                return Err(error.at_line(name.span.line).into());
            }
        }
        for table in &with.tables {
            let alias =
                ast::TableAlias { name: table.name.clone(), columns: table.columns.clone() };
            let meaning = Meaning::Query(table.query.clone());
            self.env.ctes.push(Rc::new(Cte { alias, meaning, used: Cell::new(false) }));
        }
        let outer = std::mem::replace(&mut self.env.namespaces, with.namespaces.as_slice().into());
        let result = f(self).and_then(|bound| self.unused_tables(before).map(|()| bound));
        self.env.namespaces = outer;
        self.env.ctes.truncate(before);
        result
    }

    /// Common table expressions have their errors, used or not. The later ones may use others.
    fn unused_tables(&mut self, first: usize) -> BindResult<()> {
        for place in (first..self.env.ctes.len()).rev() {
            let cte = self.env.ctes[place].clone();
            if !cte.used.get() {
                let (inherited, line) = (self.env.inherited, cte.alias.name.span.line);
                self.part(|b| b.cte_rows(place, inherited, Usage::Derived, line))?;
            }
        }
        Ok(())
    }

    /// The place of a common table expression in scope.
    pub fn find_cte(&self, name: &str) -> Option<usize> {
        self.env.ctes.iter().rposition(|cte| self.same_name(&cte.alias.name.name, name))
    }

    /// The rows of a common table expression. Errors of its query, 253, 465 and others of
    /// recursion.
    pub fn cte_rows(
        &mut self,
        place: usize,
        inherited: Inherited,
        usage: Usage,
        line: u32,
    ) -> BindResult<Rows> {
        let cte = self.env.ctes[place].clone();
        cte.used.set(true);
        let query = match &cte.meaning {
            Meaning::Query(query) => query,
            Meaning::Itself(recursion) => return self.rows_of_round(&cte, recursion, line),
        };
        let name = cte.alias.name.name.clone();
        let mut env = self.env.clone();
        env.ctes.truncate(place);
        env.base = self.blocks.len();
        env.inherited = inherited;
        let output = match self.refers_to(&query.body, &name) {
            true => self.recursive(&cte, query, env)?,
            false => {
                env.ctes.push(Rc::new(cte.in_itself(Vec::new(), WorktableId(0), None)));
                let usage = if usage == Usage::Target { usage } else { Usage::Derived };
                self.in_env(env, |b| b.query(query, usage))?
            }
        };
        let columns = self.named_columns(output.columns, &cte.alias, query.span.line)?;
        Ok(Rows::Derived(Some(output.node), columns))
    }

    /// What the round before has found. Errors 253, 465.
    fn rows_of_round(&mut self, cte: &Cte, recursion: &Recursion, line: u32) -> BindResult<Rows> {
        if recursion.block != Some(self.blocks.len() - 1) {
            return Err(SqlError::new(&message::CTE_RECURSIVE_SUBQUERY, &[]).at_line(line).into());
        }
        recursion.uses.set(recursion.uses.get() + 1);
        if recursion.uses.get() > 1 {
            return Err(cte.fail(&message::CTE_MULTIPLE_RECURSION, line));
        }
        let columns: Vec<OutCol> = (recursion.columns.iter())
            .map(|column| OutCol { id: self.free_column(), ..column.clone() })
            .collect();
        let ids = columns.iter().map(|c| c.id).collect();
        let node = Node::Worktable { worktable: recursion.worktable, columns: ids };
        Ok(Rows::Derived(Some(node), columns))
    }

    /// One that refers to itself. Errors 205, 240, 246, 247, 252.
    fn recursive(&mut self, cte: &Cte, query: &ast::Query, env: Env) -> BindResult<Output> {
        let line = query.span.line;
        let QueryBody::Set(chain) = &query.body else {
            return Err(cte.fail(&message::CTE_WITHOUT_UNION_ALL, line));
        };
        if let Some(first) = query.order_by.first() {
            let error = SqlError::new(&message::ORDER_BY_WITHOUT_TOP, &[]);
            return Err(error.at_line(first.expr.span.line).into());
        }
        let name = &cte.alias.name.name;
        if self.refers_to(&chain.first, name) {
            return Err(cte.fail(&message::CTE_WITHOUT_ANCHOR, line));
        }
        let anchors = chain.rest.iter().take_while(|(_, body)| !self.refers_to(body, name)).count();
        let (anchors, steps) = chain.rest.split_at(anchors);
        if steps.iter().any(|(operator, _)| *operator != SetOperator::UnionAll) {
            return Err(cte.fail(&message::CTE_WITHOUT_UNION_ALL, line));
        }
        if steps.iter().any(|(_, body)| !self.refers_to(body, name)) {
            return Err(cte.fail(&message::CTE_ANCHOR_IN_RECURSIVE_PART, line));
        }

        let mut anchor = self.in_env(env.clone(), |b| {
            let first = b.body(&chain.first, Usage::Derived)?;
            b.set_chain(first, anchors, Usage::Derived)
        })?;
        anchor.columns = self.named_columns(anchor.columns, &cte.alias, line)?;
        let columns: Vec<OutCol> = (anchor.columns.iter())
            .map(|c| OutCol {
                id: self.free_column(),
                nullable: true,
                origin: Origin::Plain,
                base: None,
                views: Vec::new(),
                hidden: false,
                ..c.clone()
            })
            .collect();
        let anchor_ids = anchor.columns.iter().map(|c| c.id).collect();
        let worktable = self.ids.worktable();
        let mut members = Vec::with_capacity(steps.len());
        for (_, body) in steps {
            members.push(self.member(cte, body, &env, &columns, worktable).at(line)?);
        }
        let ids: Vec<ColId> = columns.iter().map(|c| c.id).collect();
        let node = Node::Recursive {
            worktable,
            anchor: Box::new((anchor.node, anchor_ids)),
            step: Box::new(self.union_of_members(members)),
            columns: ids,
            max_rounds: self.max_recursion,
        };
        Ok(Output::of(node, columns))
    }

    /// A member of the recursive part. Errors 205, 240.
    fn member(
        &mut self,
        cte: &Cte,
        body: &QueryBody,
        env: &Env,
        columns: &[OutCol],
        worktable: WorktableId,
    ) -> BindResult<(Node, Vec<ColId>)> {
        let mut env = env.clone();
        // The member's own block comes on top of what is there.
        let block = Some(self.blocks.len());
        env.ctes.push(Rc::new(cte.in_itself(columns.to_vec(), worktable, block)));
        let member = self.in_env(env, |b| b.body(body, Usage::Recursive))?;
        if member.columns.len() != columns.len() {
            return Err(SqlError::new(&message::SET_OPERATOR_WIDTHS_DIFFER, &[]).into());
        }
        for (own, column) in member.columns.iter().zip(columns) {
            let same = own.ty.with_collation(column.ty.collation) == column.ty;
            if !same && own.origin != Origin::Null {
                let name = column.name.as_deref().unwrap_or_default();
                let of = &cte.alias.name.name;
                return Err(SqlError::new(&message::CTE_TYPES_DIFFER, &[&name, of]).into());
            }
        }
        self.converted_to(member, columns)
    }

    fn union_of_members(&mut self, mut members: Vec<(Node, Vec<ColId>)>) -> (Node, Vec<ColId>) {
        if members.len() == 1 {
            return members.remove(0);
        }
        let width = members.first().map_or(0, |m| m.1.len());
        let columns: Vec<ColId> = (0..width).map(|_| self.free_column()).collect();
        (Node::Union { inputs: members, columns: columns.clone() }, columns)
    }

    /// Errors 460, 461 and 467: what the recursive part must not do.
    pub fn check_recursive_part(
        &self,
        select: &ast::Select,
        limited: bool,
        is_grouped: bool,
    ) -> BindResult<()> {
        let message = match () {
            () if select.distinct => &message::CTE_RECURSIVE_DISTINCT,
            () if limited => &message::CTE_RECURSIVE_TOP,
            () if is_grouped => &message::CTE_RECURSIVE_AGGREGATE,
            () => return Ok(()),
        };
        Err(self.recursive_error(message, select.span.line))
    }

    /// An error about the recursive part that is being bound.
    pub fn recursive_error(&self, message: &'static message::Message, line: u32) -> BindError {
        let bound = self.env.ctes.iter().rev().find(|cte| cte.is_being_bound());
        let name = bound.map_or("", |cte| &cte.alias.name.name);
        SqlError::new(message, &[&name]).at_line(line).into()
    }

    /// Whether the `FROM` of a query mentions a name.
    fn refers_to(&self, body: &QueryBody, name: &str) -> bool {
        match body {
            QueryBody::Select(select) => select.from.iter().any(|s| self.source_refers_to(s, name)),
            QueryBody::Nested(query) => self.refers_to(&query.body, name),
            QueryBody::Set(chain) => {
                self.refers_to(&chain.first, name)
                    || chain.rest.iter().any(|(_, body)| self.refers_to(body, name))
            }
        }
    }

    fn source_refers_to(&self, source: &ast::TableSource, name: &str) -> bool {
        match &source.kind {
            TableSourceKind::Table(table) => {
                table.name.is_bare() && self.same_name(&table.name.name.name, name)
            }
            TableSourceKind::Derived { query, .. } => self.refers_to(&query.body, name),
            TableSourceKind::Join(join) => {
                self.source_refers_to(&join.left, name) || self.source_refers_to(&join.right, name)
            }
            TableSourceKind::Pivot(pivot) => self.source_refers_to(&pivot.source, name),
            TableSourceKind::Unpivot(unpivot) => self.source_refers_to(&unpivot.source, name),
            TableSourceKind::Function(_)
            | TableSourceKind::Method(_)
            | TableSourceKind::File(_)
            | TableSourceKind::Changes(_)
            | TableSourceKind::OpenXml(_)
            | TableSourceKind::Variable { .. }
            | TableSourceKind::Values { .. } => false,
        }
    }
}

impl Cte {
    /// As its own query sees it.
    fn in_itself(&self, columns: Vec<OutCol>, worktable: WorktableId, block: Option<usize>) -> Cte {
        let recursion = Recursion { worktable, columns, block, uses: Cell::new(0) };
        let alias = self.alias.clone();
        Cte { alias, meaning: Meaning::Itself(recursion), used: Cell::new(true) }
    }

    fn is_being_bound(&self) -> bool {
        matches!(self.meaning, Meaning::Itself(_))
    }

    fn fail(&self, message: &'static message::Message, line: u32) -> BindError {
        SqlError::new(message, &[&self.alias.name.name]).at_line(line).into()
    }
}
