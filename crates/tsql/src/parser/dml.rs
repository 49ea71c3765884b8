//! `INSERT`, `UPDATE`, `DELETE`, `TRUNCATE TABLE`.

use base::SqlResult;

use super::Parser;
use crate::ast::{
    AssignOp, ColumnRef, Delete, Expr, ExprKind, Insert, InsertSource, MethodCall, Output,
    OutputInto, PartitionRange, RowFilter, RowValue, SetClause, SetClauseKind, StatementKind,
    Target, TargetKind, Top, TruncateTable, Update, With,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

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
        let (name, arguments) = (written.column, self.method_arguments()?);
        let call = Box::new(MethodCall { operand, name, arguments, is_mutator: true });
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
