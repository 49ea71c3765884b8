//! Cursors.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::stream::Words;
use crate::ast::{
    CursorConcurrency, CursorDefinition, CursorModel, CursorRef, DeclareCursor, Expr, ExprKind,
    Fetch, FetchOrientation, Literal, StatementKind, UnaryOp,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What a word between `CURSOR` and `FOR` says.
#[derive(Clone, Copy)]
enum CursorWord {
    Global(bool),
    Scroll(bool),
    Model(CursorModel),
    Concurrency(CursorConcurrency),
    TypeWarning,
}

const CURSOR_WORDS: Words<CursorWord> = &[
    ("LOCAL", CursorWord::Global(false)),
    ("GLOBAL", CursorWord::Global(true)),
    ("FORWARD_ONLY", CursorWord::Scroll(false)),
    ("SCROLL", CursorWord::Scroll(true)),
    ("STATIC", CursorWord::Model(CursorModel::Static)),
    ("KEYSET", CursorWord::Model(CursorModel::Keyset)),
    ("DYNAMIC", CursorWord::Model(CursorModel::Dynamic)),
    ("FAST_FORWARD", CursorWord::Model(CursorModel::FastForward)),
    ("READ_ONLY", CursorWord::Concurrency(CursorConcurrency::ReadOnly)),
    ("SCROLL_LOCKS", CursorWord::Concurrency(CursorConcurrency::ScrollLocks)),
    ("OPTIMISTIC", CursorWord::Concurrency(CursorConcurrency::Optimistic)),
    ("TYPE_WARNING", CursorWord::TypeWarning),
];

/// The options of a cursor before its query.
#[derive(Default)]
struct CursorOptions {
    global: Option<bool>,
    scroll: Option<bool>,
    model: Option<CursorModel>,
    concurrency: Option<CursorConcurrency>,
    type_warning: bool,
}

impl Parser<'_> {
    /// `DECLARE name CURSOR …`, `DECLARE name INSENSITIVE SCROLL CURSOR …`.
    pub(super) fn declare_cursor(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Declare)?;
        let name = self.ident()?;
        let mut options = CursorOptions::default();
        if self.eat(K::Insensitive) {
            options.model = Some(CursorModel::Static);
        }
        if self.eat(K::Scroll) {
            options.scroll = Some(true);
        }
        self.expect(K::Cursor)?;
        let definition = self.cursor_definition_with(options)?;
        Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor { name, definition })))
    }

    /// What follows `CURSOR`.
    pub(super) fn cursor_definition(&mut self) -> SqlResult<CursorDefinition> {
        self.cursor_definition_with(CursorOptions::default())
    }

    fn cursor_definition_with(
        &mut self,
        mut options: CursorOptions,
    ) -> SqlResult<CursorDefinition> {
        let start = self.peek();
        let is_iso = options.model.is_some() || options.scroll.is_some();
        while !self.at(K::For) {
            let word = self.find_word(CURSOR_WORDS).ok_or_else(|| self.unexpected())?;
            // The two forms of the statement do not mix.
            if is_iso {
                return Err(
                    SqlError::new(&message::CONFLICTING_OPTIONS, &[]).at_line(start.span.line)
                );
            }
            self.take();
            match word {
                CursorWord::Global(global) => options.global = Some(global),
                CursorWord::Scroll(scroll) => options.scroll = Some(scroll),
                CursorWord::Model(model) => options.model = Some(model),
                CursorWord::Concurrency(concurrency) => options.concurrency = Some(concurrency),
                CursorWord::TypeWarning => options.type_warning = true,
            }
        }
        self.expect(K::For)?;
        let query = Box::new(self.full_select()?);
        let mut update_of = None;
        if self.eat_words(&[K::For, K::Update]) {
            update_of = Some(match self.eat(K::Of) {
                true => self.list(Parser::column_ref)?,
                false => Vec::new(),
            });
        } else if self.at_words(&[K::For, K::Read]) {
            self.expect_words(&[K::For, K::Read, K::Only])?;
            options.concurrency = Some(CursorConcurrency::ReadOnly);
        }
        Ok(CursorDefinition {
            span: self.span_from(start),
            global: options.global,
            scroll: options.scroll,
            model: options.model,
            concurrency: options.concurrency,
            type_warning: options.type_warning,
            query,
            update_of,
        })
    }

    /// `name`, `GLOBAL name`, `@v`.
    pub(super) fn cursor_ref(&mut self) -> SqlResult<CursorRef> {
        if self.at_token(TokenKind::Variable) {
            return Ok(CursorRef::Variable(self.variable()?));
        }
        let global = self.at(K::Global) && super::stream::is_ident(self.peek_at(1));
        if global {
            self.take();
        }
        Ok(CursorRef::Name { global, name: self.ident()? })
    }

    pub(super) fn open_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Open)?;
        Ok(StatementKind::OpenCursor(self.cursor_ref()?))
    }

    pub(super) fn close_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Close)?;
        Ok(StatementKind::CloseCursor(self.cursor_ref()?))
    }

    pub(super) fn deallocate_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Deallocate)?;
        // Old scripts write `DEALLOCATE CURSOR name`.
        self.eat(K::Cursor);
        Ok(StatementKind::DeallocateCursor(self.cursor_ref()?))
    }

    /// `FETCH NEXT FROM c INTO @a, @b`, `FETCH c`.
    pub(super) fn fetch_statement(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Fetch)?;
        // Any of these words may also be a cursor's name, when nothing follows that could be one.
        let named = !matches!(self.peek_at(1).kind, TokenKind::Semicolon | TokenKind::End)
            && self.peek_at(1).keyword != K::Into;
        let mut orientation = FetchOrientation::Next;
        let mut is_given = named;
        match self.peek().keyword {
            K::Next if named => drop(self.take()),
            K::Prior if named => {
                self.take();
                orientation = FetchOrientation::Prior;
            }
            K::First if named => {
                self.take();
                orientation = FetchOrientation::First;
            }
            K::Last if named => {
                self.take();
                orientation = FetchOrientation::Last;
            }
            K::Absolute if named => {
                self.take();
                orientation = FetchOrientation::Absolute(self.fetch_distance()?);
            }
            K::Relative if named => {
                self.take();
                orientation = FetchOrientation::Relative(self.fetch_distance()?);
            }
            _ => is_given = false,
        }
        match is_given {
            true => drop(self.expect(K::From)?),
            false => drop(self.eat(K::From)),
        }
        let cursor = self.cursor_ref()?;
        let into = match self.eat(K::Into) {
            true => self.list(Parser::variable)?,
            false => Vec::new(),
        };
        Ok(StatementKind::Fetch(Box::new(Fetch { orientation, cursor, into })))
    }

    /// How far: an integer with or without a sign, or a variable.
    fn fetch_distance(&mut self) -> SqlResult<Expr> {
        let start = self.peek();
        if start.kind == TokenKind::Variable {
            return self.primary_scalar();
        }
        let negative = self.eat_token(TokenKind::Minus);
        if !negative {
            self.eat_token(TokenKind::Plus);
        }
        let (literal, span) = match self.peek().kind {
            TokenKind::Integer => self.literal()?,
            _ => return Err(self.unexpected()),
        };
        let number = Expr { span, kind: ExprKind::Literal(literal) };
        if !negative || matches!(number.kind, ExprKind::Literal(Literal::Null)) {
            return Ok(number);
        }
        let kind = ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(number) };
        Ok(Expr { span: self.span_from(start), kind })
    }
}
