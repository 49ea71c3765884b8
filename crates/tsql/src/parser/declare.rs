//! `DECLARE`, `SET` of variables, data types and parameters.

use std::sync::Arc;

use base::SqlResult;

use super::Parser;
use crate::ast::{
    AssignOp, DataType, Expr, ExprKind, Ident, MemberUse, MethodCall, ObjectName,
    ParameterDeclaration, SetCursor, SetVariable, StatementKind, TypeArguments, Variable,
    VariableDeclaration, VariableKind, XmlCollectionName,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `DECLARE @a int, …`, `DECLARE c CURSOR …`.
    pub(super) fn declare_statement(&mut self) -> SqlResult<StatementKind> {
        if self.peek_at(1).kind != TokenKind::Variable {
            return self.declare_cursor();
        }
        self.expect(K::Declare)?;
        Ok(StatementKind::Declare(self.list(Parser::variable_declaration)?))
    }

    fn variable_declaration(&mut self) -> SqlResult<VariableDeclaration> {
        let start = self.peek();
        let name = self.variable()?;
        self.eat(K::As);
        let kind = match self.peek().keyword {
            K::Table => {
                self.take();
                VariableKind::Table(Box::new(self.table_definition()?))
            }
            K::Cursor => {
                self.take();
                VariableKind::Cursor
            }
            _ => {
                let ty = self.data_type()?;
                let nullable = self.nullability();
                let value = match self.eat_token(TokenKind::Equal) {
                    true => Some(self.scalar()?),
                    false => None,
                };
                VariableKind::Scalar { ty, nullable, value }
            }
        };
        Ok(VariableDeclaration { span: self.span_from(start), name, kind })
    }

    /// `SET`, of a variable or of an option.
    pub(super) fn set_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Set)?;
        if !self.at_token(TokenKind::Variable) {
            return self.set_option();
        }
        let variable = self.variable()?;
        if self.at_token(TokenKind::Equal) && self.peek_at(1).keyword == K::Cursor {
            self.take();
            self.take();
            let definition = self.cursor_definition()?;
            return Ok(StatementKind::SetCursor(Box::new(SetCursor { variable, definition })));
        }
        if self.method_ahead() {
            return self.mutate_variable(variable);
        }
        if self.property_ahead() {
            return self.assign_property(variable);
        }
        let op = self.assign_op()?;
        let value = self.scalar()?;
        Ok(StatementKind::SetVariable(Box::new(SetVariable { variable, op, value })))
    }

    /// `SET @v.name(arguments)`: what the method makes of the variable is assigned to it.
    fn mutate_variable(&mut self, variable: Variable) -> SqlResult<StatementKind> {
        let start = variable.span;
        let operand = Expr { span: start, kind: ExprKind::Variable(variable.name.clone()) };
        let call = Box::new(self.method(operand, MemberUse::Mutate)?);
        let value = Expr { span: self.since(start), kind: ExprKind::Method(call) };
        let op = AssignOp::Set;
        Ok(StatementKind::SetVariable(Box::new(SetVariable { variable, op, value })))
    }

    /// `SET @v.name = value`: the variable with another value of its property is assigned to it.
    fn assign_property(&mut self, variable: Variable) -> SqlResult<StatementKind> {
        let start = variable.span;
        let operand = Expr { span: start, kind: ExprKind::Variable(variable.name.clone()) };
        self.expect_token(TokenKind::Dot)?;
        let name = self.ident()?;
        self.expect_token(TokenKind::Equal)?;
        let arguments = Some(vec![self.scalar()?]);
        let call = Box::new(MethodCall { operand, name, arguments, usage: MemberUse::Assign });
        let value = Expr { span: self.since(start), kind: ExprKind::Method(call) };
        let op = AssignOp::Set;
        Ok(StatementKind::SetVariable(Box::new(SetVariable { variable, op, value })))
    }

    /// A parameter of a module or of a parameter list.
    pub(super) fn parameter(&mut self) -> SqlResult<ParameterDeclaration> {
        let start = self.peek();
        let name = self.variable()?;
        self.eat(K::As);
        let ty = self.data_type()?;
        let varying = self.eat(K::Varying);
        let nullable = self.nullability();
        let default = match self.eat_token(TokenKind::Equal) {
            true => Some(self.argument_value()?),
            false => None,
        };
        let mut output = self.eat(K::Output) || self.eat(K::Out);
        let read_only = self.eat(K::ReadOnly);
        output |= self.eat(K::Output) || self.eat(K::Out);
        let span = self.span_from(start);
        Ok(ParameterDeclaration { span, name, ty, nullable, default, varying, output, read_only })
    }

    /// A type with its arguments.
    pub(super) fn data_type(&mut self) -> SqlResult<DataType> {
        let start = self.peek();
        let name = match start.keyword {
            K::National | K::Double | K::Cursor | K::Char | K::Character | K::NChar | K::Binary => {
                self.iso_type_name()?
            }
            _ => self.object_name()?,
        };
        let arguments = match is_xml(&name) {
            true => self.xml_arguments()?,
            false => self.type_arguments()?,
        };
        Ok(DataType { span: self.span_from(start), name, arguments })
    }

    /// A type's name that may have several words, as one name with single blanks.
    fn iso_type_name(&mut self) -> SqlResult<ObjectName> {
        let start = self.take();
        let mut words = vec![start];
        match start.keyword {
            K::Double => words.push(self.expect(K::Precision)?),
            K::National => match self.peek().keyword {
                K::Char | K::Character | K::Text => words.push(self.take()),
                _ => return Err(self.unexpected()),
            },
            _ => {}
        }
        let varies = words.last().is_some_and(|word| {
            matches!(word.keyword, K::Char | K::Character | K::NChar | K::Binary)
        });
        if varies && self.at(K::Varying) {
            words.push(self.take());
        }
        let words: Vec<&str> = words.into_iter().map(|word| self.text_of(word)).collect();
        let name: Arc<str> = words.join(" ").into();
        Ok(ObjectName::bare(Ident { name, quoted: false, span: self.span_from(start) }))
    }

    /// The schema collection of an xml.
    fn xml_arguments(&mut self) -> SqlResult<TypeArguments> {
        if !self.at_token(TokenKind::LeftParen) || self.peek_at(1).kind == TokenKind::Integer {
            return self.type_arguments();
        }
        self.take();
        let word = self.peek();
        // A collection may have the name of either word.
        let is_facet = word.kind == TokenKind::Word
            && !matches!(self.peek_at(1).kind, TokenKind::RightParen | TokenKind::Dot);
        let text = self.text_of(word);
        let is_document = is_facet && text.eq_ignore_ascii_case("document");
        if is_document || (is_facet && text.eq_ignore_ascii_case("content")) {
            self.take();
        }
        let name = self.object_name()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(TypeArguments::Collection(Box::new(XmlCollectionName { is_document, name })))
    }

    /// `(max)`, `(n)`, `(p, s)`, or nothing.
    pub(super) fn type_arguments(&mut self) -> SqlResult<TypeArguments> {
        if !self.at_token(TokenKind::LeftParen) {
            return Ok(TypeArguments::None);
        }
        let word = self.peek_at(1);
        if word.kind == TokenKind::Word && self.text_of(word).eq_ignore_ascii_case("max") {
            self.take();
            self.take();
            self.expect_token(TokenKind::RightParen)?;
            return Ok(TypeArguments::Max);
        }
        let numbers = self.parenthesized(|p| {
            let token = p.expect_token(TokenKind::Integer)?;
            Ok(p.text_of(token).parse().unwrap_or(u32::MAX))
        })?;
        match numbers.len() {
            1 | 2 => Ok(TypeArguments::Numbers(numbers)),
            _ => Err(self.unexpected_last()),
        }
    }
}

/// Whether a type's name is that of the built-in xml.
fn is_xml(name: &ObjectName) -> bool {
    let is_sys = |schema: &Ident| schema.name.eq_ignore_ascii_case("sys");
    name.database.is_none()
        && name.schema.as_ref().is_none_or(is_sys)
        && name.name.name.eq_ignore_ascii_case("xml")
}
