//! Databases, their files and options, and options in general.

use base::{SqlError, SqlResult};

use super::Parser;
use super::stream::Words;
use crate::ast::{
    AlterDatabase, AlterDatabaseAction, Attach, CreateDatabase, DatabaseOption, FileGroup,
    FileGroupChange, FileGroupKind, FileSize, FileSpec, OptionValue, ScopedConfiguration,
    ScopedConfigurationAction, StatementKind, TableProperty, Termination,
};
use crate::lexer::keyword::Keyword as K;
use crate::lexer::token::TokenKind;

impl Parser<'_> {
    /// `CREATE DATABASE`, from `DATABASE` on.
    pub(super) fn create_database(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Database)?;
        let mut database = CreateDatabase {
            name: self.ident()?,
            containment: None,
            filegroups: Vec::new(),
            log: Vec::new(),
            collation: None,
            options: Vec::new(),
            attach: None,
            snapshot_of: None,
            copy_of: None,
        };
        if self.eat(K::Containment) {
            self.expect_token(TokenKind::Equal)?;
            database.containment = Some(self.expect_word(&[("NONE", false), ("PARTIAL", true)])?);
        }
        if self.eat(K::On) {
            database.filegroups = self.filegroups()?;
        }
        if self.eat_words(&[K::Log, K::On]) {
            database.log = self.list(Parser::file_spec)?;
        }
        if self.eat(K::Collate) {
            database.collation = Some(self.ident()?);
        }
        if self.eat(K::For) {
            database.attach = Some(self.expect_word(&[
                ("ATTACH", Attach::Attach),
                ("ATTACH_REBUILD_LOG", Attach::AttachRebuildLog),
                ("ATTACH_FORCE_REBUILD_LOG", Attach::AttachForceRebuildLog),
            ])?);
        }
        if self.eat(K::With) {
            database.options = self.list(Parser::named_option)?;
        }
        if self.eat(K::As) {
            match self.eat(K::Copy) {
                true => {
                    self.expect(K::Of)?;
                    database.copy_of = Some(self.object_name()?);
                }
                false => {
                    self.expect_words(&[K::Snapshot, K::Of])?;
                    database.snapshot_of = Some(self.ident()?);
                }
            }
        }
        Ok(StatementKind::CreateDatabase(Box::new(database)))
    }

    /// `PRIMARY (file), (file), FILEGROUP name CONTAINS … (file), …`.
    fn filegroups(&mut self) -> SqlResult<Vec<FileGroup>> {
        self.eat(K::Primary);
        let mut groups = vec![FileGroup {
            name: None,
            contains: FileGroupKind::Rows,
            is_default: false,
            files: Vec::new(),
        }];
        loop {
            if self.eat(K::FileGroup) {
                let name = Some(self.ident()?);
                let contains = self.filegroup_kind()?;
                let is_default = self.eat(K::Default);
                groups.push(FileGroup { name, contains, is_default, files: Vec::new() });
            }
            let file = self.file_spec()?;
            if let Some(group) = groups.last_mut() {
                group.files.push(file);
            }
            if !self.eat_token(TokenKind::Comma) {
                return Ok(groups);
            }
        }
    }

    /// `CONTAINS FILESTREAM`, `CONTAINS MEMORY_OPTIMIZED_DATA`, or nothing.
    fn filegroup_kind(&mut self) -> SqlResult<FileGroupKind> {
        match self.eat(K::Contains) {
            true => self.expect_word(&[
                ("FILESTREAM", FileGroupKind::FileStream),
                ("MEMORY_OPTIMIZED_DATA", FileGroupKind::MemoryOptimizedData),
            ]),
            false => Ok(FileGroupKind::Rows),
        }
    }

    /// `(NAME = x, FILENAME = 'y', …)`.
    fn file_spec(&mut self) -> SqlResult<FileSpec> {
        let mut spec = FileSpec {
            span: self.peek().span,
            name: None,
            new_name: None,
            file_name: None,
            size: None,
            max_size: None,
            growth: None,
            offline: false,
        };
        let start = self.peek();
        self.parenthesized(|p| p.file_property(&mut spec))?;
        spec.span = self.span_from(start);
        Ok(spec)
    }

    fn file_property(&mut self, spec: &mut FileSpec) -> SqlResult<()> {
        let word = self.any_word()?;
        if &*word == "OFFLINE" {
            spec.offline = true;
            return Ok(());
        }
        if !matches!(&*word, "NAME" | "NEWNAME" | "FILENAME" | "SIZE" | "MAXSIZE" | "FILEGROWTH") {
            return Err(self.unexpected_last());
        }
        self.expect_token(TokenKind::Equal)?;
        match &*word {
            "NAME" => spec.name = Some(self.ident_or_string()?.name.as_ref().into()),
            "NEWNAME" => spec.new_name = Some(self.ident_or_string()?.name.as_ref().into()),
            "FILENAME" => spec.file_name = Some(self.string()?),
            "SIZE" => spec.size = Some(self.file_size()?),
            "MAXSIZE" => spec.max_size = Some(self.file_size()?),
            _ => spec.growth = Some(self.file_size()?),
        }
        Ok(())
    }

    /// `UNLIMITED`, `10`, `10MB`, `10%`.
    fn file_size(&mut self) -> SqlResult<FileSize> {
        if self.eat(K::Unlimited) {
            return Ok(FileSize::Unlimited);
        }
        let number: u64 = self.integer()?;
        if self.eat_token(TokenKind::Percent) {
            return Ok(FileSize::Percent(number));
        }
        const UNITS: Words<fn(u64) -> FileSize> = &[
            ("KB", FileSize::Kilobytes),
            ("MB", FileSize::Megabytes),
            ("GB", FileSize::Gigabytes),
            ("TB", FileSize::Terabytes),
        ];
        match self.find_word(UNITS) {
            Some(unit) => {
                self.take();
                Ok(unit(number))
            }
            None => Ok(FileSize::Megabytes(number)),
        }
    }

    /// `ALTER DATABASE`, from `DATABASE` on.
    pub(super) fn alter_database(&mut self) -> SqlResult<StatementKind> {
        self.expect(K::Database)?;
        if self.eat_words(&[K::Scoped, K::Configuration]) {
            return self.scoped_configuration();
        }
        let name = match self.eat(K::Current) {
            true => None,
            false => Some(self.ident()?),
        };
        let action = match self.peek().keyword {
            K::Set => self.set_database_options()?,
            K::Collate => {
                self.take();
                AlterDatabaseAction::Collate(self.ident()?)
            }
            K::Add => self.add_to_database()?,
            K::Remove => self.remove_from_database()?,
            K::Modify => self.modify_database()?,
            K::Rebuild => {
                self.expect_words(&[K::Rebuild, K::Log])?;
                let file = match self.eat(K::On) {
                    true => Some(Box::new(self.file_spec()?)),
                    false => None,
                };
                AlterDatabaseAction::RebuildLog(file)
            }
            _ if self.at_text("ROW") => self.row_storage()?,
            _ if self.at_text("IMRSLOG") => self.imrs_log()?,
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterDatabase(Box::new(AlterDatabase { name, action })))
    }

    /// `ROW STORAGE ON cache`, `ROW STORAGE OFF`.
    fn row_storage(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect_word(&[("ROW", ())])?;
        self.expect_word(&[("STORAGE", ())])?;
        let cache = match self.on_off()? {
            true => Some(self.ident_or_string()?),
            false => None,
        };
        Ok(AlterDatabaseAction::RowStorage(cache))
    }

    /// `IMRSLOG ON device = size, …`, `IMRSLOG OFF device`.
    fn imrs_log(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect_word(&[("IMRSLOG", ())])?;
        let on = self.on_off()?;
        self.list(|p| {
            p.ident_or_string()?;
            if p.eat_token(TokenKind::Equal) {
                p.disk_setting()?;
            }
            Ok(())
        })?;
        Ok(AlterDatabaseAction::ImrsLog { on })
    }

    /// `DISK INIT name = …, physname = …, size = …, type = imrslog`. Error 156 for devices of other
    /// types, which are no files of this server.
    pub(super) fn disk_statement(&mut self) -> SqlResult<StatementKind> {
        let start = self.peek();
        if !self.text_of(self.peek_at(1)).eq_ignore_ascii_case("INIT") {
            return Err(self.unexpected());
        }
        self.take();
        self.take();
        let (mut name, mut is_imrs_log) = (None, false);
        self.list(|p| {
            let option = p.any_word()?;
            p.expect_token(TokenKind::Equal)?;
            let value = p.disk_setting()?;
            match &*option {
                "NAME" => name = Some(value),
                "TYPE" => is_imrs_log = value.eq_ignore_ascii_case("imrslog"),
                _ => {}
            }
            Ok(())
        })?;
        let Some(name) = name else { return Err(self.unexpected()) };
        match is_imrs_log {
            true => Ok(StatementKind::DiskInit { name }),
            false => {
                let text = "Incorrect syntax near the keyword 'disk'. DISK INIT takes devices of \
                            type imrslog alone: CREATE DATABASE and ALTER DATABASE … ADD FILE name \
                            a database's files.";
                Err(SqlError::custom(156, 15, 1, text).at_line(start.span.line))
            }
        }
    }

    /// A string, number or word.
    fn disk_setting(&mut self) -> SqlResult<Box<str>> {
        match self.peek().kind {
            TokenKind::String | TokenKind::National => self.string(),
            TokenKind::Integer => Ok(self.integer::<u64>()?.to_string().into()),
            _ => Ok(self.ident()?.name.as_ref().into()),
        }
    }

    fn add_to_database(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect(K::Add)?;
        match self.peek().keyword {
            K::File => {
                self.take();
                let files = self.list(Parser::file_spec)?;
                let mut filegroup = None;
                if self.eat(K::To) {
                    self.expect(K::FileGroup)?;
                    filegroup = Some(self.ident_or_string()?);
                }
                Ok(AlterDatabaseAction::AddFile { files, filegroup })
            }
            K::Log => {
                self.expect_words(&[K::Log, K::File])?;
                Ok(AlterDatabaseAction::AddLogFile(self.list(Parser::file_spec)?))
            }
            _ => {
                self.expect(K::FileGroup)?;
                let name = self.ident()?;
                Ok(AlterDatabaseAction::AddFileGroup(name, self.filegroup_kind()?))
            }
        }
    }

    fn remove_from_database(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect(K::Remove)?;
        if self.eat(K::File) {
            return Ok(AlterDatabaseAction::RemoveFile(self.ident_or_string()?));
        }
        self.expect(K::FileGroup)?;
        Ok(AlterDatabaseAction::RemoveFileGroup(self.ident()?))
    }

    fn modify_database(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect(K::Modify)?;
        match self.peek().keyword {
            K::Name => {
                self.take();
                self.expect_token(TokenKind::Equal)?;
                Ok(AlterDatabaseAction::ModifyName(self.ident()?))
            }
            K::File => {
                self.take();
                Ok(AlterDatabaseAction::ModifyFile(Box::new(self.file_spec()?)))
            }
            _ => {
                self.expect(K::FileGroup)?;
                let name = self.ident()?;
                Ok(AlterDatabaseAction::ModifyFileGroup(name, self.filegroup_change()?))
            }
        }
    }

    fn filegroup_change(&mut self) -> SqlResult<FileGroupChange> {
        if self.eat(K::Default) {
            return Ok(FileGroupChange::Default);
        }
        if self.eat(K::Name) {
            self.expect_token(TokenKind::Equal)?;
            return Ok(FileGroupChange::Name(self.ident()?));
        }
        self.expect_word(&[
            ("READ_ONLY", FileGroupChange::ReadOnly(true)),
            ("READONLY", FileGroupChange::ReadOnly(true)),
            ("READ_WRITE", FileGroupChange::ReadOnly(false)),
            ("READWRITE", FileGroupChange::ReadOnly(false)),
            ("AUTOGROW_ALL_FILES", FileGroupChange::AutogrowAllFiles(true)),
            ("AUTOGROW_SINGLE_FILE", FileGroupChange::AutogrowAllFiles(false)),
        ])
    }

    fn set_database_options(&mut self) -> SqlResult<AlterDatabaseAction> {
        self.expect(K::Set)?;
        const PROPERTIES: Words<TableProperty> = &[
            ("ROW_CACHING", TableProperty::RowCaching),
            ("SNAPSHOT_ISOLATION", TableProperty::SnapshotIsolation),
        ];
        if let Some(property) = self.find_word(PROPERTIES) {
            self.take();
            self.eat_token(TokenKind::Equal);
            let on = self.on_off()?;
            self.expect_words(&[K::For, K::All])?;
            self.expect_word(&[("TABLES", ())])?;
            return Ok(AlterDatabaseAction::SetAllTables { property, on });
        }
        let options = self.list(Parser::named_option)?;
        let mut termination = None;
        if self.at(K::With) && matches!(self.peek_at(1).keyword, K::Rollback | K::NoUnderscoreWait)
        {
            self.take();
            termination = Some(self.termination()?);
        }
        Ok(AlterDatabaseAction::Set { options, termination })
    }

    fn termination(&mut self) -> SqlResult<Termination> {
        if self.eat(K::NoUnderscoreWait) {
            return Ok(Termination::NoWait);
        }
        self.expect(K::Rollback)?;
        if self.eat(K::Immediate) {
            return Ok(Termination::RollbackImmediate);
        }
        self.expect(K::After)?;
        let seconds = self.integer()?;
        if self.at_text("SECONDS") {
            self.take();
        }
        Ok(Termination::RollbackAfter(seconds))
    }

    /// A word and what it is set to, with or without `=`.
    pub(super) fn named_option(&mut self) -> SqlResult<DatabaseOption> {
        let start = self.peek();
        if start.keyword.is_reserved() {
            return Err(self.unexpected());
        }
        let name = self.any_word()?;
        let value = self.option_setting()?;
        Ok(DatabaseOption { span: self.span_from(start), name, value })
    }

    /// What follows an option's name.
    pub(super) fn option_setting(&mut self) -> SqlResult<OptionValue> {
        let equal = self.eat_token(TokenKind::Equal);
        let token = self.peek();
        let value = match token.kind {
            TokenKind::Word if matches!(token.keyword, K::On | K::Off) => {
                OptionValue::Switch(self.on_off()?)
            }
            // `RECOVERY FULL`, `MAXDOP = PRIMARY` and `CREATE_INDEX = DEFAULT` are the reserved
            // words among the values.
            TokenKind::Word
                if self.at_alias()
                    || matches!(token.keyword, K::Full | K::Primary | K::Default) =>
            {
                OptionValue::Word(self.any_word()?)
            }
            TokenKind::Quoted if equal => OptionValue::String(self.ident()?.name.as_ref().into()),
            TokenKind::String | TokenKind::National => OptionValue::String(self.string()?),
            TokenKind::Integer | TokenKind::Numeric | TokenKind::Plus | TokenKind::Minus => {
                let number = self.signed_number()?;
                let has_unit = self.at_alias() && self.at_unit();
                OptionValue::Number(number, if has_unit { Some(self.any_word()?) } else { None })
            }
            TokenKind::LeftParen => {
                return Ok(OptionValue::List(None, self.parenthesized(Parser::named_option)?));
            }
            _ if equal => return Err(self.unexpected()),
            _ => OptionValue::None,
        };
        if !self.at_token(TokenKind::LeftParen) {
            return Ok(value);
        }
        let word = match value {
            OptionValue::Switch(true) => Some("ON".into()),
            OptionValue::Switch(false) => Some("OFF".into()),
            OptionValue::Word(word) => Some(word),
            _ => return Err(self.unexpected()),
        };
        Ok(OptionValue::List(word, self.parenthesized(Parser::named_option)?))
    }

    /// Whether a unit of time or size stands here.
    fn at_unit(&self) -> bool {
        const UNITS: Words<()> = &[
            ("SECONDS", ()),
            ("MINUTES", ()),
            ("HOURS", ()),
            ("DAYS", ()),
            ("KB", ()),
            ("MB", ()),
            ("GB", ()),
            ("TB", ()),
        ];
        self.find_word(UNITS).is_some()
    }

    fn scoped_configuration(&mut self) -> SqlResult<StatementKind> {
        let secondary = self.eat_words(&[K::For, K::Secondary]);
        let action = match self.eat(K::Clear) {
            true => {
                self.expect(K::ProcedureCache)?;
                let handle = match self.at_token(TokenKind::Binary) {
                    true => Some(self.primary_scalar()?),
                    false => None,
                };
                ScopedConfigurationAction::ClearProcedureCache(handle)
            }
            false => {
                self.expect(K::Set)?;
                ScopedConfigurationAction::Set(self.named_option()?)
            }
        };
        let statement = ScopedConfiguration { secondary, action };
        Ok(StatementKind::ScopedConfiguration(Box::new(statement)))
    }
}
