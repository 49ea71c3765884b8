//! `GRANT`, `DENY`, `REVOKE`, `ALTER AUTHORIZATION`, and what they are about.

use base::SqlResult;

use super::Parser;
use super::stream::Words;
use crate::ast::{
    AlterAuthorization, Ident, PermissionAction, PermissionItem, PermissionStatement, Securable,
    SecurableClass, StatementKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What may stand before `::`, with single blanks.
const CLASSES: Words<SecurableClass> = &[
    ("APPLICATION ROLE", SecurableClass::ApplicationRole),
    ("ASSEMBLY", SecurableClass::Assembly),
    ("CERTIFICATE", SecurableClass::Certificate),
    ("DATABASE", SecurableClass::Database),
    ("ENDPOINT", SecurableClass::Endpoint),
    ("FULLTEXT CATALOG", SecurableClass::FulltextCatalog),
    ("LOGIN", SecurableClass::Login),
    ("OBJECT", SecurableClass::Object),
    ("REMOTE SERVICE BINDING", SecurableClass::RemoteServiceBinding),
    ("ROLE", SecurableClass::Role),
    ("SCHEMA", SecurableClass::Schema),
    ("SERVER ROLE", SecurableClass::ServerRole),
    ("SERVICE", SecurableClass::Service),
    ("SYMMETRIC KEY", SecurableClass::SymmetricKey),
    ("TYPE", SecurableClass::Type),
    ("USER", SecurableClass::User),
    ("XML SCHEMA COLLECTION", SecurableClass::XmlSchemaCollection),
];

impl Parser<'_> {
    pub(super) fn permission_statement(&mut self) -> SqlResult<StatementKind> {
        let action = match self.take().keyword {
            K::Grant => PermissionAction::Grant,
            K::Deny => PermissionAction::Deny,
            _ => PermissionAction::Revoke,
        };
        let revoke = action == PermissionAction::Revoke;
        let mut grant_option = revoke && self.eat_words(&[K::Grant, K::Option, K::For]);
        let permissions = self.list(Parser::permission)?;
        let on = match self.eat(K::On) {
            true => Some(self.securable()?),
            false => None,
        };
        // `REVOKE … TO` is allowed as well.
        if !(revoke && self.eat(K::From)) {
            self.expect(K::To)?;
        }
        let principals = self.list(Parser::principal)?;
        let cascade = self.eat(K::Cascade);
        if action == PermissionAction::Grant {
            grant_option = self.eat_words(&[K::With, K::Grant, K::Option]);
        }
        let grantor = match self.eat(K::As) {
            true => Some(self.principal()?),
            false => None,
        };
        let statement = PermissionStatement {
            action,
            permissions,
            on,
            principals,
            grant_option,
            cascade,
            grantor,
        };
        Ok(StatementKind::Permission(Box::new(statement)))
    }

    /// The words of a permission and the columns after it.
    fn permission(&mut self) -> SqlResult<PermissionItem> {
        let start = self.peek();
        let mut name = String::from(self.any_word()?);
        while self.at_token(TokenKind::Word)
            && !matches!(self.peek().keyword, K::On | K::To | K::From)
        {
            name.push(' ');
            name.push_str(&self.any_word()?);
        }
        match name.as_str() {
            "EXEC" => name = "EXECUTE".into(),
            "ALL PRIVILEGES" => name = "ALL".into(),
            _ => {}
        }
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false => Vec::new(),
        };
        Ok(PermissionItem { span: self.span_from(start), name: name.into(), columns })
    }

    /// `class::name (columns)`.
    fn securable(&mut self) -> SqlResult<Securable> {
        let class = self.securable_class()?;
        let name = self.object_name()?;
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false => Vec::new(),
        };
        Ok(Securable { class, name, columns })
    }

    /// `class::`, if it is there.
    pub(super) fn securable_class(&mut self) -> SqlResult<Option<SecurableClass>> {
        let is_class = (1..=3).find(|&ahead| self.peek_at(ahead).kind == TokenKind::DoubleColon);
        let Some(words) = is_class else {
            return Ok(None);
        };
        let start = self.peek();
        let mut name = String::new();
        for word in 0..words {
            if word > 0 {
                name.push(' ');
            }
            name.push_str(&self.any_word()?);
        }
        let class = CLASSES.iter().find(|(class, _)| *class == name).map(|&(_, class)| class);
        if class.is_none() {
            let near = self.text_of(start);
            let error = base::SqlError::new(&base::message::INCORRECT_SYNTAX_NEAR, &[&near]);
            return Err(error.at_line(start.span.line));
        }
        self.expect_token(TokenKind::DoubleColon)?;
        Ok(class)
    }

    /// A user, role or login; `PUBLIC` is one.
    pub(super) fn principal(&mut self) -> SqlResult<Ident> {
        match self.at(K::Public) {
            true => self.take_ident(),
            false => self.ident(),
        }
    }

    /// `ALTER AUTHORIZATION ON class::name TO principal`, from `AUTHORIZATION` on.
    pub(super) fn alter_authorization(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Authorization, K::On])?;
        let class = self.securable_class()?;
        let name = self.object_name()?;
        self.expect(K::To)?;
        let owner = match self.eat_words(&[K::Schema, K::Owner]) {
            true => None,
            false => Some(self.principal()?),
        };
        let statement = AlterAuthorization { class, name, owner };
        Ok(StatementKind::AlterAuthorization(Box::new(statement)))
    }
}
