//! Columns of a table definition.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    ColumnDefinition, ColumnKind, DataType, IdentityOption, IdentityValues, ObjectName,
    TypeArguments,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    pub(super) fn column_definition(&mut self) -> SqlResult<ColumnDefinition> {
        let start = self.peek();
        let name = self.ident()?;
        let kind = match self.eat(K::As) {
            true => {
                let expr = self.scalar()?;
                ColumnKind::Computed { expr, persisted: self.eat(K::Persisted) }
            }
            false => ColumnKind::Stored(self.column_type(&name)?),
        };
        let mut column = ColumnDefinition::new(name, kind);
        while self.column_property(&mut column)? {}
        column.span = self.span_from(start);
        Ok(column)
    }

    /// A column's type. A column named `timestamp` may leave it out; error 173 for others.
    pub(super) fn column_type(&mut self, name: &crate::ast::Ident) -> SqlResult<DataType> {
        let is_timestamp = name.name.eq_ignore_ascii_case("timestamp");
        let type_follows = self.at_ident() && self.peek_at(1).kind != TokenKind::Equal
            || matches!(self.peek().keyword, K::National | K::Double);
        if is_timestamp && !type_follows {
            let name = ObjectName::bare(name.clone());
            return Ok(DataType { span: name.span, name, arguments: TypeArguments::None });
        }
        match self.peek().kind {
            TokenKind::Comma | TokenKind::RightParen => {
                let error = SqlError::new(&message::COLUMN_NEEDS_TYPE, &[&name.name]);
                Err(error.at_line(name.span.line))
            }
            _ => self.data_type(),
        }
    }

    /// Takes one property of a column; false when there is none.
    fn column_property(&mut self, column: &mut ColumnDefinition) -> SqlResult<bool> {
        // `CONSTRAINT name NOT NULL` is allowed, but names nothing.
        if self.at(K::Constraint) && matches!(self.peek_at(2).keyword, K::Not | K::Null) {
            self.take();
            self.ident()?;
        }
        match self.peek().keyword {
            K::Constraint
            | K::Default
            | K::Primary
            | K::Unique
            | K::Check
            | K::Foreign
            | K::References => column.constraints.push(self.constraint()?),
            K::Collate => {
                self.take();
                column.collation = Some(self.ident()?);
            }
            K::Identity => column.identity = Some(self.identity_option()?),
            K::Null => {
                self.take();
                column.nullable = Some(true);
            }
            K::Not => {
                self.take();
                self.expect(K::Null)?;
                column.nullable = Some(false);
            }
            K::RowGuidCol => {
                self.take();
                column.row_guid = true;
            }
            K::Sparse => {
                self.take();
                column.sparse = true;
            }
            K::FileStream => {
                self.take();
                column.filestream = true;
            }
            K::Hidden => {
                self.take();
                column.hidden = true;
            }
            K::Persisted => match &mut column.kind {
                ColumnKind::Computed { persisted, .. } => {
                    self.take();
                    *persisted = true;
                }
                ColumnKind::Stored(_) => return Err(self.unexpected()),
            },
            K::Generated => {
                self.take();
                self.expect_words(&[K::Always, K::As, K::Row])?;
                column.generated = Some(self.eat(K::Start));
                if column.generated == Some(false) {
                    self.expect(K::End)?;
                }
            }
            K::Masked => column.masked = Some(self.masked()?),
            K::Index => column.index = Some(Box::new(self.inline_index(true)?)),
            _ if self.at_text("COLUMN_SET") => {
                self.take();
                self.expect(K::For)?;
                if !self.at_text("ALL_SPARSE_COLUMNS") {
                    return Err(self.unexpected());
                }
                self.take();
                column.column_set = true;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `MASKED WITH (FUNCTION = 'text')`.
    pub(super) fn masked(&mut self) -> SqlResult<Box<str>> {
        self.expect_words(&[K::Masked, K::With])?;
        self.expect_token(TokenKind::LeftParen)?;
        self.expect(K::Function)?;
        self.expect_token(TokenKind::Equal)?;
        let function = self.string()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(function)
    }

    /// `IDENTITY (seed, increment) NOT FOR REPLICATION`.
    fn identity_option(&mut self) -> SqlResult<IdentityOption> {
        let start = self.expect(K::Identity)?;
        let mut values = None;
        if self.eat_token(TokenKind::LeftParen) {
            let seed = self.signed_number()?;
            self.expect_token(TokenKind::Comma)?;
            values = Some(IdentityValues { seed, increment: self.signed_number()? });
            self.expect_token(TokenKind::RightParen)?;
        }
        let not_for_replication = self.not_for_replication()?;
        Ok(IdentityOption { span: self.span_from(start), values, not_for_replication })
    }
}
