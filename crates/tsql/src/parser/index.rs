//! Indexes and statistics.

use base::{SqlError, SqlResult, message};

use super::Parser;
use super::stream::Words;
use crate::ast::{
    AlterIndex, AlterIndexAction, CreateIndex, CreateSpatialIndex, CreateStatistics,
    CreateXmlIndex, DropIndex, DropIndexItem, HashCaching, Ident, IndexOption, IndexOptionKind,
    ObjectName, SelectiveChange, SelectivePath, SelectiveType, SelectiveXml, Span,
    SpatialParameter, SpatialParameterKind, StatementKind, StatisticsOption, UpdateStatistics,
    XmlIndexPurpose, XmlIndexUsing,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

/// Options that are on or off.
const SWITCHES: Words<fn(bool) -> IndexOptionKind> = &[
    ("ALLOW_PAGE_LOCKS", IndexOptionKind::AllowPageLocks),
    ("ALLOW_ROW_LOCKS", IndexOptionKind::AllowRowLocks),
    ("COMPRESS_ALL_ROW_GROUPS", IndexOptionKind::CompressAllRowGroups),
    ("DROP_EXISTING", IndexOptionKind::DropExisting),
    ("IGNORE_DUP_KEY", IndexOptionKind::IgnoreDupKey),
    ("LOB_COMPACTION", IndexOptionKind::LobCompaction),
    ("ONLINE", IndexOptionKind::Online),
    ("OPTIMIZE_FOR_SEQUENTIAL_KEY", IndexOptionKind::OptimizeForSequentialKey),
    ("PAD_INDEX", IndexOptionKind::PadIndex),
    ("RESUMABLE", IndexOptionKind::Resumable),
    ("SORT_IN_TEMPDB", IndexOptionKind::SortInTempdb),
    ("STATISTICS_INCREMENTAL", IndexOptionKind::StatisticsIncremental),
    ("STATISTICS_NORECOMPUTE", IndexOptionKind::StatisticsNoRecompute),
    ("XML_COMPRESSION", IndexOptionKind::XmlCompression),
];

/// Options with a number.
const NUMBERS: Words<fn(u32) -> IndexOptionKind> = &[
    ("COMPRESSION_DELAY", IndexOptionKind::CompressionDelay),
    ("FILLFACTOR", IndexOptionKind::FillFactor),
    ("MAXDOP", IndexOptionKind::MaxDop),
    ("MAX_DURATION", IndexOptionKind::MaxDuration),
];

/// What `WITH (…)` of a spatial index says.
enum SpatialOption {
    Parameter(Span, SpatialParameterKind),
    Plain(IndexOption),
}

impl Parser<'_> {
    /// `CREATE INDEX`, from the first word after `CREATE` on.
    pub(super) fn create_index(&mut self) -> SqlResult<StatementKind> {
        let unique = self.eat(K::Unique);
        let clustered = self.clustered();
        let columnstore = self.eat(K::Columnstore);
        self.expect(K::Index)?;
        let name = self.ident()?;
        self.expect(K::On)?;
        let table = self.object_name()?;
        let columns = match columnstore && !self.at_token(TokenKind::LeftParen) {
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
        let filestream_on = match self.eat(K::FileStreamOn) {
            true => Some(self.ident_or_string()?),
            false => None,
        };
        Ok(StatementKind::CreateIndex(Box::new(CreateIndex {
            unique,
            clustered,
            columnstore,
            name,
            table,
            columns,
            include,
            filter,
            options,
            on,
            filestream_on,
        })))
    }

    /// `CREATE [PRIMARY] XML INDEX`, from the first word after `CREATE` on.
    pub(super) fn create_xml_index(&mut self) -> SqlResult<StatementKind> {
        const PURPOSES: Words<XmlIndexPurpose> = &[
            ("PATH", XmlIndexPurpose::Path),
            ("VALUE", XmlIndexPurpose::Value),
            ("PROPERTY", XmlIndexPurpose::Property),
        ];
        let is_selective = self.at_text("SELECTIVE");
        if is_selective {
            self.take();
        }
        let primary = !is_selective && self.eat(K::Primary);
        self.expect_words(&[K::Xml, K::Index])?;
        let name = self.ident()?;
        self.expect(K::On)?;
        let table = self.object_name()?;
        self.expect_token(TokenKind::LeftParen)?;
        let column = self.ident()?;
        self.expect_token(TokenKind::RightParen)?;
        if is_selective {
            let selective = Some(self.selective_xml(Parser::selective_path)?);
            let (using, options) = (None, self.index_options()?);
            let create = CreateXmlIndex { primary, name, table, column, using, selective, options };
            return Ok(StatementKind::CreateXmlIndex(Box::new(create)));
        }
        let using = match !primary && self.eat(K::Using) {
            true => {
                self.expect_words(&[K::Xml, K::Index])?;
                let primary = self.ident()?;
                let (mut purpose, mut path) = (None, None);
                if self.eat(K::For) {
                    if self.eat_token(TokenKind::LeftParen) {
                        path = Some(self.ident()?);
                        self.expect_token(TokenKind::RightParen)?;
                    } else {
                        purpose = Some(self.expect_word(PURPOSES)?);
                    }
                }
                Some(XmlIndexUsing { primary, purpose, path })
            }
            false => None,
        };
        let (selective, options) = (None, self.index_options()?);
        let create = CreateXmlIndex { primary, name, table, column, using, selective, options };
        Ok(StatementKind::CreateXmlIndex(Box::new(create)))
    }

    /// `[WITH XMLNAMESPACES (…)] FOR (…)` of a selective XML index.
    fn selective_xml<T>(
        &mut self,
        item: fn(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<SelectiveXml<T>> {
        let namespaces = match self.eat(K::With) {
            true if self.at_namespaces() => self.namespaces()?,
            true => return Err(self.unexpected()),
            false => Vec::new(),
        };
        self.expect(K::For)?;
        let items = self.parenthesized(item)?;
        Ok(SelectiveXml { namespaces, items })
    }

    /// `name = 'path' [AS XQUERY ['type'] [MAXLENGTH (n)] | AS SQL type] [SINGLETON]`.
    fn selective_path(&mut self) -> SqlResult<SelectivePath> {
        const LANGUAGES: Words<bool> = &[("XQUERY", false), ("SQL", true)];
        let name = self.ident()?;
        self.expect_token(TokenKind::Equal)?;
        let path = self.string()?;
        let ty = match self.eat(K::As) {
            false => SelectiveType::None,
            true if self.expect_word(LANGUAGES)? => SelectiveType::Sql(self.data_type()?),
            true => {
                let ty = if self.at_string() { Some(self.string()?) } else { None };
                let max_length = match self.at_text("MAXLENGTH") {
                    true => {
                        self.take();
                        self.expect_token(TokenKind::LeftParen)?;
                        let length = self.integer()?;
                        self.expect_token(TokenKind::RightParen)?;
                        Some(length)
                    }
                    false => None,
                };
                SelectiveType::XQuery { ty, max_length }
            }
        };
        let is_singleton = self.at_text("SINGLETON");
        if is_singleton {
            self.take();
        }
        Ok(SelectivePath { name, path, ty, is_singleton })
    }

    /// `ADD path`, `REMOVE name`.
    fn selective_change(&mut self) -> SqlResult<SelectiveChange> {
        if self.eat(K::Add) {
            return self.selective_path().map(SelectiveChange::Add);
        }
        if !self.at_text("REMOVE") {
            return Err(self.unexpected());
        }
        self.take();
        self.ident().map(SelectiveChange::Remove)
    }

    /// `CREATE SPATIAL INDEX`, from `SPATIAL` on.
    pub(super) fn create_spatial_index(&mut self) -> SqlResult<StatementKind> {
        self.take();
        self.expect(K::Index)?;
        let name = self.ident()?;
        self.expect(K::On)?;
        let table = self.object_name()?;
        self.expect_token(TokenKind::LeftParen)?;
        let column = self.ident()?;
        self.expect_token(TokenKind::RightParen)?;
        let using = match self.eat(K::Using) {
            true => Some(self.ident()?),
            false => None,
        };
        let (mut parameters, mut options) = (Vec::new(), Vec::new());
        if self.eat(K::With) {
            let all = self.parenthesized(Parser::spatial_option)?;
            for one in all {
                match one {
                    SpatialOption::Parameter(span, kind) => {
                        let is_late = !options.is_empty();
                        parameters.push(SpatialParameter { span, kind, is_late });
                    }
                    SpatialOption::Plain(option) => options.push(option),
                }
            }
        }
        let on = self.on_data_space()?;
        let create = CreateSpatialIndex { name, table, column, using, parameters, options, on };
        Ok(StatementKind::CreateSpatialIndex(Box::new(create)))
    }

    fn spatial_option(&mut self) -> SqlResult<SpatialOption> {
        const NAMES: Words<fn(&mut Parser<'_>) -> SqlResult<SpatialParameterKind>> = &[
            ("BOUNDING_BOX", |p| {
                p.parenthesized(Parser::bound).map(SpatialParameterKind::BoundingBox)
            }),
            ("CELLS_PER_OBJECT", |p| {
                p.finite_number().map(|n| SpatialParameterKind::CellsPerObject(n as i64))
            }),
            ("GRIDS", |p| p.parenthesized(Parser::grid).map(SpatialParameterKind::Grids)),
        ];
        let start = self.peek();
        let Some(value) = self.find_word(NAMES) else {
            return self.index_option(false).map(SpatialOption::Plain);
        };
        self.take();
        self.expect_token(TokenKind::Equal)?;
        let kind = value(self)?;
        Ok(SpatialOption::Parameter(self.span_from(start), kind))
    }

    /// `1.5`, `XMIN = 1.5`.
    fn bound(&mut self) -> SqlResult<(Option<Ident>, f64)> {
        let name = self.part_name()?;
        Ok((name, self.finite_number()?))
    }

    /// `LOW`, `LEVEL_1 = LOW`.
    fn grid(&mut self) -> SqlResult<(Option<Ident>, Ident)> {
        let name = self.part_name()?;
        Ok((name, self.ident()?))
    }

    /// `name =`, if it is there.
    fn part_name(&mut self) -> SqlResult<Option<Ident>> {
        if self.peek_at(1).kind != TokenKind::Equal {
            return Ok(None);
        }
        let name = self.ident()?;
        self.expect_token(TokenKind::Equal)?;
        Ok(Some(name))
    }

    /// A finite number with or without a sign.
    fn finite_number(&mut self) -> SqlResult<f64> {
        let (wrong, written) = (self.unexpected(), self.signed_number()?);
        written.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(wrong)
    }

    /// `WITH (…)`, or as of old `WITH PAD_INDEX, FILLFACTOR = 80`, if it is there.
    pub(super) fn index_options(&mut self) -> SqlResult<Vec<IndexOption>> {
        if !self.at(K::With) {
            return Ok(Vec::new());
        }
        if self.peek_at(1).kind == TokenKind::LeftParen {
            self.take();
            return self.parenthesized(|p| p.index_option(false));
        }
        // After a default, `WITH VALUES` belongs to the column and not to the index.
        if self.peek_at(1).keyword == K::Values {
            return Ok(Vec::new());
        }
        self.take();
        self.list(|p| p.index_option(true))
    }

    /// `NAME = value`; in the old form a name alone means `ON`.
    fn index_option(&mut self, old: bool) -> SqlResult<IndexOption> {
        let start = self.peek();
        let kind = if let Some(kind) = self.find_word(SWITCHES) {
            self.take();
            match old && !self.at_token(TokenKind::Equal) {
                true => kind(true),
                false => {
                    self.expect_token(TokenKind::Equal)?;
                    kind(self.on_off()?)
                }
            }
        } else if let Some(kind) = self.find_word(NUMBERS) {
            self.take();
            self.expect_token(TokenKind::Equal)?;
            let kind = kind(self.integer()?);
            if self.at_text("MINUTES") {
                self.take();
            }
            kind
        } else if self.at_text("BUCKET_COUNT") {
            self.take();
            self.expect_token(TokenKind::Equal)?;
            let digits = self.expect_token(TokenKind::Integer)?;
            IndexOptionKind::BucketCount(self.text_of(digits).parse().unwrap_or(u64::MAX))
        } else if self.at_text("DATA_COMPRESSION") {
            self.take();
            self.expect_token(TokenKind::Equal)?;
            IndexOptionKind::DataCompression(self.any_word()?)
        } else if let Some(kind) = self.ase_index_option()? {
            kind
        } else if self.eat(K::Move) {
            self.expect(K::To)?;
            IndexOptionKind::MoveTo(self.data_space()?)
        } else {
            return Err(self.unknown_index_option());
        };
        Ok(IndexOption { span: self.span_from(start), kind })
    }

    /// An option of SAP ASE's row caching, with or without `=`.
    fn ase_index_option(&mut self) -> SqlResult<Option<IndexOptionKind>> {
        const PACKED: Words<bool> = &[("NONE", false), ("PAGE", true)];
        const HASHED: Words<HashCaching> = &[
            ("DEFAULT", HashCaching::Default),
            ("ON", HashCaching::On),
            ("OFF", HashCaching::Off),
        ];
        const NAMES: Words<fn(&mut Parser<'_>) -> SqlResult<IndexOptionKind>> = &[
            ("INDEX_COMPRESSION", |p| p.expect_word(PACKED).map(IndexOptionKind::IndexCompression)),
            ("INDEX_HASH_CACHING", |p| {
                p.expect_word(HASHED).map(IndexOptionKind::IndexHashCaching)
            }),
            ("LATCH_FREE_INDEX", |p| p.on_off().map(IndexOptionKind::LatchFreeIndex)),
        ];
        let Some(value) = self.find_word(NAMES) else { return Ok(None) };
        self.take();
        self.eat_token(TokenKind::Equal);
        value(self).map(Some)
    }

    /// Error 155 for a word that is not an option.
    fn unknown_index_option(&self) -> SqlError {
        let token = self.peek();
        if token.kind != TokenKind::Word || token.keyword.is_reserved() {
            return self.unexpected();
        }
        let name = self.text_of(token);
        SqlError::new(&message::UNRECOGNIZED_OPTION, &[&name, &"CREATE INDEX"])
            .with_state(1)
            .at_line(token.span.line)
    }

    /// `ALTER INDEX`, from `INDEX` on.
    pub(super) fn alter_index(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Index)?;
        let name = match self.eat(K::All) {
            true => None,
            false => Some(self.ident()?),
        };
        self.expect(K::On)?;
        let table = self.object_name()?;
        let action = match self.peek().keyword {
            K::Rebuild | K::Reorganize => {
                let rebuild = self.take().keyword == K::Rebuild;
                let partition = self.rebuild_partition()?;
                let options = self.index_options()?;
                match rebuild {
                    true => AlterIndexAction::Rebuild { partition, options },
                    false => AlterIndexAction::Reorganize { partition, options },
                }
            }
            K::Disable => {
                self.take();
                AlterIndexAction::Disable
            }
            K::Set => {
                self.take();
                AlterIndexAction::Set(self.parenthesized(|p| p.index_option(false))?)
            }
            K::With | K::For => {
                AlterIndexAction::Paths(self.selective_xml(Parser::selective_change)?)
            }
            K::Resume => {
                self.take();
                AlterIndexAction::Resume(self.index_options()?)
            }
            K::Pause => {
                self.take();
                AlterIndexAction::Pause
            }
            K::Abort => {
                self.take();
                AlterIndexAction::Abort
            }
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterIndex(Box::new(AlterIndex { name, table, action })))
    }

    /// `DROP INDEX`, from `INDEX` on.
    pub(super) fn drop_index(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Index)?;
        let if_exists = self.if_exists()?;
        let indexes = self.list(Parser::drop_index_item)?;
        Ok(StatementKind::DropIndex(Box::new(DropIndex { if_exists, indexes })))
    }

    /// `name ON table`, or `table.name`; error 159 for a name alone.
    fn drop_index_item(&mut self) -> SqlResult<DropIndexItem> {
        let written = self.object_name()?;
        if self.eat(K::On) {
            let table = self.object_name()?;
            let options = self.index_options()?;
            return Ok(DropIndexItem { name: written.name, table, options });
        }
        let Some(table) = written.schema else {
            let error = SqlError::new(&message::DROP_INDEX_NEEDS_TABLE, &[]);
            return Err(error.at_line(written.span.line));
        };
        let table = ObjectName {
            span: table.span,
            name: table,
            schema: written.database,
            database: written.server,
            server: None,
        };
        Ok(DropIndexItem { name: written.name, table, options: Vec::new() })
    }

    /// `CREATE STATISTICS`, from `STATISTICS` on.
    pub(super) fn create_statistics(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Statistics)?;
        let name = self.ident()?;
        self.expect(K::On)?;
        let table = self.object_name()?;
        let columns = self.ident_list()?;
        let filter = match self.eat(K::Where) {
            true => Some(self.condition()?),
            false => None,
        };
        let options = self.statistics_options()?;
        let statistics = CreateStatistics { name, table, columns, filter, options };
        Ok(StatementKind::CreateStatistics(Box::new(statistics)))
    }

    pub(super) fn update_statistics(&mut self) -> SqlResult<StatementKind> {
        self.expect_words(&[K::Update, K::Statistics])?;
        let table = self.object_name()?;
        let names = match self.at_token(TokenKind::LeftParen) {
            true => self.ident_list()?,
            false if self.at_alias() => vec![self.ident()?],
            false => Vec::new(),
        };
        let options = self.statistics_options()?;
        let statistics = UpdateStatistics { table, names, options };
        Ok(StatementKind::UpdateStatistics(Box::new(statistics)))
    }

    fn statistics_options(&mut self) -> SqlResult<Vec<StatisticsOption>> {
        match self.eat(K::With) {
            true => self.list(Parser::statistics_option),
            false => Ok(Vec::new()),
        }
    }

    fn statistics_option(&mut self) -> SqlResult<StatisticsOption> {
        const WORDS: Words<StatisticsOption> = &[
            ("FULLSCAN", StatisticsOption::FullScan),
            ("RESAMPLE", StatisticsOption::Resample),
            ("ALL", StatisticsOption::All),
            ("COLUMNS", StatisticsOption::Columns),
            ("INDEX", StatisticsOption::Index),
            ("NORECOMPUTE", StatisticsOption::NoRecompute),
        ];
        const SWITCHES: Words<fn(bool) -> StatisticsOption> = &[
            ("PERSIST_SAMPLE_PERCENT", StatisticsOption::PersistSamplePercent),
            ("INCREMENTAL", StatisticsOption::Incremental),
            ("AUTO_DROP", StatisticsOption::AutoDrop),
        ];
        const COUNTS: Words<fn(u64) -> StatisticsOption> =
            &[("ROWCOUNT", StatisticsOption::RowCount), ("PAGECOUNT", StatisticsOption::PageCount)];
        if let Some(option) = self.find_word(WORDS) {
            self.take();
            return Ok(option);
        }
        if self.eat(K::Sample) {
            let amount = self.primary_scalar()?;
            let percent = self.eat(K::Percent);
            if !percent {
                self.expect(K::Rows)?;
            }
            return Ok(StatisticsOption::Sample(amount, percent));
        }
        if let Some(option) = self.find_word(SWITCHES) {
            self.take();
            self.expect_token(TokenKind::Equal)?;
            return Ok(option(self.on_off()?));
        }
        if let Some(option) = self.find_word(COUNTS) {
            self.take();
            self.expect_token(TokenKind::Equal)?;
            return Ok(option(self.integer()?));
        }
        if self.eat(K::MaxDop) {
            self.expect_token(TokenKind::Equal)?;
            return Ok(StatisticsOption::MaxDop(self.integer()?));
        }
        Err(self.unexpected())
    }

    /// `DROP STATISTICS`, from `STATISTICS` on.
    pub(super) fn drop_statistics(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Statistics)?;
        Ok(StatementKind::DropStatistics(self.list(Parser::object_name)?))
    }
}
