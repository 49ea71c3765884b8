//! Control flow and messages.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    AtomicBlock, AtomicOption, AtomicOptionKind, Expr, If, IfBranch, RaiseError, StatementKind,
    Throw, TryCatch, WaitFor, While,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `BEGIN`: a block, or a transaction.
    pub(super) fn begin_statement(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword {
            K::Tran | K::Transaction | K::Distributed => self.begin_transaction(),
            K::Try => self.try_catch(),
            K::Atomic if self.peek_at(2).keyword == K::With => self.atomic_block(),
            _ => self.block(),
        }
    }

    fn block(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Begin)?;
        let statements = self.nested_statements()?;
        // A block of nothing is not a block.
        if statements.is_empty() {
            return Err(self.unexpected());
        }
        self.expect(K::End)?;
        Ok(StatementKind::Block(statements))
    }

    fn try_catch(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Begin, K::Try])?;
        let body = self.nested_statements()?;
        let end = self.expect(K::End)?;
        self.expect(K::Try)?;
        self.eat_token(TokenKind::Semicolon);
        self.expect_words(&[K::Begin, K::Catch])?;
        let catch = self.span_from(end);
        let handler = self.nested_statements()?;
        self.expect_words(&[K::End, K::Catch])?;
        Ok(StatementKind::TryCatch(Box::new(TryCatch { body, handler, catch })))
    }

    fn atomic_block(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Begin, K::Atomic, K::With])?;
        let options = self.parenthesized(Parser::atomic_option)?;
        let statements = self.nested_statements()?;
        self.expect(K::End)?;
        Ok(StatementKind::AtomicBlock(Box::new(AtomicBlock { options, statements })))
    }

    fn atomic_option(&mut self) -> SqlResult<AtomicOption> {
        let start = self.peek();
        let kind = match start.keyword {
            K::Transaction => {
                self.expect_words(&[K::Transaction, K::Isolation, K::Level])?;
                self.expect_token(TokenKind::Equal)?;
                AtomicOptionKind::Isolation(self.isolation_level()?)
            }
            K::Language => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                AtomicOptionKind::Language(self.ident_or_string()?.name.as_ref().into())
            }
            K::Dateformat => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                AtomicOptionKind::DateFormat(self.ident_or_string()?.name.as_ref().into())
            }
            K::DelayedDurability => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                AtomicOptionKind::DelayedDurability(self.on_off()?)
            }
            _ if self.at_text("DATEFIRST") => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                AtomicOptionKind::DateFirst(self.signed_number()?)
            }
            _ => return Err(self.unexpected()),
        };
        Ok(AtomicOption { span: self.span_from(start), kind })
    }

    pub(super) fn if_statement(&mut self) -> SqlResult<StatementKind> {
        let mut branches = Vec::with_capacity(1);
        let mut otherwise = None;
        loop {
            let start = self.expect(K::If)?;
            let condition = self.condition()?;
            let span = self.span_from(start);
            let body = self.nested_statement()?;
            branches.push(IfBranch { span, condition, body });
            // `;` may end the branch before `ELSE`, once.
            if self.at_token(TokenKind::Semicolon) && self.peek_at(1).keyword == K::Else {
                self.take();
            }
            if !self.eat(K::Else) {
                break;
            }
            if !self.at(K::If) {
                otherwise = Some(self.nested_statement()?);
                break;
            }
        }
        Ok(StatementKind::If(Box::new(If { branches, otherwise })))
    }

    pub(super) fn while_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::While)?;
        let condition = self.condition()?;
        let body = self.nested_statement()?;
        Ok(StatementKind::While(Box::new(While { condition, body })))
    }

    pub(super) fn break_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Break)?;
        Ok(StatementKind::Break)
    }

    pub(super) fn continue_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Continue)?;
        Ok(StatementKind::Continue)
    }

    pub(super) fn return_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Return)?;
        let value = match self.at_scalar_start() {
            true => Some(Box::new(self.scalar()?)),
            false => None,
        };
        Ok(StatementKind::Return(value))
    }

    pub(super) fn goto_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Goto)?;
        Ok(StatementKind::Goto(self.ident()?))
    }

    pub(super) fn throw_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Throw)?;
        if !matches!(self.peek().kind, TokenKind::Integer | TokenKind::Variable) {
            return Ok(StatementKind::Throw(None));
        }
        let number = self.constant_or_variable()?;
        self.expect_token(TokenKind::Comma)?;
        let message = self.constant_or_variable()?;
        self.expect_token(TokenKind::Comma)?;
        let state = self.constant_or_variable()?;
        Ok(StatementKind::Throw(Some(Box::new(Throw { number, message, state }))))
    }

    /// `RAISERROR (…) WITH …`, and the old `RAISERROR number message`, which is refused.
    pub(super) fn raiserror_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::RaisError)?;
        let mut items = self.parenthesized(Parser::constant_or_variable)?.into_iter();
        let (Some(message), Some(severity), Some(state)) =
            (items.next(), items.next(), items.next())
        else {
            return Err(self.unexpected_last());
        };
        let mut statement = RaiseError {
            message,
            severity,
            state,
            arguments: items.collect(),
            log: false,
            no_wait: false,
            set_error: false,
        };
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::Word {
            self.take();
            self.list(|p| {
                match p.expect_word(&[("LOG", 0), ("NOWAIT", 1), ("SETERROR", 2)])? {
                    0 => statement.log = true,
                    1 => statement.no_wait = true,
                    _ => statement.set_error = true,
                }
                Ok(())
            })?;
        }
        Ok(StatementKind::RaiseError(Box::new(statement)))
    }

    pub(super) fn print_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Print)?;
        Ok(StatementKind::Print(Box::new(self.scalar()?)))
    }

    pub(super) fn waitfor_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::WaitFor)?;
        let until = self.expect_word(&[("DELAY", false), ("TIME", true)])?;
        let time = self.constant_or_variable()?;
        Ok(StatementKind::WaitFor(Box::new(WaitFor { until, time })))
    }

    /// A constant, with or without a sign, or a variable.
    pub(super) fn constant_or_variable(&mut self) -> SqlResult<Expr> {
        match self.peek().kind {
            TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Integer
            | TokenKind::Numeric
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary
            | TokenKind::String
            | TokenKind::National
            | TokenKind::Variable => self.primary_scalar(),
            _ if self.at(K::Null) => self.primary_scalar(),
            _ => Err(self.unexpected()),
        }
    }

    /// Error 111 for a statement that only a batch's first may be, or 156 inside another one.
    pub(super) fn must_be_first(&mut self, what: &str) -> SqlResult<()> {
        if self.nested || self.in_module {
            return Err(self.unexpected());
        }
        match self.at_batch_start {
            true => Ok(()),
            false => Err(SqlError::new(&message::MUST_BE_FIRST_IN_BATCH, &[&what])
                .at_line(self.peek().span.line)),
        }
    }
}
