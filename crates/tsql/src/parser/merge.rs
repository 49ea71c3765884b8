//! `MERGE`.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{Merge, MergeAction, MergeClause, MergeWhen, StatementKind, With};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    pub(super) fn merge_statement(&mut self) -> SqlResult<StatementKind> {
        self.merge_after(None)
    }

    pub(super) fn merge_after(&mut self, with: Option<With>) -> SqlResult<StatementKind> {
        self.expect(K::Merge)?;
        let top = match self.at(K::Top) {
            true => Some(self.top(false)?),
            false => None,
        };
        self.eat(K::Into);
        let target = self.target()?;
        let alias = match self.eat(K::As) || (self.at_alias() && !self.at(K::Using)) {
            true => Some(self.ident()?),
            false => None,
        };
        self.expect(K::Using)?;
        let source = self.table_source()?;
        self.expect(K::On)?;
        let on = self.condition()?;
        let mut clauses = vec![self.merge_clause()?];
        while self.at(K::When) {
            clauses.push(self.merge_clause()?);
        }
        let output = self.output()?;
        let options = self.query_options()?;
        let merge = Merge { with, top, target, alias, source, on, clauses, output, options };
        Ok(StatementKind::Merge(Box::new(merge)))
    }

    fn merge_clause(&mut self) -> SqlResult<MergeClause> {
        let start = self.expect(K::When)?;
        let matched = !self.eat(K::Not);
        self.expect(K::Matched)?;
        let mut when = if matched { MergeWhen::Matched } else { MergeWhen::NotMatchedByTarget };
        if !matched && self.eat(K::By) {
            when = self.expect_word(&[
                ("TARGET", MergeWhen::NotMatchedByTarget),
                ("SOURCE", MergeWhen::NotMatchedBySource),
            ])?;
        }
        let condition = match self.eat(K::And) {
            true => Some(self.condition()?),
            false => None,
        };
        self.expect(K::Then)?;
        let action = self.merge_action(when)?;
        Ok(MergeClause { span: self.span_from(start), when, condition, action })
    }

    /// What follows `THEN`. Errors 10710 and 10711 for an action that the clause cannot have.
    fn merge_action(&mut self, when: MergeWhen) -> SqlResult<MergeAction> {
        let line = self.peek().span.line;
        let inserts = when == MergeWhen::NotMatchedByTarget;
        let word = self.peek().keyword;
        match word {
            K::Update | K::Delete if inserts => {
                let action = if word == K::Update { "UPDATE" } else { "DELETE" };
                let message = &message::MERGE_ACTION_NOT_ALLOWED_NOT_MATCHED;
                Err(SqlError::new(message, &[&action]).at_line(line))
            }
            K::Insert if !inserts => {
                let clause = match when {
                    MergeWhen::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
                    _ => "WHEN MATCHED",
                };
                Err(SqlError::new(&message::MERGE_INSERT_NOT_ALLOWED, &[&clause]).at_line(line))
            }
            K::Update => {
                self.take();
                self.expect(K::Set)?;
                Ok(MergeAction::Update(self.list(Parser::set_clause)?))
            }
            K::Delete => {
                self.take();
                Ok(MergeAction::Delete)
            }
            K::Insert => self.merge_insert(),
            _ => Err(self.unexpected()),
        }
    }

    fn merge_insert(&mut self) -> SqlResult<MergeAction> {
        self.expect(K::Insert)?;
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => Some(self.parenthesized(Parser::column_ref)?),
            false => None,
        };
        if self.eat(K::Default) {
            self.expect(K::Values)?;
            return Ok(MergeAction::Insert { columns, values: None });
        }
        self.expect(K::Values)?;
        let values = Some(self.parenthesized(Parser::row_value)?);
        Ok(MergeAction::Insert { columns, values })
    }
}
