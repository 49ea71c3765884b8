//! `INSERT`, `UPDATE`, `DELETE`, `TRUNCATE TABLE`.

use base::message::{self, Message};
use base::{SqlError, SqlResult};

use super::Parser;
use crate::ast::{
    AssignOp, ColumnRef, Delete, Expr, ExprKind, Insert, InsertSource, InsertedChanges, MemberUse,
    MethodCall, Output, OutputInto, PartitionRange, RowFilter, RowValue, SetClause, SetClauseKind,
    Span, Statement, StatementKind, Target, TargetKind, Top, TruncateTable, Update, With,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What a statement in a `FROM` costs of the depth.
const CHANGE_COST: u32 = 4;

impl Parser<'_> {
    pub(super) fn insert_statement(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword == K::Bulk {
            true => self.insert_bulk(),
            false => self.insert_after(None),
        }
    }

    pub(super) fn insert_after(&mut self, with: Option<With>) -> SqlResult<StatementKind> {
        self.expect(K::Insert)?;
        let top = self.dml_top()?;
        self.eat(K::Into);
        let target = self.target()?;
        // A parenthesis begins a list of columns, unless a query or `VALUES` stands in it.
        let columns = match self.at_token(TokenKind::LeftParen) && !self.query_ahead() {
            true => Some(self.parenthesized(Parser::column_ref)?),
            false => None,
        };
        let output = self.output()?;
        let source = match self.peek().keyword {
            K::Values => {
                self.take();
                InsertSource::Values(self.list(|p| p.parenthesized(Parser::row_value))?)
            }
            K::Default => {
                self.take();
                self.expect(K::Values)?;
                InsertSource::DefaultValues
            }
            K::Exec | K::Execute => InsertSource::Execute(Box::new(self.inserted_execute()?)),
            K::Select if self.changes_ahead() => {
                InsertSource::Changes(Box::new(self.inserted_changes()?))
            }
            _ => InsertSource::Query(Box::new(self.query()?)),
        };
        let options = self.query_options()?;
        let insert = Insert { with, top, target, columns, output, source, options };
        Ok(StatementKind::Insert(Box::new(insert)))
    }

    /// Whether the parentheses here enclose a query.
    fn query_ahead(&self) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead).kind == TokenKind::LeftParen {
            ahead += 1;
        }
        self.peek_at(ahead).keyword == K::Select
    }

    /// Whether the query here has another statement in its `FROM`.
    fn changes_ahead(&self) -> bool {
        let (mut ahead, mut depth) = (1, 0);
        loop {
            let token = self.peek_at(ahead);
            match (token.kind, token.keyword) {
                (TokenKind::LeftParen, _) => depth += 1,
                (TokenKind::RightParen, _) if depth == 0 => return false,
                (TokenKind::RightParen, _) => depth -= 1,
                (TokenKind::End | TokenKind::Semicolon, _) => return false,
                (_, K::From) if depth == 0 => {
                    return self.peek_at(ahead + 1).kind == TokenKind::LeftParen
                        && changes_rows(self.peek_at(ahead + 2).keyword);
                }
                _ => {}
            }
            ahead += 1;
        }
    }

    /// A query of what another statement changes. Errors 10717, 10718, 10720 to 10722, 10727,
    /// 10728, 10732.
    #[inline(never)]
    fn inserted_changes(&mut self) -> SqlResult<InsertedChanges> {
        let start = self.expect(K::Select)?;
        match self.peek().keyword {
            K::Distinct => return Err(self.refused(&message::NESTED_DML_DISTINCT, &[])),
            K::Top => return Err(self.refused(&message::NESTED_DML_CLAUSE, &[&"TOP"])),
            K::All => drop(self.take()),
            _ => {}
        }
        let items = self.select_items()?;
        self.expect(K::From)?;
        self.expect_token(TokenKind::LeftParen)?;
        self.enter(CHANGE_COST)?;
        let statement = self.nested_change()?;
        self.leave(CHANGE_COST);
        self.expect_token(TokenKind::RightParen)?;
        let alias = self.full_alias()?;
        let joined = match self.peek().keyword {
            K::Pivot | K::Unpivot => Some(&message::NESTED_DML_PIVOT),
            K::Join | K::Inner | K::Left | K::Right | K::Full | K::Cross | K::Outer => {
                Some(&message::NESTED_DML_JOIN)
            }
            _ if self.at_token(TokenKind::Comma) => Some(&message::NESTED_DML_JOIN),
            _ => None,
        };
        if let Some(message) = joined {
            return Err(self.refused(message, &[]));
        }
        let filter = match self.eat(K::Where) {
            true => Some(self.condition()?),
            false => None,
        };
        let clause = match self.peek().keyword {
            K::Group => "GROUP BY",
            K::Having => "HAVING",
            K::Order => "ORDER BY",
            K::For => "FOR",
            K::Union | K::Except | K::Intersect => {
                return Err(self.refused(&message::NESTED_DML_SET_OPERATOR, &[]));
            }
            _ => {
                let span = self.span_from(start);
                return Ok(InsertedChanges { span, items, statement, alias, filter });
            }
        };
        Err(self.refused(&message::NESTED_DML_CLAUSE, &[&clause]))
    }

    /// The statement whose changes another one inserts. Errors 10716, 10718, 10720, 10721, 10731.
    fn nested_change(&mut self) -> SqlResult<Statement> {
        let start = self.peek();
        let kind = match start.keyword {
            K::Insert => self.insert_after(None)?,
            K::Update => self.update_after(None)?,
            K::Delete => self.delete_after(None)?,
            _ => self.merge_after(None)?,
        };
        let is_cursor =
            |filter: &Option<RowFilter>| matches!(filter, Some(RowFilter::CurrentOf(_)));
        let (output, has_hints, at_cursor) = match &kind {
            StatementKind::Insert(insert) => {
                if matches!(insert.source, InsertSource::Changes(_)) {
                    return Err(self.refused_at(start.span, &message::NESTED_DML_NESTED, &[]));
                }
                (&insert.output, !insert.options.is_empty(), false)
            }
            StatementKind::Update(update) => {
                (&update.output, !update.options.is_empty(), is_cursor(&update.filter))
            }
            StatementKind::Delete(delete) => {
                (&delete.output, !delete.options.is_empty(), is_cursor(&delete.filter))
            }
            StatementKind::Merge(merge) => (&merge.output, !merge.options.is_empty(), false),
            _ => return Err(self.unexpected()),
        };
        let message = match output {
            None => &message::NESTED_DML_WITHOUT_OUTPUT,
            Some(output) if output.into.is_some() => &message::NESTED_DML_OUTPUT_INTO,
            _ if has_hints => &message::NESTED_DML_HINTS,
            _ if at_cursor => &message::NESTED_DML_CURRENT_OF,
            _ => return Ok(Statement { span: self.span_from(start), kind }),
        };
        Err(self.refused_at(start.span, message, &[]))
    }

    fn refused(&self, message: &'static Message, args: &[&dyn std::fmt::Display]) -> SqlError {
        self.refused_at(self.peek().span, message, args)
    }

    fn refused_at(
        &self,
        span: Span,
        message: &'static Message,
        args: &[&dyn std::fmt::Display],
    ) -> SqlError {
        SqlError::new(message, args).at_line(span.line)
    }

    fn dml_top(&mut self) -> SqlResult<Option<Top>> {
        match self.at(K::Top) {
            true => Ok(Some(self.top(false)?)),
            false => Ok(None),
        }
    }

    /// What a statement changes, with its hints.
    pub(super) fn target(&mut self) -> SqlResult<Target> {
        let start = self.peek();
        let kind = self.target_kind()?;
        let hints = self.with_table_hints()?;
        Ok(Target { span: self.span_from(start), kind, hints })
    }

    fn target_kind(&mut self) -> SqlResult<TargetKind> {
        match self.at_token(TokenKind::Variable) {
            true => Ok(TargetKind::Variable(self.variable()?)),
            false => Ok(TargetKind::Name(Box::new(self.object_name()?))),
        }
    }

    /// A value for a column, or `DEFAULT`.
    pub(super) fn row_value(&mut self) -> SqlResult<RowValue> {
        match self.at(K::Default) {
            true => Ok(RowValue::Default(self.take().span)),
            false => Ok(RowValue::Expr(self.scalar()?)),
        }
    }

    /// `OUTPUT …`, `OUTPUT … INTO …`, or both in this order.
    pub(super) fn output(&mut self) -> SqlResult<Option<Output>> {
        let start = self.peek();
        if !self.eat(K::Output) {
            return Ok(None);
        }
        let mut items = self.select_items()?;
        let mut into = None;
        if self.eat(K::Into) {
            let target = self.target_kind()?;
            let columns = match self.at_token(TokenKind::LeftParen) && !self.query_ahead() {
                true => self.ident_list()?,
                false => Vec::new(),
            };
            into = Some(Box::new(OutputInto { items, target, columns }));
            items = match self.eat(K::Output) {
                true => self.select_items()?,
                false => Vec::new(),
            };
        }
        Ok(Some(Output { span: self.span_from(start), items, into }))
    }

    /// `UPDATE`, also `UPDATE STATISTICS`.
    pub(super) fn update_statement(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword == K::Statistics {
            true => self.update_statistics(),
            false => self.update_after(None),
        }
    }

    pub(super) fn update_after(&mut self, with: Option<With>) -> SqlResult<StatementKind> {
        self.expect(K::Update)?;
        let top = self.dml_top()?;
        let target = self.target()?;
        self.expect(K::Set)?;
        let set = self.list(Parser::set_clause)?;
        let output = self.output()?;
        let from = self.optional_from()?;
        let filter = self.row_filter()?;
        let options = self.query_options()?;
        let update = Update { with, top, target, set, output, from, filter, options };
        Ok(StatementKind::Update(Box::new(update)))
    }

    /// One assignment of `UPDATE … SET`.
    pub(super) fn set_clause(&mut self) -> SqlResult<SetClause> {
        let start = self.peek();
        let kind = match self.at_token(TokenKind::Variable) {
            true => self.set_variable_clause()?,
            false => {
                let column = self.column_ref()?;
                match self.at_token(TokenKind::LeftParen) {
                    true => self.write_clause(column)?,
                    false => {
                        let op = self.assign_op()?;
                        SetClauseKind::Column { column, op, value: self.row_value()? }
                    }
                }
            }
        };
        Ok(SetClause { span: self.span_from(start), kind })
    }

    /// `@v = value`, `@v = column = value`.
    fn set_variable_clause(&mut self) -> SqlResult<SetClauseKind> {
        let variable = self.variable()?;
        let op = self.assign_op()?;
        if op == AssignOp::Set && self.assigned_column_ahead() {
            let column = self.column_ref()?;
            let op = self.assign_op()?;
            return Ok(SetClauseKind::VariableAndColumn {
                variable,
                column,
                op,
                value: self.scalar()?,
            });
        }
        Ok(SetClauseKind::Variable { variable, op, value: self.scalar()? })
    }

    /// Whether a column and an assignment operator stand here.
    fn assigned_column_ahead(&self) -> bool {
        let mut ahead = 0;
        while super::stream::is_ident(self.peek_at(ahead))
            && self.peek_at(ahead + 1).kind == TokenKind::Dot
        {
            ahead += 2;
        }
        let follows = self.peek_at(ahead + 1).kind;
        super::stream::is_ident(self.peek_at(ahead))
            && matches!(
                follows,
                TokenKind::Equal
                    | TokenKind::PlusEqual
                    | TokenKind::MinusEqual
                    | TokenKind::StarEqual
                    | TokenKind::SlashEqual
                    | TokenKind::PercentEqual
                    | TokenKind::AmpersandEqual
                    | TokenKind::PipeEqual
                    | TokenKind::CaretEqual
            )
    }

    /// `column.modify(…)`: what the method makes of the column is assigned to it. The last part of
    /// the name is the method still.
    fn mutate_column(&mut self, written: ColumnRef) -> SqlResult<SetClauseKind> {
        let column = match written.qualifier {
            Some(qualifier) if qualifier.is_bare() => qualifier.name,
            _ => return Err(self.unexpected()),
        };
        let start = column.span;
        let column = ColumnRef { qualifier: None, column };
        let operand = Expr { span: start, kind: ExprKind::Column(column.clone()) };
        let (name, arguments) = (written.column, Some(self.method_arguments()?));
        let call = Box::new(MethodCall { operand, name, arguments, usage: MemberUse::Mutate });
        let value = Expr { span: self.since(start), kind: ExprKind::Method(call) };
        let (op, value) = (AssignOp::Set, RowValue::Expr(value));
        Ok(SetClauseKind::Column { column, op, value })
    }

    /// `column.WRITE(value, offset, length)`; `written` still has `WRITE` as its last part.
    fn write_clause(&mut self, written: ColumnRef) -> SqlResult<SetClauseKind> {
        let is_write = written.column.name.eq_ignore_ascii_case("WRITE");
        if !is_write {
            return self.mutate_column(written);
        }
        let column = match written.qualifier {
            Some(qualifier) if qualifier.database.is_none() => {
                let table = qualifier.schema.map(crate::ast::ObjectName::bare).map(Box::new);
                ColumnRef { qualifier: table, column: qualifier.name }
            }
            _ => return Err(self.unexpected()),
        };
        self.expect_token(TokenKind::LeftParen)?;
        let value = self.scalar()?;
        self.expect_token(TokenKind::Comma)?;
        let offset = self.scalar()?;
        self.expect_token(TokenKind::Comma)?;
        let length = self.scalar()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(SetClauseKind::Write { column, value, offset, length })
    }

    /// `WHERE condition`, `WHERE CURRENT OF cursor`.
    fn row_filter(&mut self) -> SqlResult<Option<RowFilter>> {
        if !self.eat(K::Where) {
            return Ok(None);
        }
        if self.eat_words(&[K::Current, K::Of]) {
            return Ok(Some(RowFilter::CurrentOf(self.cursor_ref()?)));
        }
        Ok(Some(RowFilter::Condition(self.condition()?)))
    }

    pub(super) fn delete_statement(&mut self) -> SqlResult<StatementKind> {
        self.delete_after(None)
    }

    pub(super) fn delete_after(&mut self, with: Option<With>) -> SqlResult<StatementKind> {
        self.expect(K::Delete)?;
        let top = self.dml_top()?;
        self.eat(K::From);
        let target = self.target()?;
        let output = self.output()?;
        let from = self.optional_from()?;
        let filter = self.row_filter()?;
        let options = self.query_options()?;
        let delete = Delete { with, top, target, output, from, filter, options };
        Ok(StatementKind::Delete(Box::new(delete)))
    }

    pub(super) fn truncate_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Truncate, K::Table])?;
        let table = self.object_name()?;
        let mut partitions = Vec::new();
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            self.take();
            self.expect(K::Partitions)?;
            partitions = self.parenthesized(|p| {
                let first = p.scalar()?;
                let last = match p.eat(K::To) {
                    true => Some(p.scalar()?),
                    false => None,
                };
                Ok(PartitionRange { first, last })
            })?;
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(StatementKind::TruncateTable(Box::new(TruncateTable { table, partitions })))
    }
}

/// Whether a statement that begins so changes rows.
pub(super) fn changes_rows(keyword: K) -> bool {
    matches!(keyword, K::Insert | K::Update | K::Delete | K::Merge)
}
