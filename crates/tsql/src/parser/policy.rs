//! `CREATE` and `ALTER SECURITY POLICY`.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    BlockedOperation, CreateAction, PredicateAction, PredicateCall, PredicateChange,
    SecurityPolicyStatement, StatementKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// An option in parentheses.
#[derive(Clone, Copy)]
enum PolicyOption {
    State,
    SchemaBinding,
}

impl Parser<'_> {
    pub(super) fn create_security_policy(&mut self) -> SqlResult<StatementKind> {
        self.security_policy(CreateAction::Create)
    }

    pub(super) fn alter_security_policy(&mut self) -> SqlResult<StatementKind> {
        self.security_policy(CreateAction::Alter)
    }

    /// From `SECURITY` on. A policy is created with a predicate at least, and altered somehow.
    fn security_policy(&mut self, action: CreateAction) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Security, K::Policy])?;
        let name = self.object_name()?;
        let creates = action == CreateAction::Create;
        let changes = match creates || matches!(self.peek().keyword, K::Add | K::Alter | K::Drop) {
            true => self.list(|p| p.predicate_change(creates))?,
            false => Vec::new(),
        };
        let (mut state, mut schema_binding) = (None, None);
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            let options = self.parenthesized(Parser::policy_option)?;
            for (option, on) in options {
                match option {
                    PolicyOption::State => state = Some(on),
                    PolicyOption::SchemaBinding if creates => schema_binding = Some(on),
                    PolicyOption::SchemaBinding => return Err(self.unexpected_last()),
                }
            }
        }
        let not_for_replication = self.not_for_replication()?;
        if !creates && changes.is_empty() && state.is_none() && !not_for_replication {
            return Err(self.unexpected());
        }
        let statement = SecurityPolicyStatement {
            action,
            name,
            changes,
            state,
            schema_binding,
            not_for_replication,
        };
        Ok(StatementKind::SecurityPolicy(Box::new(statement)))
    }

    fn policy_option(&mut self) -> SqlResult<(PolicyOption, bool)> {
        let option = self.expect_word(&[
            ("STATE", PolicyOption::State),
            ("SCHEMABINDING", PolicyOption::SchemaBinding),
        ])?;
        self.expect_token(TokenKind::Equal)?;
        Ok((option, self.on_off()?))
    }

    /// `ADD FILTER PREDICATE f(a) ON t`, `DROP BLOCK PREDICATE ON t AFTER INSERT`. A policy that is
    /// created only gets some.
    fn predicate_change(&mut self, adds: bool) -> SqlResult<PredicateChange> {
        let start = self.peek();
        let verb = match start.keyword {
            K::Add => K::Add,
            word @ (K::Alter | K::Drop) if !adds => word,
            _ => return Err(self.unexpected()),
        };
        self.take();
        let block = self.at_text("BLOCK");
        if block || self.at_text("FILTER") {
            self.take();
        }
        self.expect_word(&[("PREDICATE", ())])?;
        let action = match verb {
            K::Drop => PredicateAction::Drop,
            K::Alter => PredicateAction::Alter(self.predicate_call()?),
            _ => PredicateAction::Add(self.predicate_call()?),
        };
        self.expect(K::On)?;
        let table = self.object_name()?;
        let operation = self.blocked_operation(block)?;
        Ok(PredicateChange { span: self.span_from(start), action, block, table, operation })
    }

    fn predicate_call(&mut self) -> SqlResult<PredicateCall> {
        let function = self.object_name()?;
        self.expect_token(TokenKind::LeftParen)?;
        let arguments = match self.at_token(TokenKind::RightParen) {
            true => Vec::new(),
            false => self.list(Parser::scalar)?,
        };
        self.expect_token(TokenKind::RightParen)?;
        Ok(PredicateCall { function, arguments })
    }

    /// What follows the table of a block predicate.
    fn blocked_operation(&mut self, block: bool) -> SqlResult<Option<BlockedOperation>> {
        let after = self.at(K::After);
        if !after && !self.at_text("BEFORE") {
            return Ok(None);
        }
        if !block {
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&"BEFORE/AFTER"]);
            return Err(error.at_line(self.peek().span.line));
        }
        self.take();
        let operation = match (after, self.peek().keyword) {
            (true, K::Insert) => BlockedOperation::AfterInsert,
            (true, K::Update) => BlockedOperation::AfterUpdate,
            (false, K::Update) => BlockedOperation::BeforeUpdate,
            (false, K::Delete) => BlockedOperation::BeforeDelete,
            _ => return Err(self.unexpected()),
        };
        self.take();
        Ok(Some(operation))
    }
}
