//! `CREATE TABLE`, and what stands in a table definition beside columns.

use base::{SqlError, SqlResult, message};

use super::Parser;
use crate::ast::{
    Constraint, ConstraintKind, CreateTable, DataSpace, ForeignKey, HistoryRetention, Ident,
    IndexColumn, InlineIndex, KeyConstraint, LockScheme, ReferentialAction, RetentionUnit,
    StatementKind, SystemVersioning, TableDefinition, TableElement, TableOption, TableOptionKind,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::{Token, TokenKind};

impl Parser<'_> {
    /// `CREATE TABLE`, from `TABLE` on.
    pub(super) fn create_table(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Table)?;
        let name = self.object_name()?;
        let start = self.peek();
        let elements = self.table_elements()?;
        let mut table = CreateTable {
            name,
            definition: TableDefinition { span: start.span, elements, options: Vec::new() },
            on: None,
            text_image_on: None,
            filestream_on: None,
        };
        loop {
            match self.peek().keyword {
                K::On if table.on.is_none() => {
                    self.take();
                    table.on = Some(self.data_space()?);
                }
                K::TextImageOn => {
                    self.take();
                    table.text_image_on = Some(self.ident_or_string()?);
                }
                K::FileStreamOn => {
                    self.take();
                    table.filestream_on = Some(self.ident_or_string()?);
                }
                K::With if self.peek_at(1).kind == TokenKind::LeftParen => {
                    self.take();
                    let options = self.parenthesized(Parser::table_option)?;
                    table.definition.options.extend(options);
                }
                K::With if self.at_ase_options() => {
                    self.take();
                    table.definition.options.extend(self.list(Parser::ase_table_option)?);
                }
                _ if self.at_text("LOCK") => table.definition.options.push(self.lock_scheme()?),
                _ => break,
            }
        }
        table.definition.span = self.span_from(start);
        Ok(StatementKind::CreateTable(Box::new(table)))
    }

    /// `(columns …) WITH (options)`: a table type, a table variable, a function's result.
    pub(super) fn table_definition(&mut self) -> SqlResult<TableDefinition> {
        let start = self.peek();
        let elements = self.table_elements()?;
        let mut options = Vec::new();
        if self.at(K::With) && self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            options = self.parenthesized(Parser::table_option)?;
        }
        Ok(TableDefinition { span: self.span_from(start), elements, options })
    }

    /// What stands in a table definition's parentheses; a last comma is allowed.
    fn table_elements(&mut self) -> SqlResult<Vec<TableElement>> {
        self.expect_token(TokenKind::LeftParen)?;
        let mut elements = vec![self.table_element()?];
        while !self.eat_token(TokenKind::RightParen) {
            self.expect_token(TokenKind::Comma)?;
            if self.eat_token(TokenKind::RightParen) {
                break;
            }
            elements.push(self.table_element()?);
        }
        Ok(elements)
    }

    /// A column, constraint or index.
    pub(super) fn table_element(&mut self) -> SqlResult<TableElement> {
        match self.peek().keyword {
            K::Constraint | K::Primary | K::Unique | K::Foreign | K::Check | K::Default => {
                Ok(TableElement::Constraint(Box::new(self.constraint()?)))
            }
            K::Index => Ok(TableElement::Index(Box::new(self.inline_index(false)?))),
            K::Period if self.peek_at(1).keyword == K::For => {
                let start = self.take();
                self.expect_words(&[K::For, K::SystemTime])?;
                self.expect_token(TokenKind::LeftParen)?;
                let first = self.ident()?;
                self.expect_token(TokenKind::Comma)?;
                let last = self.ident()?;
                self.expect_token(TokenKind::RightParen)?;
                let span = self.span_from(start);
                Ok(TableElement::Period { span, start: first, end: last })
            }
            _ => Ok(TableElement::Column(Box::new(self.column_definition()?))),
        }
    }

    /// A constraint, after a column or on its own.
    pub(super) fn constraint(&mut self) -> SqlResult<Constraint> {
        let start = self.peek();
        let name = match self.eat(K::Constraint) {
            true => Some(self.ident()?),
            false => None,
        };
        let kind = match self.peek().keyword {
            K::Primary | K::Unique => ConstraintKind::Key(self.key_constraint()?),
            K::Foreign | K::References => ConstraintKind::ForeignKey(self.foreign_key()?),
            K::Check => {
                self.take();
                let not_for_replication = self.not_for_replication()?;
                self.expect_token(TokenKind::LeftParen)?;
                let condition = self.condition()?;
                self.expect_token(TokenKind::RightParen)?;
                ConstraintKind::Check { condition, not_for_replication }
            }
            K::Default => {
                self.take();
                let value = self.scalar()?;
                let mut column = None;
                if self.eat(K::For) {
                    column = Some(self.ident()?);
                }
                let with_values = self.eat_words(&[K::With, K::Values]);
                ConstraintKind::Default { value, column, with_values }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(Constraint { span: self.span_from(start), name, kind })
    }

    /// `NOT FOR REPLICATION`, if it is there.
    pub(super) fn not_for_replication(&mut self) -> SqlResult<bool> {
        Ok(self.eat_words(&[K::Not, K::For, K::Replication]))
    }

    fn key_constraint(&mut self) -> SqlResult<KeyConstraint> {
        let primary = self.take().keyword == K::Primary;
        if primary {
            self.expect(K::Key)?;
        }
        let clustered = self.clustered();
        let hash = self.eat(K::Hash);
        let columns = match self.at_token(TokenKind::LeftParen) {
            true => self.index_columns()?,
            false => Vec::new(),
        };
        let options = self.index_options()?;
        let on = self.on_data_space()?;
        Ok(KeyConstraint { primary, clustered, hash, columns, options, on })
    }

    /// `CLUSTERED` (true) or `NONCLUSTERED` (false), if it is there.
    pub(super) fn clustered(&mut self) -> Option<bool> {
        if self.eat(K::Clustered) {
            return Some(true);
        }
        self.eat(K::NonClustered).then_some(false)
    }

    /// `(a ASC, b DESC)`.
    pub(super) fn index_columns(&mut self) -> SqlResult<Vec<IndexColumn>> {
        self.parenthesized(|p| {
            let name = p.ident()?;
            Ok(IndexColumn { name, descending: p.descending() })
        })
    }

    fn foreign_key(&mut self) -> SqlResult<ForeignKey> {
        let mut columns = Vec::new();
        if self.eat(K::Foreign) {
            self.expect(K::Key)?;
            if self.at_token(TokenKind::LeftParen) {
                columns = self.ident_list()?;
            }
        }
        self.expect(K::References)?;
        let table = self.object_name()?;
        let referenced = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false => Vec::new(),
        };
        let mut key = ForeignKey {
            columns,
            table,
            referenced,
            on_delete: ReferentialAction::NoAction,
            on_update: ReferentialAction::NoAction,
            not_for_replication: false,
        };
        loop {
            if self.eat_words(&[K::On, K::Delete]) {
                key.on_delete = self.referential_action()?;
            } else if self.eat_words(&[K::On, K::Update]) {
                key.on_update = self.referential_action()?;
            } else if self.not_for_replication()? {
                key.not_for_replication = true;
            } else {
                return Ok(key);
            }
        }
    }

    fn referential_action(&mut self) -> SqlResult<ReferentialAction> {
        if self.eat(K::Cascade) {
            return Ok(ReferentialAction::Cascade);
        }
        if self.eat(K::Set) {
            return match self.eat(K::Null) {
                true => Ok(ReferentialAction::SetNull),
                false => self.expect(K::Default).map(|_| ReferentialAction::SetDefault),
            };
        }
        self.expect_words(&[K::No, K::Action])?;
        Ok(ReferentialAction::NoAction)
    }

    /// `INDEX name UNIQUE NONCLUSTERED HASH (a) INCLUDE (b) WHERE … WITH (…) ON …`. After a column
    /// it is that column's index, if it lists none.
    pub(super) fn inline_index(&mut self, of_column: bool) -> SqlResult<InlineIndex> {
        let start = self.expect(K::Index)?;
        let name = self.ident()?;
        let unique = self.eat(K::Unique);
        let clustered = self.clustered();
        let hash = self.eat(K::Hash);
        let columnstore = self.eat(K::Columnstore);
        let may_lack_columns = of_column || columnstore;
        let columns = match may_lack_columns && !self.at_token(TokenKind::LeftParen) {
            true => Vec::new(),
            false => self.index_columns()?,
        };
        let include = self.include_clause()?;
        let filter = match self.eat(K::Where) {
            true => Some(self.condition()?),
            false => None,
        };
        let options = self.index_options()?;
        let on = self.on_data_space()?;
        let mut index = InlineIndex {
            span: start.span,
            name,
            unique,
            clustered,
            hash,
            columnstore,
            columns,
            include,
            filter,
            options,
            on,
        };
        if self.eat(K::FileStreamOn) {
            self.ident_or_string()?;
        }
        index.span = self.span_from(start);
        Ok(index)
    }

    /// `INCLUDE (a, b)`, if it is there.
    pub(super) fn include_clause(&mut self) -> SqlResult<Vec<Ident>> {
        match self.eat(K::Include) {
            true => self.ident_list(),
            false => Ok(Vec::new()),
        }
    }

    /// `ON filegroup`, if it is there. `ON DELETE` is a foreign key's.
    pub(super) fn on_data_space(&mut self) -> SqlResult<Option<DataSpace>> {
        let follows = self.peek_at(1);
        let is_name = super::stream::is_ident(follows)
            || matches!(follows.kind, TokenKind::String | TokenKind::National);
        match self.at(K::On) && is_name {
            true => {
                self.take();
                Ok(Some(self.data_space()?))
            }
            false => Ok(None),
        }
    }

    /// `filegroup`, `partition_scheme (column)`.
    pub(super) fn data_space(&mut self) -> SqlResult<DataSpace> {
        let name = self.ident_or_string()?;
        let mut column = None;
        if self.eat_token(TokenKind::LeftParen) {
            column = Some(self.ident()?);
            self.expect_token(TokenKind::RightParen)?;
        }
        Ok(DataSpace { name, column })
    }

    /// An option of `WITH (…)` after a table.
    pub(super) fn table_option(&mut self) -> SqlResult<TableOption> {
        let start = self.peek();
        let kind = self.table_option_kind(start)?;
        Ok(TableOption { span: self.span_from(start), kind })
    }

    fn table_option_kind(&mut self, start: Token) -> SqlResult<TableOptionKind> {
        let name = self.any_word()?;
        if start.keyword.is_reserved() {
            return Err(self.unexpected_last());
        }
        self.expect_token(TokenKind::Equal)?;
        if let Some(kind) = self.row_storage_option(&name)? {
            return Ok(kind);
        }
        match &*name {
            "MEMORY_OPTIMIZED" => Ok(TableOptionKind::MemoryOptimized(self.on_off()?)),
            "DURABILITY" => Ok(TableOptionKind::DurableData(
                self.expect_word(&[("SCHEMA_AND_DATA", true), ("SCHEMA_ONLY", false)])?,
            )),
            "DATA_COMPRESSION" => Ok(TableOptionKind::DataCompression(self.any_word()?)),
            "LOCK_ESCALATION" => Ok(TableOptionKind::LockEscalation(self.any_word()?)),
            "SYSTEM_VERSIONING" => {
                let versioning = match self.on_off()? {
                    true => Some(Box::new(self.system_versioning()?)),
                    false => None,
                };
                Ok(TableOptionKind::SystemVersioning(versioning))
            }
            _ => Ok(TableOptionKind::Other(name, self.any_word()?)),
        }
    }

    /// What follows `SYSTEM_VERSIONING = ON`. Error 13744.
    fn system_versioning(&mut self) -> SqlResult<SystemVersioning> {
        let mut versioning = SystemVersioning::default();
        if !self.at_token(TokenKind::LeftParen) {
            return Ok(versioning);
        }
        self.parenthesized(|p| {
            let (history, check, retention) = (
                versioning.history.is_none(),
                versioning.consistency_check.is_none(),
                versioning.retention.is_none(),
            );
            match () {
                () if history && p.at_text("HISTORY_TABLE") => {
                    p.take();
                    p.expect_token(TokenKind::Equal)?;
                    versioning.history = Some(p.object_name()?);
                }
                () if check && p.at_text("DATA_CONSISTENCY_CHECK") => {
                    p.take();
                    p.expect_token(TokenKind::Equal)?;
                    versioning.consistency_check = Some(p.on_off()?);
                }
                () if retention && p.at_text("HISTORY_RETENTION_PERIOD") => {
                    p.take();
                    p.expect_token(TokenKind::Equal)?;
                    versioning.retention = Some(p.history_retention()?);
                }
                () => return Err(p.unexpected()),
            }
            Ok(())
        })?;
        Ok(versioning)
    }

    fn history_retention(&mut self) -> SqlResult<HistoryRetention> {
        use RetentionUnit::{Day, Month, Week, Year};
        if self.find_word(&[("INFINITE", ())]).is_some() {
            self.take();
            return Ok(HistoryRetention::Infinite);
        }
        let number = self.signed_number()?;
        let unit = self.expect_token(TokenKind::Word)?;
        let word = self.text_of(unit);
        let units = [("DAY", Day), ("WEEK", Week), ("MONTH", Month), ("YEAR", Year)];
        let is_it = |name: &str| {
            word.eq_ignore_ascii_case(name)
                || word.len() == name.len() + 1
                    && word.is_char_boundary(name.len())
                    && word[..name.len()].eq_ignore_ascii_case(name)
                    && word[name.len()..].eq_ignore_ascii_case("S")
        };
        match units.into_iter().find(|(name, _)| is_it(name)) {
            Some((_, unit)) => Ok(HistoryRetention::Period(number, unit)),
            None => {
                let error = SqlError::new(&message::RETENTION_UNIT_INVALID, &[&word]);
                Err(error.at_line(unit.span.line))
            }
        }
    }

    /// The value of an option that decides how rows are kept; its name has been read.
    fn row_storage_option(&mut self, name: &str) -> SqlResult<Option<TableOptionKind>> {
        Ok(Some(match name {
            "ROW_CACHING" => TableOptionKind::RowCaching(self.on_off()?),
            "SNAPSHOT_ISOLATION" => TableOptionKind::SnapshotIsolation(self.on_off()?),
            "DML_LOGGING" => TableOptionKind::FullLogging(
                self.expect_word(&[("FULL", true), ("MINIMAL", false)])?,
            ),
            _ => return Ok(None),
        }))
    }

    /// Whether an option without parentheses follows `WITH`. Another name is that of a common table
    /// expression.
    fn at_ase_options(&self) -> bool {
        let name = self.text_of(self.peek_at(1));
        let is_option = |own: &&str| own.eq_ignore_ascii_case(name);
        ["ROW_CACHING", "SNAPSHOT_ISOLATION", "DML_LOGGING"].iter().any(is_option)
    }

    /// An option as SAP ASE writes it: `row_caching on`, `dml_logging = full`.
    pub(super) fn ase_table_option(&mut self) -> SqlResult<TableOption> {
        let start = self.peek();
        let name = self.any_word()?;
        self.eat_token(TokenKind::Equal);
        match self.row_storage_option(&name)? {
            Some(kind) => Ok(TableOption { span: self.span_from(start), kind }),
            None => Err(self.unexpected_last()),
        }
    }

    /// `LOCK ALLPAGES | DATAPAGES | DATAROWS`.
    pub(super) fn lock_scheme(&mut self) -> SqlResult<TableOption> {
        let start = self.take();
        let scheme = self.expect_word(&[
            ("ALLPAGES", LockScheme::AllPages),
            ("DATAPAGES", LockScheme::DataPages),
            ("DATAROWS", LockScheme::DataRows),
        ])?;
        let kind = TableOptionKind::LockScheme(scheme);
        Ok(TableOption { span: self.span_from(start), kind })
    }
}
