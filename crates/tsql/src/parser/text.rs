//! `READTEXT`, `WRITETEXT`, `UPDATETEXT`.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    Expr, ExprKind, Literal, ObjectName, StatementKind, TextAction, TextData, TextPlace,
    TextStatement,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `READTEXT table.column pointer offset size HOLDLOCK`. Error 182.
    pub(super) fn read_text_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::ReadText)?;
        let place = self.text_place()?;
        let (offset, size) = (self.text_number(false)?, self.text_number(false)?);
        let hold_lock = self.at_text("HOLDLOCK");
        if hold_lock {
            self.take();
        }
        let action = TextAction::Read { offset, size, hold_lock };
        Ok(StatementKind::Text(Box::new(TextStatement { place, action })))
    }

    /// `WRITETEXT table.column pointer WITH LOG data`. Errors 182, 401.
    pub(super) fn write_text_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::WriteText)?;
        self.refuse_bulk_text("WRITETEXT BULK")?;
        let place = self.text_place()?;
        self.with_log()?;
        let action = TextAction::Write(self.text_operand()?);
        Ok(StatementKind::Text(Box::new(TextStatement { place, action })))
    }

    /// `UPDATETEXT table.column pointer offset length WITH LOG data`. Errors 182, 401.
    pub(super) fn update_text_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::UpdateText)?;
        self.refuse_bulk_text("UPDATETEXT BULK")?;
        let place = self.text_place()?;
        let (offset, length) = (self.text_number(true)?, self.text_number(true)?);
        self.with_log()?;
        let data = match self.peek().kind {
            TokenKind::Variable | TokenKind::String | TokenKind::National | TokenKind::Binary => {
                TextData::Value(self.text_operand()?)
            }
            _ if self.at(K::Null) => TextData::Value(self.text_operand()?),
            TokenKind::Word | TokenKind::Quoted if self.copies_text() => {
                TextData::Copy(self.text_place()?)
            }
            _ => TextData::None,
        };
        let action = TextAction::Update { offset, length, data };
        Ok(StatementKind::Text(Box::new(TextStatement { place, action })))
    }

    /// Whether a name of several parts comes next: no statement begins so.
    fn copies_text(&self) -> bool {
        self.peek_at(1).kind == TokenKind::Dot
    }

    /// Data that follow the batch on the wire are not taken.
    fn refuse_bulk_text(&mut self, what: &str) -> SqlResult<()> {
        match self.at(K::Bulk) {
            true => {
                let line = self.peek().span.line;
                Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).at_line(line))
            }
            false => Ok(()),
        }
    }

    fn with_log(&mut self) -> SqlResult<()> {
        if self.eat(K::With) {
            match self.at_text("LOG") {
                true => self.take(),
                false => return Err(self.unexpected()),
            };
        }
        Ok(())
    }

    fn text_place(&mut self) -> SqlResult<TextPlace> {
        let line = self.peek().span.line;
        let whole = self.object_name()?;
        let ObjectName { span, server, database, schema, name: column } = whole;
        let Some(name) = schema else {
            return Err(SqlError::new(&message::TEXT_NAME_INCOMPLETE, &[]).at_line(line));
        };
        let table = ObjectName { span, server: None, database: server, schema: database, name };
        let pointer = match self.peek().kind {
            TokenKind::Variable | TokenKind::Binary => self.text_operand()?,
            _ => return Err(self.unexpected()),
        };
        Ok(TextPlace { table, column, pointer })
    }

    /// An integer or a variable; also `NULL` and a negative number if `signed`.
    fn text_number(&mut self, signed: bool) -> SqlResult<Expr> {
        match self.peek().kind {
            TokenKind::Variable | TokenKind::Integer => self.text_operand(),
            TokenKind::Minus if signed => {
                let start = self.peek();
                let text = self.signed_number()?;
                let number = text.parse().map_err(|_| self.unexpected_last())?;
                let kind = ExprKind::Literal(Literal::Integer(number));
                Ok(Expr { span: self.span_from(start), kind })
            }
            _ if signed && self.at(K::Null) => self.text_operand(),
            _ => Err(self.unexpected()),
        }
    }

    /// A literal or a variable.
    fn text_operand(&mut self) -> SqlResult<Expr> {
        match self.peek().kind {
            TokenKind::Variable => {
                let variable = self.variable()?;
                Ok(Expr { span: variable.span, kind: ExprKind::Variable(variable.name) })
            }
            _ => {
                let (literal, span) = self.literal()?;
                Ok(Expr { span, kind: ExprKind::Literal(literal) })
            }
        }
    }
}
