//! `EXEC`, bare procedure calls and ODBC's `{call …}`.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    ArgumentValue, Execute, ExecuteArgument, ExecuteAsPrincipal, ExecuteAsStatement, ExecuteTarget,
    Expr, ExprKind, ProcedureName, ResultColumn, ResultSet, ResultSets, StatementKind,
    TextPrincipal, Variable,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::{Token, TokenKind};

/// How many parameters a module has and a call passes at most.
const PARAMETERS_MAX: usize = 2100;

impl Parser<'_> {
    /// `EXEC …`, also `EXECUTE AS …`.
    pub(super) fn execute_statement(&mut self) -> SqlResult<StatementKind> {
        match self.peek_at(1).keyword == K::As {
            true => self.execute_as(),
            false => Ok(StatementKind::Execute(Box::new(self.execute()?))),
        }
    }

    /// A procedure's name at the start of a batch.
    pub(super) fn bare_call(&mut self) -> SqlResult<StatementKind> {
        let mut execute = self.procedure_call(None)?;
        self.execute_options(&mut execute)?;
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// `EXEC`, with everything after it.
    fn execute(&mut self) -> SqlResult<Execute> {
        let mut execute = self.executed()?;
        self.execute_options(&mut execute)?;
        Ok(execute)
    }

    /// `EXEC` as the source of an `INSERT`: result sets are not for it to declare.
    pub(super) fn inserted_execute(&mut self) -> SqlResult<Execute> {
        let mut execute = self.executed()?;
        if self.at(K::With) && self.peek_at(1).keyword == K::Result {
            self.take();
            self.take();
            return Err(self.unexpected());
        }
        self.execute_options(&mut execute)?;
        Ok(execute)
    }

    /// `EXEC` without options.
    fn executed(&mut self) -> SqlResult<Execute> {
        self.take();
        if self.at_token(TokenKind::LeftParen) {
            return self.execute_text();
        }
        let mut status = None;
        if self.at_token(TokenKind::Variable) && self.peek_at(1).kind == TokenKind::Equal {
            status = Some(self.variable()?);
            self.take();
        }
        self.procedure_call(status)
    }

    /// A procedure's name and its arguments.
    fn procedure_call(&mut self, status: Option<Variable>) -> SqlResult<Execute> {
        let name = self.procedure_name()?;
        let mut arguments = Vec::new();
        if self.argument_ahead() {
            arguments = self.list(Parser::execute_argument)?;
            self.check_parameters(arguments.len(), "EXECUTE")?;
        }
        let target = ExecuteTarget::Procedure { name, arguments };
        Ok(Execute { status, target, recompile: false, result_sets: None })
    }

    /// Refuses more parameters than a statement may have. Error 180.
    pub(super) fn check_parameters(&self, count: usize, statement: &str) -> SqlResult<()> {
        if count <= PARAMETERS_MAX {
            return Ok(());
        }
        let args: [&dyn std::fmt::Display; 2] = [&statement, &PARAMETERS_MAX];
        let line = self.peek().span.line;
        Err(SqlError::new(&message::TOO_MANY_PARAMETERS, &args).at_line(line))
    }

    fn procedure_name(&mut self) -> SqlResult<ProcedureName> {
        if self.at_token(TokenKind::Variable) {
            return Ok(ProcedureName::Variable(self.variable()?));
        }
        let name = self.object_name()?;
        Ok(ProcedureName::Name(Box::new(name), self.procedure_number()?))
    }

    /// `;1` after a procedure's name.
    pub(super) fn procedure_number(&mut self) -> SqlResult<Option<i32>> {
        let found =
            self.at_token(TokenKind::Semicolon) && self.peek_at(1).kind == TokenKind::Integer;
        if !found {
            return Ok(None);
        }
        self.take();
        let token = self.peek();
        let number: i64 = self.integer()?;
        match i32::try_from(number).ok().filter(|number| (1..=32767).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let args: [&dyn std::fmt::Display; 2] = [&token.span.line, &number];
                let error = SqlError::new(&message::PROCEDURE_NUMBER_INVALID, &args);
                Err(error.at_line(token.span.line))
            }
        }
    }

    /// Whether an argument can begin here, where a statement could begin as well.
    fn argument_ahead(&self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Word => match token.keyword {
                K::Null | K::Default => true,
                _ => self.at_ident() && self.peek_at(1).kind != TokenKind::Colon,
            },
            TokenKind::Quoted
            | TokenKind::Variable
            | TokenKind::String
            | TokenKind::National
            | TokenKind::Integer
            | TokenKind::Numeric
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary
            | TokenKind::Plus
            | TokenKind::Minus => true,
            TokenKind::LeftBrace => self.peek_at(1).keyword != K::Call,
            _ => false,
        }
    }

    fn execute_argument(&mut self) -> SqlResult<ExecuteArgument> {
        let start = self.peek();
        let mut name = None;
        if start.kind == TokenKind::Variable && self.peek_at(1).kind == TokenKind::Equal {
            name = Some(self.variable()?);
            self.take();
        }
        let value = self.argument_value()?;
        let output = self.eat(K::Output) || self.eat(K::Out);
        if output && matches!(value, ArgumentValue::Constant { .. }) {
            let error = SqlError::new(&message::OUTPUT_WITH_CONSTANT, &[]);
            return Err(error.at_line(start.span.line));
        }
        Ok(ExecuteArgument { span: self.span_from(start), name, value, output })
    }

    /// What is passed, or a parameter's default: a constant, a variable, a word, `DEFAULT`.
    pub(super) fn argument_value(&mut self) -> SqlResult<ArgumentValue> {
        let start = self.peek();
        match start.kind {
            TokenKind::Variable => Ok(ArgumentValue::Variable(self.variable()?)),
            TokenKind::Plus | TokenKind::Minus => {
                let negative = self.take().kind == TokenKind::Minus;
                self.number_constant(start, negative)
            }
            TokenKind::LeftBrace => {
                self.take();
                let kind = self.odbc_kind()?;
                let text = self.string()?;
                self.expect_token(TokenKind::RightBrace)?;
                Ok(ArgumentValue::Odbc(kind, text, self.span_from(start)))
            }
            TokenKind::Word | TokenKind::Quoted if self.at_ident() => {
                Ok(ArgumentValue::Word(self.ident()?))
            }
            _ if self.at(K::Default) => Ok(ArgumentValue::Default(self.take().span)),
            _ => {
                let (value, span) = self.literal()?;
                Ok(ArgumentValue::Constant { value, negative: false, span })
            }
        }
    }

    /// The number after a sign.
    fn number_constant(&mut self, start: Token, negative: bool) -> SqlResult<ArgumentValue> {
        match self.peek().kind {
            TokenKind::Integer | TokenKind::Numeric | TokenKind::Float | TokenKind::Money => {
                let (value, _) = self.literal()?;
                Ok(ArgumentValue::Constant { value, negative, span: self.span_from(start) })
            }
            _ => Err(self.unexpected()),
        }
    }

    /// `(text, arguments …) AS LOGIN = 'name' AT server`.
    fn execute_text(&mut self) -> SqlResult<Execute> {
        self.expect_token(TokenKind::LeftParen)?;
        let mut pieces = vec![self.text_piece()?];
        while self.eat_token(TokenKind::Plus) {
            pieces.push(self.text_piece()?);
        }
        let mut arguments = Vec::new();
        if self.eat_token(TokenKind::Comma) {
            arguments = self.list(Parser::execute_argument)?;
        }
        self.expect_token(TokenKind::RightParen)?;
        let mut principal = None;
        if self.at(K::As) {
            self.take();
            let is_login = self.expect_word(&[("USER", false), ("LOGIN", true)])?;
            self.expect_token(TokenKind::Equal)?;
            let name = self.string()?;
            principal = Some(match is_login {
                true => TextPrincipal::Login(name),
                false => TextPrincipal::User(name),
            });
        }
        let server = match self.eat(K::At) {
            true => Some(self.ident()?),
            false => None,
        };
        let target = ExecuteTarget::Text { pieces, arguments, principal, server };
        Ok(Execute { status: None, target, recompile: false, result_sets: None })
    }

    /// A string constant or a variable.
    fn text_piece(&mut self) -> SqlResult<Expr> {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Variable => ExprKind::Variable(self.variable()?.name),
            TokenKind::String | TokenKind::National => ExprKind::Literal(self.literal()?.0),
            _ => return Err(self.unexpected()),
        };
        Ok(Expr { span: token.span, kind })
    }

    /// `WITH RECOMPILE, RESULT SETS …`, if it is there.
    fn execute_options(&mut self, execute: &mut Execute) -> SqlResult<()> {
        if !self.at(K::With) || !matches!(self.peek_at(1).keyword, K::Recompile | K::Result) {
            return Ok(());
        }
        self.take();
        self.list(|p| {
            match p.eat(K::Recompile) {
                true => execute.recompile = true,
                false => execute.result_sets = Some(p.result_sets()?),
            }
            Ok(())
        })?;
        Ok(())
    }

    fn result_sets(&mut self) -> SqlResult<ResultSets> {
        self.expect_words(&[K::Result, K::Sets])?;
        match self.peek().keyword {
            K::Undefined => {
                self.take();
                Ok(ResultSets::Undefined)
            }
            K::NoneWord => {
                self.take();
                Ok(ResultSets::None)
            }
            _ => Ok(ResultSets::Sets(self.parenthesized(Parser::result_set)?)),
        }
    }

    fn result_set(&mut self) -> SqlResult<ResultSet> {
        if !self.eat(K::As) {
            return Ok(ResultSet::Columns(self.parenthesized(Parser::result_column)?));
        }
        match self.peek().keyword {
            K::Object => {
                self.take();
                Ok(ResultSet::Object(self.object_name()?))
            }
            K::Type => {
                self.take();
                Ok(ResultSet::Type(self.object_name()?))
            }
            _ => {
                self.expect_words(&[K::For, K::Xml])?;
                Ok(ResultSet::ForXml)
            }
        }
    }

    fn result_column(&mut self) -> SqlResult<ResultColumn> {
        let name = self.ident()?;
        let ty = self.data_type()?;
        let collation = match self.eat(K::Collate) {
            true => Some(self.ident()?),
            false => None,
        };
        let nullable = self.nullability();
        Ok(ResultColumn { name, ty, collation, nullable })
    }

    /// `{call p(…)}`, `{@r = call p(…)}`.
    pub(super) fn odbc_call(&mut self) -> SqlResult<StatementKind> {
        self.expect_token(TokenKind::LeftBrace)?;
        let mut status = None;
        if self.at_token(TokenKind::Variable) {
            status = Some(self.variable()?);
            self.expect_token(TokenKind::Equal)?;
        }
        self.expect(K::Call)?;
        let name = self.procedure_name()?;
        let mut arguments = Vec::new();
        if self.eat_token(TokenKind::LeftParen) && !self.eat_token(TokenKind::RightParen) {
            arguments = self.list(Parser::execute_argument)?;
            self.expect_token(TokenKind::RightParen)?;
        }
        self.expect_token(TokenKind::RightBrace)?;
        let target = ExecuteTarget::Procedure { name, arguments };
        let execute = Execute { status, target, recompile: false, result_sets: None };
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// `EXECUTE AS LOGIN = 'name' WITH NO REVERT`.
    fn execute_as(&mut self) -> SqlResult<StatementKind> {
        self.take();
        self.expect(K::As)?;
        let principal = match self.peek().keyword {
            K::Caller => {
                self.take();
                ExecuteAsPrincipal::Caller
            }
            K::Login => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                ExecuteAsPrincipal::Login(self.text_piece()?)
            }
            K::User => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                ExecuteAsPrincipal::User(self.text_piece()?)
            }
            _ => return Err(self.unexpected()),
        };
        let mut statement = ExecuteAsStatement { principal, no_revert: false, cookie: None };
        if self.at(K::With) && matches!(self.peek_at(1).keyword, K::No | K::Cookie) {
            self.take();
            match self.eat_words(&[K::No, K::Revert]) {
                true => statement.no_revert = true,
                false => {
                    self.expect_words(&[K::Cookie, K::Into])?;
                    statement.cookie = Some(self.variable()?);
                }
            }
        }
        Ok(StatementKind::ExecuteAs(Box::new(statement)))
    }

    /// `REVERT`, `REVERT WITH COOKIE = @v`.
    pub(super) fn revert_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Revert)?;
        let mut cookie = None;
        if self.at(K::With) && self.peek_at(1).keyword == K::Cookie {
            self.take();
            self.take();
            self.expect_token(TokenKind::Equal)?;
            cookie = Some(Box::new(self.primary_scalar()?));
        }
        Ok(StatementKind::Revert(cookie))
    }
}
