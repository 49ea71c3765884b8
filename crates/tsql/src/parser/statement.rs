//! Statements: the table of first words, and sequences of statements.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::stream::Words;
use crate::ast::{Statement, StatementKind};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// Reads a statement, or a part of one, whose first word is the next token.
pub(super) type StatementParser<'a> = fn(&mut Parser<'a>) -> SqlResult<StatementKind>;

/// Procedures of SAP ASE's administrators, whose scripts call them without `EXECUTE` one after the
/// other.
const CALLED_BY_NAME: Words<()> =
    &[("SP_CONFIGURE", ()), ("SP_CACHECONFIG", ()), ("SP_DBOPTION", ()), ("SP_IMRS", ())];

/// What a statement costs of the depth: its own frame and its family's.
const STATEMENT_COST: u32 = 2;

impl<'a> Parser<'a> {
    /// Every statement by its first word.
    fn statement_parser(word: K) -> Option<StatementParser<'a>> {
        let parse: StatementParser<'a> = match word {
            K::Alter => Self::alter_statement,
            K::Backup => Self::backup_statement,
            K::Begin => Self::begin_statement,
            K::Break => Self::break_statement,
            K::Add => Self::add_sensitivity,
            K::Bulk => Self::bulk_insert_statement,
            K::Checkpoint => Self::checkpoint_statement,
            K::Close => Self::close_statement,
            K::Commit => Self::commit_statement,
            K::Continue => Self::continue_statement,
            K::Create => Self::create_statement,
            K::Dbcc => Self::dbcc_statement,
            K::Deallocate => Self::deallocate_statement,
            K::Declare => Self::declare_statement,
            K::Delete => Self::delete_statement,
            K::Disk => Self::disk_statement,
            K::Deny | K::Grant | K::Revoke => Self::permission_statement,
            K::Disable | K::Enable => Self::toggle_trigger_statement,
            K::Drop => Self::drop_statement,
            K::Exec | K::Execute => Self::execute_statement,
            K::Fetch => Self::fetch_statement,
            K::Goto => Self::goto_statement,
            K::If => Self::if_statement,
            K::Insert => Self::insert_statement,
            K::Kill => Self::kill_statement,
            K::Merge => Self::merge_statement,
            K::Open => Self::open_statement,
            K::Print => Self::print_statement,
            K::RaisError => Self::raiserror_statement,
            K::ReadText => Self::read_text_statement,
            K::Reconfigure => Self::reconfigure_statement,
            K::Restore => Self::restore_statement,
            K::Return => Self::return_statement,
            K::Revert => Self::revert_statement,
            K::Rollback => Self::rollback_statement,
            K::Save => Self::save_statement,
            K::Select => Self::select_statement,
            K::Set => Self::set_statement,
            K::Shutdown => Self::shutdown_statement,
            K::Throw => Self::throw_statement,
            K::Truncate => Self::truncate_statement,
            K::Update => Self::update_statement,
            K::UpdateText => Self::update_text_statement,
            K::Use => Self::use_statement,
            K::WaitFor => Self::waitfor_statement,
            K::While => Self::while_statement,
            K::WriteText => Self::write_text_statement,
            K::With => Self::with_statement,
            _ => return None,
        };
        Some(parse)
    }

    /// All statements of a batch.
    pub(super) fn batch(&mut self) -> SqlResult<Vec<Statement>> {
        let statements = self.statements()?;
        match self.at_token(TokenKind::End) {
            true => Ok(statements),
            false => Err(self.unexpected()),
        }
    }

    /// Statements up to `END` or the end of the text; perhaps none.
    pub(super) fn statements(&mut self) -> SqlResult<Vec<Statement>> {
        let mut statements = Vec::new();
        self.unterminated = false;
        loop {
            while self.eat_token(TokenKind::Semicolon) {
                self.unterminated = false;
                self.at_batch_start = false;
            }
            if self.at_token(TokenKind::End) || self.at(K::End) {
                return Ok(statements);
            }
            self.turn(statements.len() + 1)?;
            statements.push(self.statement()?);
        }
    }

    /// One statement.
    pub(super) fn statement(&mut self) -> SqlResult<Statement> {
        let start = self.peek();
        self.enter(STATEMENT_COST)?;
        self.height = 0;
        self.joins = 0;
        if start.keyword == K::With && self.unterminated {
            return Err(self.error_near(&message::WITH_NEEDS_SEMICOLON));
        }
        let is_label = start.kind == TokenKind::Word
            && self.peek_at(1).kind == TokenKind::Colon
            && !start.keyword.is_reserved();
        let kind = match Self::statement_parser(start.keyword) {
            _ if is_label => self.label()?,
            Some(parse) => parse(self)?,
            None => self.other_statement()?,
        };
        self.leave(STATEMENT_COST);
        self.at_batch_start = false;
        self.unterminated = true;
        let span = self.span_from(start);
        if matches!(kind, StatementKind::Merge(_)) && !self.at_token(TokenKind::Semicolon) {
            let error = SqlError::new(&message::MERGE_NEEDS_SEMICOLON, &[]);
            return Err(error.at_line(self.peek().span.line));
        }
        Ok(Statement { span, kind })
    }

    /// A statement inside another one, such as the body of `IF`.
    pub(super) fn nested_statement(&mut self) -> SqlResult<Statement> {
        let outer = std::mem::replace(&mut self.nested, true);
        self.at_batch_start = false;
        self.unterminated = false;
        let statement = self.statement()?;
        self.nested = outer;
        Ok(statement)
    }

    /// Statements inside another one, up to its `END`.
    pub(super) fn nested_statements(&mut self) -> SqlResult<Vec<Statement>> {
        let outer = std::mem::replace(&mut self.nested, true);
        self.at_batch_start = false;
        let statements = self.statements()?;
        self.nested = outer;
        Ok(statements)
    }

    fn label(&mut self) -> SqlResult<StatementKind> {
        let name = self.ident()?;
        self.expect_token(TokenKind::Colon)?;
        Ok(StatementKind::Label(name))
    }

    /// A statement that no word announces: a query in parentheses, an ODBC call, or a procedure's
    /// name. Most procedures are called so at the start of a batch only.
    fn other_statement(&mut self) -> SqlResult<StatementKind> {
        match self.peek().kind {
            TokenKind::LeftParen => self.select_statement(),
            TokenKind::LeftBrace => self.odbc_call(),
            TokenKind::Word | TokenKind::Quoted | TokenKind::Dot if self.at_batch_start => {
                self.bare_call()
            }
            TokenKind::Word if self.find_word(CALLED_BY_NAME).is_some() => self.bare_call(),
            _ => Err(self.unexpected()),
        }
    }
}
