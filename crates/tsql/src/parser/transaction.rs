//! Transactions.

use base::SqlResult;

use super::Parser;
use crate::ast::{BeginTransaction, Commit, StatementKind, TransactionName};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    pub(super) fn begin_transaction(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Begin)?;
        let distributed = self.eat(K::Distributed);
        self.transaction_word()?;
        let name = self.transaction_name()?;
        let mut mark = None;
        if self.at(K::With) && self.peek_at(1).keyword == K::Mark {
            self.take();
            self.take();
            mark = Some(match self.at_string() {
                true => Some(self.string()?),
                false => None,
            });
        }
        let begin = BeginTransaction { distributed, name, mark };
        Ok(StatementKind::BeginTransaction(Box::new(begin)))
    }

    /// `TRAN` or `TRANSACTION`.
    fn transaction_word(&mut self) -> SqlResult<()> {
        match self.eat(K::Tran) || self.eat(K::Transaction) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    /// A name or variable, if it is there.
    fn transaction_name(&mut self) -> SqlResult<Option<TransactionName>> {
        if self.at_token(TokenKind::Variable) {
            return Ok(Some(TransactionName::Variable(self.variable()?)));
        }
        match self.at_alias() {
            true => Ok(Some(TransactionName::Name(self.ident()?))),
            false => Ok(None),
        }
    }

    pub(super) fn commit_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Commit)?;
        let mut name = None;
        if !self.eat(K::Work) && (self.eat(K::Tran) || self.eat(K::Transaction)) {
            name = self.transaction_name()?;
        }
        let mut delayed_durability = None;
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            self.take();
            self.expect(K::DelayedDurability)?;
            self.expect_token(TokenKind::Equal)?;
            delayed_durability = Some(self.on_off()?);
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(StatementKind::Commit(Box::new(Commit { name, delayed_durability })))
    }

    pub(super) fn rollback_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Rollback)?;
        let mut name = None;
        if !self.eat(K::Work) && (self.eat(K::Tran) || self.eat(K::Transaction)) {
            name = self.transaction_name()?;
        }
        Ok(StatementKind::Rollback(name))
    }

    pub(super) fn save_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Save)?;
        self.transaction_word()?;
        let name = self.transaction_name()?.ok_or_else(|| self.unexpected())?;
        Ok(StatementKind::SaveTransaction(name))
    }
}
