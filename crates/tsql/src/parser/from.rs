//! What may stand in a `FROM`: tables, functions, subqueries, joins, pivots.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::dml::changes_rows;
use super::stream::Words;
use crate::ast::{
    BulkOptionKind, ChangeTable, ChangeTableKind, Expr, ExprKind, FileContent, FileReading, Ident,
    Join, JoinHint, JoinKind, MemberUse, ObjectName, OpenJsonColumn, OpenXml, OpenXmlColumn,
    OpenXmlSchema, Pivot, Query, Span, SystemTime, SystemTimeKind, TableAlias, TableFile,
    TableFunction, TableMethod, TableRef, TableSample, TableSource, TableSourceKind, Unpivot,
    Variable,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// What a source costs of the depth: the frames from one to one inside it.
const SOURCE_COST: u32 = 1;

/// What `OPENROWSET(BULK …)` reads a whole file as.
const CONTENTS: Words<FileContent> = &[
    ("SINGLE_BLOB", FileContent::Bytes),
    ("SINGLE_CLOB", FileContent::Narrow),
    ("SINGLE_NCLOB", FileContent::Wide),
];

/// What a parenthesis in a `FROM` turned out to enclose.
enum Enclosed {
    /// A query, which needs an alias unless it is an operand of another query.
    Query(Query),
    /// Rows, which need an alias.
    Values(Vec<Vec<Expr>>),
    /// A join.
    Source(TableSource),
}

impl Parser<'_> {
    /// A source with all that is joined to it.
    pub(super) fn table_source(&mut self) -> SqlResult<TableSource> {
        self.enter(SOURCE_COST)?;
        let first = self.single_source()?;
        let source = self.joins_after(first)?;
        self.leave(SOURCE_COST);
        Ok(source)
    }

    /// The joins and pivots after a source.
    #[inline(never)]
    fn joins_after(&mut self, mut left: TableSource) -> SqlResult<TableSource> {
        loop {
            let start = left.span;
            let kind = match self.peek().keyword {
                K::Pivot => self.pivot(left)?,
                K::Unpivot => self.unpivot(left)?,
                _ => match self.join_operator()? {
                    Some((kind, hint)) => self.join(left, kind, hint)?,
                    None => return Ok(left),
                },
            };
            left = TableSource { span: self.since(start), kind };
        }
    }

    /// `INNER LOOP JOIN` and the like, if it is there.
    fn join_operator(&mut self) -> SqlResult<Option<(JoinKind, Option<JoinHint>)>> {
        let next = self.peek_at(1).keyword;
        let kind = match self.peek().keyword {
            K::Join => {
                self.take();
                return Ok(Some((JoinKind::Inner, None)));
            }
            K::Cross | K::Outer => {
                let cross = self.take().keyword == K::Cross;
                let kind = match (cross, next) {
                    (true, K::Join) => JoinKind::Cross,
                    (true, K::Apply) => JoinKind::CrossApply,
                    (false, K::Apply) => JoinKind::OuterApply,
                    _ => return Err(self.unexpected()),
                };
                self.take();
                return Ok(Some((kind, None)));
            }
            K::Inner => JoinKind::Inner,
            K::Left => JoinKind::LeftOuter,
            K::Right => JoinKind::RightOuter,
            K::Full => JoinKind::FullOuter,
            _ => return Ok(None),
        };
        self.take();
        if kind != JoinKind::Inner {
            self.eat(K::Outer);
        }
        let hint = self.find_word(&[
            ("LOOP", JoinHint::Loop),
            ("HASH", JoinHint::Hash),
            ("MERGE", JoinHint::Merge),
            ("REMOTE", JoinHint::Remote),
        ]);
        if hint.is_some() {
            self.take();
        }
        self.expect(K::Join)?;
        Ok(Some((kind, hint)))
    }

    #[inline(never)]
    fn join(
        &mut self,
        left: TableSource,
        kind: JoinKind,
        hint: Option<JoinHint>,
    ) -> SqlResult<TableSourceKind> {
        self.count_join()?;
        let (right, on) = match kind {
            JoinKind::Cross | JoinKind::CrossApply | JoinKind::OuterApply => {
                (self.single_source()?, None)
            }
            // What is joined before the `ON` belongs to the right side.
            _ => {
                let right = self.table_source()?;
                self.expect(K::On)?;
                (right, Some(self.condition()?))
            }
        };
        Ok(TableSourceKind::Join(Box::new(Join { kind, hint, left, right, on })))
    }

    /// A source on its own.
    #[inline(never)]
    fn single_source(&mut self) -> SqlResult<TableSource> {
        let start = self.peek();
        let kind = match start.kind {
            TokenKind::LeftParen => return self.source_in_parentheses(),
            TokenKind::LeftBrace if self.peek_at(1).keyword == K::Oj => {
                self.take();
                self.take();
                let source = self.table_source()?;
                self.expect_token(TokenKind::RightBrace)?;
                return Ok(source);
            }
            TokenKind::Variable => self.variable_source()?,
            _ if start.keyword == K::OpenRowset => self.open_rowset()?,
            _ if start.keyword == K::OpenXml => self.open_xml()?,
            TokenKind::DoubleColon => {
                self.take();
                self.named_source()?
            }
            _ => self.named_source()?,
        };
        Ok(TableSource { span: self.span_from(start), kind })
    }

    /// `OPENROWSET(BULK 'path', SINGLE_CLOB) AS name (column)`. Errors 471, 491, 4137, 5374, 15281.
    #[inline(never)]
    fn open_rowset(&mut self) -> SqlResult<TableSourceKind> {
        let start = self.expect(K::OpenRowset)?.span;
        self.expect_token(TokenKind::LeftParen)?;
        if !self.eat(K::Bulk) {
            return Err(SqlError::new(&message::AD_HOC_QUERIES_OFF, &[]).at_line(start.line));
        }
        let path = self.string()?;
        let fail = |message| Err(SqlError::new(message, &[]).at_line(start.line));
        let (mut content, mut options) = (None, Vec::new());
        while self.eat_token(TokenKind::Comma) {
            match self.find_word(CONTENTS) {
                Some(_) if content.is_some() => return fail(&message::SEVERAL_FILE_CONTENTS),
                Some(found) => {
                    self.take();
                    content = Some(found);
                }
                None => options.push(self.rowset_option()?),
            }
        }
        self.expect_token(TokenKind::RightParen)?;
        let has = |wanted: fn(&BulkOptionKind) -> bool| options.iter().any(|o| wanted(&o.kind));
        if self.at(K::With) && has(|kind| matches!(kind, BulkOptionKind::Format(_))) {
            let error = SqlError::new(&message::BULK_WITH_COLUMNS, &[&path]);
            return Err(error.at_line(start.line));
        }
        let reading = match content {
            Some(_) if has(|kind| matches!(kind, BulkOptionKind::FormatFile(_))) => {
                return fail(&message::FORMAT_FILE_AND_CONTENT);
            }
            Some(content) => FileReading::Whole(content),
            None => FileReading::Rows(options),
        };
        match self.optional_full_alias()? {
            Some(alias) => Ok(TableSourceKind::File(Box::new(TableFile { path, reading, alias }))),
            None => fail(&message::BULK_ROWSET_WITHOUT_NAME),
        }
    }

    #[inline(never)]
    fn variable_source(&mut self) -> SqlResult<TableSourceKind> {
        let variable = self.variable()?;
        if self.method_ahead() {
            return self.table_method(variable);
        }
        let alias = self.table_alias()?;
        let hints = self.with_table_hints()?;
        Ok(TableSourceKind::Variable { variable, alias, hints })
    }

    /// `@x.nodes('…') AS a (b)`.
    fn table_method(&mut self, variable: Variable) -> SqlResult<TableSourceKind> {
        let operand = Expr { span: variable.span, kind: ExprKind::Variable(variable.name) };
        let call = self.method(operand, MemberUse::Read)?;
        let alias = self.optional_full_alias()?;
        Ok(TableSourceKind::Method(Box::new(TableMethod { call, alias })))
    }

    /// A table or a call of a function.
    #[inline(never)]
    fn named_source(&mut self) -> SqlResult<TableSourceKind> {
        if self.at_text("CHANGETABLE") && self.peek_at(1).kind == TokenKind::LeftParen {
            return self.change_table();
        }
        let name = self.object_name()?;
        match self.at_token(TokenKind::LeftParen) && !self.old_hints_ahead() {
            true => self.table_function(name),
            false => Ok(TableSourceKind::Table(Box::new(self.table_ref(name)?))),
        }
    }

    /// `CHANGETABLE(CHANGES t, @version)`, `CHANGETABLE(VERSION t, (a, b), (1, 2))`.
    #[inline(never)]
    fn change_table(&mut self) -> SqlResult<TableSourceKind> {
        self.take();
        self.expect_token(TokenKind::LeftParen)?;
        let asks_for_row = self.expect_word(&[("CHANGES", false), ("VERSION", true)])?;
        let table = self.object_name()?;
        self.expect_token(TokenKind::Comma)?;
        let kind = match asks_for_row {
            false => ChangeTableKind::Changes(self.change_version()?),
            true => {
                let columns = self.ident_list()?;
                self.expect_token(TokenKind::Comma)?;
                ChangeTableKind::Version(columns, self.parenthesized(Parser::scalar)?)
            }
        };
        let force_seek = self.eat_token(TokenKind::Comma);
        if force_seek {
            self.expect_word(&[("FORCESEEK", ())])?;
        }
        self.expect_token(TokenKind::RightParen)?;
        let alias = self.optional_full_alias()?;
        Ok(TableSourceKind::Changes(Box::new(ChangeTable { table, kind, force_seek, alias })))
    }

    /// An integer, a variable or `NULL`.
    fn change_version(&mut self) -> SqlResult<Expr> {
        let start = self.peek();
        let starts = matches!(start.kind, TokenKind::Variable | TokenKind::Integer)
            || start.kind == TokenKind::Minus && self.peek_at(1).kind == TokenKind::Integer
            || start.keyword == K::Null;
        match starts {
            true => {
                let value = self.scalar()?;
                let ends = self.at_token(TokenKind::RightParen) || self.at_token(TokenKind::Comma);
                let is_plain = matches!(
                    value.kind,
                    ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Unary { .. }
                );
                if ends && is_plain { Ok(value) } else { Err(self.unexpected()) }
            }
            false => Err(self.unexpected()),
        }
    }

    /// What follows a table's name.
    #[inline(never)]
    fn table_ref(&mut self, name: ObjectName) -> SqlResult<TableRef> {
        let system_time = self.system_time()?;
        let mut hints = self.old_table_hints(false)?;
        let mut sample = self.table_sample()?;
        let alias = self.table_alias()?;
        if sample.is_none() {
            sample = self.table_sample()?;
        }
        if hints.is_empty() {
            hints = self.old_table_hints(true)?;
        }
        if hints.is_empty() {
            hints = self.with_table_hints()?;
        }
        self.refuse_bare_hint()?;
        Ok(TableRef { name, system_time, alias, sample, hints })
    }

    /// `FOR SYSTEM_TIME …`, if it is there.
    fn system_time(&mut self) -> SqlResult<Option<Box<SystemTime>>> {
        if !self.at(K::For) || self.peek_at(1).keyword != K::SystemTime {
            return Ok(None);
        }
        let start = self.take();
        self.take();
        let kind = match self.peek().keyword {
            K::All => {
                self.take();
                SystemTimeKind::All
            }
            K::As => {
                self.expect_words(&[K::As, K::Of])?;
                SystemTimeKind::AsOf(self.scalar()?)
            }
            K::From => {
                self.take();
                let first = self.scalar()?;
                self.expect(K::To)?;
                SystemTimeKind::FromTo(first, self.scalar()?)
            }
            K::Between => {
                self.take();
                let first = self.scalar()?;
                self.expect(K::And)?;
                SystemTimeKind::Between(first, self.scalar()?)
            }
            _ => {
                self.expect_word(&[("CONTAINED", ())])?;
                self.expect(K::In)?;
                self.expect_token(TokenKind::LeftParen)?;
                let first = self.scalar()?;
                self.expect_token(TokenKind::Comma)?;
                let last = self.scalar()?;
                self.expect_token(TokenKind::RightParen)?;
                SystemTimeKind::ContainedIn(first, last)
            }
        };
        Ok(Some(Box::new(SystemTime { span: self.span_from(start), kind })))
    }

    /// `AS name`, `name`, or nothing.
    pub(super) fn table_alias(&mut self) -> SqlResult<Option<Ident>> {
        let is_name = self.at_alias() && !self.window_clause_ahead();
        match self.eat(K::As) || is_name {
            true => Ok(Some(self.ident()?)),
            false => Ok(None),
        }
    }

    /// `AS name (a, b)`, or nothing.
    fn optional_full_alias(&mut self) -> SqlResult<Option<TableAlias>> {
        let is_name = self.at_alias() && !self.window_clause_ahead();
        match self.at(K::As) || is_name {
            true => Ok(Some(self.full_alias()?)),
            false => Ok(None),
        }
    }

    /// `AS name (a, b)`, which must be there.
    pub(super) fn full_alias(&mut self) -> SqlResult<TableAlias> {
        self.eat(K::As);
        let name = self.ident()?;
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false => Vec::new(),
        };
        Ok(TableAlias { name, columns })
    }

    /// `TABLESAMPLE SYSTEM (10 PERCENT) REPEATABLE (1)`.
    fn table_sample(&mut self) -> SqlResult<Option<Box<TableSample>>> {
        if !self.eat(K::TableSample) {
            return Ok(None);
        }
        self.eat(K::System);
        self.expect_token(TokenKind::LeftParen)?;
        let amount = self.scalar()?;
        let rows = self.eat(K::Rows);
        if !rows {
            self.eat(K::Percent);
        }
        self.expect_token(TokenKind::RightParen)?;
        let mut seed = None;
        if self.eat(K::Repeatable) {
            self.expect_token(TokenKind::LeftParen)?;
            seed = Some(self.scalar()?);
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(Some(Box::new(TableSample { amount, rows, seed })))
    }

    /// What follows the name of a table-valued function.
    #[inline(never)]
    fn table_function(&mut self, name: ObjectName) -> SqlResult<TableSourceKind> {
        self.expect_token(TokenKind::LeftParen)?;
        let mut arguments = Vec::new();
        if !self.at_token(TokenKind::RightParen) {
            arguments = self.list(Parser::argument)?;
        }
        self.expect_token(TokenKind::RightParen)?;
        let mut schema = Vec::new();
        let is_openjson = name.is_bare() && name.name.name.eq_ignore_ascii_case("OPENJSON");
        if is_openjson && self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            schema = self.parenthesized(Parser::open_json_column)?;
        }
        let alias = self.optional_full_alias()?;
        let hints = self.with_table_hints()?;
        let function = TableFunction { name, arguments, schema, alias, hints };
        Ok(TableSourceKind::Function(Box::new(function)))
    }

    fn open_json_column(&mut self) -> SqlResult<OpenJsonColumn> {
        let name = self.ident()?;
        let ty = self.data_type()?;
        let collation = match self.eat(K::Collate) {
            true => Some(self.ident()?),
            false => None,
        };
        let path = match self.at_string() {
            true => Some(self.string()?),
            false => None,
        };
        let as_json = self.eat_words(&[K::As, K::Json]);
        Ok(OpenJsonColumn { name, ty, collation, path, as_json })
    }

    /// `OPENXML(@document, 'rows', flags) WITH (…) AS name`.
    #[inline(never)]
    fn open_xml(&mut self) -> SqlResult<TableSourceKind> {
        self.take();
        self.expect_token(TokenKind::LeftParen)?;
        let document = self.variable()?;
        self.expect_token(TokenKind::Comma)?;
        let is_rows = self.at_string();
        let rows = self.open_xml_argument(is_rows)?;
        let mut flags = None;
        if self.eat_token(TokenKind::Comma) {
            let is_flags = self.at_token(TokenKind::Integer);
            flags = Some(self.open_xml_argument(is_flags)?);
        }
        self.expect_token(TokenKind::RightParen)?;
        let schema = match self.eat(K::With) {
            true if self.at_token(TokenKind::LeftParen) => {
                OpenXmlSchema::Columns(self.parenthesized(Parser::open_xml_column)?)
            }
            true => OpenXmlSchema::Table(self.object_name()?),
            false => OpenXmlSchema::Edges,
        };
        let alias = self.optional_full_alias()?;
        let open = OpenXml { document, rows, flags, schema, alias };
        Ok(TableSourceKind::OpenXml(Box::new(open)))
    }

    /// A variable, or a literal if one of the right kind comes next.
    fn open_xml_argument(&mut self, is_literal: bool) -> SqlResult<Expr> {
        match is_literal {
            true => {
                let (literal, span) = self.literal()?;
                Ok(Expr { span, kind: ExprKind::Literal(literal) })
            }
            false => {
                let variable = self.variable()?;
                Ok(Expr { span: variable.span, kind: ExprKind::Variable(variable.name) })
            }
        }
    }

    fn open_xml_column(&mut self) -> SqlResult<OpenXmlColumn> {
        let name = self.ident()?;
        let ty = self.data_type()?;
        let pattern = match self.at_string() {
            true => Some(self.string()?),
            false => None,
        };
        Ok(OpenXmlColumn { name, ty, pattern })
    }

    #[inline(never)]
    fn source_in_parentheses(&mut self) -> SqlResult<TableSource> {
        let start = self.peek().span;
        let enclosed = self.enclosed()?;
        self.named(start, enclosed)
    }

    /// What a parenthesis encloses, with the name after it that it needs.
    #[inline(never)]
    fn named(&mut self, start: Span, enclosed: Enclosed) -> SqlResult<TableSource> {
        let kind = match enclosed {
            Enclosed::Source(source) => return Ok(source),
            Enclosed::Query(query) => {
                TableSourceKind::Derived { query: Box::new(query), alias: self.full_alias()? }
            }
            Enclosed::Values(rows) => TableSourceKind::Values { rows, alias: self.full_alias()? },
        };
        Ok(TableSource { span: self.since(start), kind })
    }

    /// A parenthesis and what it encloses.
    #[inline(never)]
    fn enclosed(&mut self) -> SqlResult<Enclosed> {
        self.enter(SOURCE_COST)?;
        self.expect_token(TokenKind::LeftParen)?;
        let start = self.peek().span;
        let enclosed = match self.peek().keyword {
            K::Select => Enclosed::Query(self.query()?),
            K::Values => {
                self.take();
                let rows = self.list(|p| p.parenthesized(Parser::scalar))?;
                Enclosed::Values(rows)
            }
            keyword if changes_rows(keyword) => {
                let error = SqlError::new(&message::NESTED_DML_MISPLACED, &[]);
                return Err(error.at_line(start.line));
            }
            _ if self.at_token(TokenKind::LeftParen) => match self.enclosed()? {
                Enclosed::Query(query) if self.query_goes_on() => {
                    let nested = crate::ast::QueryBody::Nested(Box::new(query));
                    Enclosed::Query(self.query_after(start, nested)?)
                }
                inner => {
                    let first = self.named(start, inner)?;
                    Enclosed::Source(self.joins_after(first)?)
                }
            },
            _ => Enclosed::Source(self.table_source()?),
        };
        self.expect_token(TokenKind::RightParen)?;
        self.leave(SOURCE_COST);
        Ok(enclosed)
    }

    /// Whether what stands after a query in parentheses makes the whole a query.
    fn query_goes_on(&self) -> bool {
        self.at_token(TokenKind::RightParen)
            || matches!(
                self.peek().keyword,
                K::Union | K::Except | K::Intersect | K::Order | K::For
            )
    }

    /// `PIVOT (aggregate FOR column IN (a, b)) AS name`.
    #[inline(never)]
    fn pivot(&mut self, source: TableSource) -> SqlResult<TableSourceKind> {
        self.count_join()?;
        self.expect(K::Pivot)?;
        self.expect_token(TokenKind::LeftParen)?;
        let aggregate = self.primary_scalar()?;
        self.expect(K::For)?;
        let column = self.column_ref()?;
        self.expect(K::In)?;
        let values = self.ident_list()?;
        self.expect_token(TokenKind::RightParen)?;
        let alias = self.full_alias()?;
        Ok(TableSourceKind::Pivot(Box::new(Pivot { source, aggregate, column, values, alias })))
    }

    /// `UNPIVOT (value FOR column IN (a, b)) AS name`.
    #[inline(never)]
    fn unpivot(&mut self, source: TableSource) -> SqlResult<TableSourceKind> {
        self.count_join()?;
        self.expect(K::Unpivot)?;
        self.expect_token(TokenKind::LeftParen)?;
        let value = self.ident()?;
        self.expect(K::For)?;
        let column = self.ident()?;
        self.expect(K::In)?;
        let columns = self.parenthesized(Parser::column_ref)?;
        self.expect_token(TokenKind::RightParen)?;
        let alias = self.full_alias()?;
        Ok(TableSourceKind::Unpivot(Box::new(Unpivot { source, value, column, columns, alias })))
    }
}
