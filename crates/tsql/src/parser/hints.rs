//! Table hints and query hints.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::stream::Words;
use crate::ast::{IndexRef, QueryHint, QueryHintKind, TableHint, TableHintKind};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::{Token, TokenKind};

/// Table hints that are one word, and whether they may stand without `WITH`.
const TABLE_HINTS: Words<(TableHintKind, bool)> = &[
    ("NOLOCK", (TableHintKind::NoLock, true)),
    ("READUNCOMMITTED", (TableHintKind::ReadUncommitted, true)),
    ("UPDLOCK", (TableHintKind::UpdLock, true)),
    ("REPEATABLEREAD", (TableHintKind::RepeatableRead, true)),
    ("SERIALIZABLE", (TableHintKind::Serializable, true)),
    ("READCOMMITTED", (TableHintKind::ReadCommitted, true)),
    ("TABLOCK", (TableHintKind::TabLock, true)),
    ("TABLOCKX", (TableHintKind::TabLockX, true)),
    ("PAGLOCK", (TableHintKind::PagLock, true)),
    ("ROWLOCK", (TableHintKind::RowLock, true)),
    ("XLOCK", (TableHintKind::XLock, true)),
    ("HOLDLOCK", (TableHintKind::HoldLock, true)),
    ("READPAST", (TableHintKind::ReadPast, true)),
    ("FASTFIRSTROW", (TableHintKind::FastFirstRow, true)),
    ("NOEXPAND", (TableHintKind::NoExpand, true)),
    ("SNAPSHOT", (TableHintKind::Snapshot, true)),
    ("NOWAIT", (TableHintKind::NoWait, true)),
    ("READCOMMITTEDLOCK", (TableHintKind::ReadCommittedLock, true)),
    ("FORCESCAN", (TableHintKind::ForceScan, false)),
    ("KEEPIDENTITY", (TableHintKind::KeepIdentity, false)),
    ("KEEPDEFAULTS", (TableHintKind::KeepDefaults, false)),
    ("IGNORE_CONSTRAINTS", (TableHintKind::IgnoreConstraints, false)),
    ("IGNORE_TRIGGERS", (TableHintKind::IgnoreTriggers, false)),
];

/// Query hints that are words alone.
const QUERY_HINTS: &[(&[&str], QueryHintKind)] = &[
    (&["HASH", "JOIN"], QueryHintKind::HashJoin),
    (&["LOOP", "JOIN"], QueryHintKind::LoopJoin),
    (&["MERGE", "JOIN"], QueryHintKind::MergeJoin),
    (&["HASH", "GROUP"], QueryHintKind::HashGroup),
    (&["ORDER", "GROUP"], QueryHintKind::OrderGroup),
    (&["CONCAT", "UNION"], QueryHintKind::ConcatUnion),
    (&["HASH", "UNION"], QueryHintKind::HashUnion),
    (&["MERGE", "UNION"], QueryHintKind::MergeUnion),
    (&["FORCE", "ORDER"], QueryHintKind::ForceOrder),
    (&["RECOMPILE"], QueryHintKind::Recompile),
    (&["KEEP", "PLAN"], QueryHintKind::KeepPlan),
    (&["KEEPFIXED", "PLAN"], QueryHintKind::KeepFixedPlan),
    (&["EXPAND", "VIEWS"], QueryHintKind::ExpandViews),
    (&["ROBUST", "PLAN"], QueryHintKind::RobustPlan),
    (&["NO_PERFORMANCE_SPOOL"], QueryHintKind::NoPerformanceSpool),
    (&["IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX"], QueryHintKind::IgnoreNonclusteredColumnstoreIndex),
    (&["PARAMETERIZATION", "SIMPLE"], QueryHintKind::ParameterizationSimple),
    (&["PARAMETERIZATION", "FORCED"], QueryHintKind::ParameterizationForced),
    (&["FORCE", "EXTERNALPUSHDOWN"], QueryHintKind::ForceExternalPushdown),
    (&["DISABLE", "EXTERNALPUSHDOWN"], QueryHintKind::DisableExternalPushdown),
    (&["OPTIMIZE", "FOR", "UNKNOWN"], QueryHintKind::OptimizeForUnknown),
];

/// Query hints with a value.
#[derive(Clone, Copy)]
enum ValueHint {
    MaxDop,
    MaxRecursion,
    Fast,
    MaxGrant,
    MinGrant,
    TraceOn,
    Label,
}

impl Parser<'_> {
    /// `WITH (hint, …)` after a table, if it is there.
    pub(super) fn with_table_hints(&mut self) -> SqlResult<Vec<TableHint>> {
        if !self.at(K::With) {
            return Ok(Vec::new());
        }
        match self.peek_at(1).kind {
            TokenKind::LeftParen => {
                self.take();
                self.table_hints()
            }
            // `FROM t WITH c AS (…)`: the statement before the common table expression has no
            // semicolon.
            _ if super::stream::is_ident(self.peek_at(1)) && self.peek_at(2).keyword == K::As => {
                self.take();
                Err(self.error_near(&message::COMMON_TABLE_EXPRESSION_NEEDS_SEMICOLON))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the parenthesis here encloses hints as of old, without `WITH`.
    pub(super) fn old_hints_ahead(&self) -> bool {
        let word = self.peek_at(1);
        let follows = self.peek_at(2).kind;
        if word.keyword == K::Index {
            return true;
        }
        let ends = matches!(follows, TokenKind::RightParen | TokenKind::Comma | TokenKind::Word);
        ends && self.table_hint_word(word).is_some_and(|(_, old)| old)
    }

    /// Hints without `WITH`, if they are there. After an alias a parenthesis can be nothing else.
    pub(super) fn old_table_hints(&mut self, behind_alias: bool) -> SqlResult<Vec<TableHint>> {
        let found = self.at_token(TokenKind::LeftParen) && (behind_alias || self.old_hints_ahead());
        match found {
            true => self.table_hints(),
            false => Ok(Vec::new()),
        }
    }

    /// `FROM t HOLDLOCK`, `FROM t INDEX = 1`: error 1018.
    pub(super) fn refuse_bare_hint(&self) -> SqlResult<()> {
        match self.peek().keyword {
            K::HoldLock | K::Index => Err(self.error_near(&message::SYNTAX_NEAR_INDEX_HINT)),
            _ => Ok(()),
        }
    }

    fn table_hint_word(&self, token: Token) -> Option<(TableHintKind, bool)> {
        let text = self.text_of(token);
        let found = TABLE_HINTS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        found.map(|(_, meaning)| meaning.clone())
    }

    /// `(hint, hint hint)`: commas may be left out.
    fn table_hints(&mut self) -> SqlResult<Vec<TableHint>> {
        self.expect_token(TokenKind::LeftParen)?;
        let mut hints = vec![self.table_hint()?];
        loop {
            if self.eat_token(TokenKind::RightParen) {
                return Ok(hints);
            }
            self.eat_token(TokenKind::Comma);
            hints.push(self.table_hint()?);
        }
    }

    fn table_hint(&mut self) -> SqlResult<TableHint> {
        let start = self.peek();
        if start.kind != TokenKind::Word {
            return Err(self.unexpected());
        }
        let kind = if let Some((kind, _)) = self.table_hint_word(start) {
            self.take();
            kind
        } else if self.eat(K::Index) {
            self.index_hint()?
        } else if self.at_text("FORCESEEK") {
            self.take();
            TableHintKind::ForceSeek(self.force_seek()?)
        } else if self.at_text("SPATIAL_WINDOW_MAX_CELLS") {
            self.take();
            self.eat_equal();
            TableHintKind::SpatialWindowMaxCells(self.integer()?)
        } else if start.keyword.is_reserved() {
            return Err(self.unexpected());
        } else {
            return Err(self.error_near(&message::UNKNOWN_TABLE_HINT));
        };
        Ok(TableHint { span: self.span_from(start), kind })
    }

    /// What follows `INDEX`: `= a`, `(a, b)`, `= (a)`, or, as of old, a number.
    fn index_hint(&mut self) -> SqlResult<TableHintKind> {
        self.eat_equal();
        match self.at_token(TokenKind::LeftParen) {
            true => Ok(TableHintKind::Index(self.parenthesized(Parser::index_ref)?)),
            false => Ok(TableHintKind::Index(vec![self.index_ref()?])),
        }
    }

    fn index_ref(&mut self) -> SqlResult<IndexRef> {
        match self.at_token(TokenKind::Integer) {
            true => Ok(IndexRef::Number(self.integer()?)),
            false => Ok(IndexRef::Name(self.ident()?)),
        }
    }

    /// `(index (a, b))` after `FORCESEEK`.
    fn force_seek(&mut self) -> SqlResult<Option<(IndexRef, Vec<crate::ast::Ident>)>> {
        if !self.eat_token(TokenKind::LeftParen) {
            return Ok(None);
        }
        let index = self.index_ref()?;
        let columns = self.ident_list()?;
        self.expect_token(TokenKind::RightParen)?;
        Ok(Some((index, columns)))
    }

    /// `OPTION (…)`, if it is there.
    pub(super) fn query_options(&mut self) -> SqlResult<Vec<QueryHint>> {
        match self.eat(K::Option) {
            true => self.parenthesized(Parser::query_hint),
            false => Ok(Vec::new()),
        }
    }

    fn query_hint(&mut self) -> SqlResult<QueryHint> {
        let start = self.peek();
        let kind = match self.plain_query_hint() {
            Some(kind) => kind,
            None => self.query_hint_with_value()?,
        };
        Ok(QueryHint { span: self.span_from(start), kind })
    }

    fn plain_query_hint(&mut self) -> Option<QueryHintKind> {
        let (words, kind) = QUERY_HINTS.iter().find(|(words, _)| {
            words.iter().enumerate().all(|(ahead, word)| {
                let token = self.peek_at(ahead);
                token.kind == TokenKind::Word && self.text_of(token).eq_ignore_ascii_case(word)
            })
        })?;
        for _ in *words {
            self.take();
        }
        Some(kind.clone())
    }

    fn query_hint_with_value(&mut self) -> SqlResult<QueryHintKind> {
        use ValueHint::*;
        const HINTS: Words<ValueHint> = &[
            ("MAXDOP", MaxDop),
            ("MAXRECURSION", MaxRecursion),
            ("FAST", Fast),
            ("MAX_GRANT_PERCENT", MaxGrant),
            ("MIN_GRANT_PERCENT", MinGrant),
            ("QUERYTRACEON", TraceOn),
            ("LABEL", Label),
        ];
        if let Some(hint) = self.find_word(HINTS) {
            self.take();
            self.eat_equal();
            return match hint {
                MaxDop => Ok(QueryHintKind::MaxDop(self.integer()?)),
                MaxRecursion => self.max_recursion(),
                Fast => Ok(QueryHintKind::Fast(self.integer()?)),
                MaxGrant => Ok(QueryHintKind::MaxGrantPercent(self.signed_number()?)),
                MinGrant => Ok(QueryHintKind::MinGrantPercent(self.signed_number()?)),
                TraceOn => Ok(QueryHintKind::QueryTraceOn(self.integer()?)),
                Label => Ok(QueryHintKind::Label(self.string()?)),
            };
        }
        if self.eat_words(&[K::Use, K::Plan]) {
            return Ok(QueryHintKind::UsePlan(self.string()?));
        }
        if self.eat_words(&[K::Use, K::Hint]) {
            return Ok(QueryHintKind::UseHint(self.parenthesized(Parser::string)?));
        }
        if self.eat_words(&[K::Table, K::Hint]) {
            return self.table_hint_option();
        }
        if self.eat_words(&[K::Optimize, K::For]) {
            return Ok(QueryHintKind::OptimizeFor(self.parenthesized(|p| {
                let variable = p.variable()?;
                if p.eat(K::Unknown) {
                    return Ok((variable, None));
                }
                p.expect_token(TokenKind::Equal)?;
                Ok((variable, Some(p.primary_scalar()?)))
            })?));
        }
        Err(self.unexpected())
    }

    /// Error 310 beyond 32,767.
    fn max_recursion(&mut self) -> SqlResult<QueryHintKind> {
        const ROUNDS_MAX: u32 = 32_767;
        let line = self.peek().span.line;
        match self.integer::<u64>()? {
            rounds if rounds <= u64::from(ROUNDS_MAX) => {
                Ok(QueryHintKind::MaxRecursion(rounds as u32))
            }
            rounds => Err(SqlError::new(&message::MAXRECURSION_TOO_LARGE, &[&rounds, &ROUNDS_MAX])
                .at_line(line)),
        }
    }

    /// `TABLE HINT (name, hint, …)`.
    fn table_hint_option(&mut self) -> SqlResult<QueryHintKind> {
        self.expect_token(TokenKind::LeftParen)?;
        let name = Box::new(self.object_name()?);
        let mut hints = Vec::new();
        while self.eat_token(TokenKind::Comma) {
            hints.push(self.table_hint()?);
        }
        self.expect_token(TokenKind::RightParen)?;
        Ok(QueryHintKind::TableHint(name, hints))
    }
}
