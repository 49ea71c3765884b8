//! Indexes: those of keys, those in definitions of tables, those of `CREATE INDEX`.

use base::{SqlError, TypeKind, message};
use compile::bind::define;
use compile::bind::key_limit::{KeyLimit, is_variable};
use engine::catalog::Schema;
use engine::catalog::def::*;
use tsql::ast::{self, IndexOptionKind};

use super::Builder;
use crate::ddl::failure::{AboutConstraint, DdlResult};

/// The most columns of a key.
const KEY_COLUMNS_MAX: usize = 32;
/// The most indexes of a table, the clustered one not counted.
const INDEXES_MAX: usize = 999;
/// The largest `BUCKET_COUNT`.
const BUCKETS_MAX: u64 = 1 << 30;

/// An index to make, whatever statement asks for it.
pub(crate) struct IndexRequest<'a> {
    pub name: Name,
    pub unique: bool,
    /// As written.
    pub clustered: Option<bool>,
    pub hash: bool,
    pub columnstore: bool,
    pub columns: Vec<(&'a str, bool)>,
    pub include: &'a [ast::Ident],
    pub filter: Option<&'a ast::Condition>,
    pub options: &'a [ast::IndexOption],
    pub on: Option<&'a ast::DataSpace>,
    /// The key that it enforces.
    pub constraint: Option<KeyConstraintDef>,
}

impl<'a> IndexRequest<'a> {
    /// From `INDEX name …` in a table, perhaps after a column.
    pub fn inline(index: &'a ast::InlineIndex, column: Option<&'a str>) -> IndexRequest<'a> {
        IndexRequest {
            name: index.name.name.clone(),
            unique: index.unique,
            clustered: index.clustered,
            hash: index.hash,
            columnstore: index.columnstore,
            columns: columns(&index.columns, column),
            include: &index.include,
            filter: index.filter.as_ref(),
            options: &index.options,
            on: index.on.as_ref(),
            constraint: None,
        }
    }

    /// From `CREATE INDEX`.
    pub fn statement(index: &'a ast::CreateIndex) -> IndexRequest<'a> {
        IndexRequest {
            name: index.name.name.clone(),
            unique: index.unique,
            clustered: index.clustered,
            hash: false,
            columnstore: index.columnstore,
            columns: columns(&index.columns, None),
            include: &index.include,
            filter: index.filter.as_ref(),
            options: &index.options,
            on: index.on.as_ref(),
            constraint: None,
        }
    }

    /// The name of the index in messages.
    fn noun(&self) -> &'static str {
        match &self.constraint {
            Some(key) if key.primary => "PRIMARY KEY",
            Some(_) => "UNIQUE",
            None => "index",
        }
    }
}

/// Names and directions of key columns; one after a column has that alone.
pub(super) fn columns<'a>(
    columns: &'a [ast::IndexColumn],
    column: Option<&'a str>,
) -> Vec<(&'a str, bool)> {
    match column {
        Some(column) if columns.is_empty() => vec![(column, false)],
        _ => columns.iter().map(|c| (&*c.name.name, c.descending)).collect(),
    }
}

impl Builder<'_> {
    /// `INDEX …` in a definition.
    pub fn inline_index(
        &mut self,
        index: &ast::InlineIndex,
        column: Option<&str>,
    ) -> DdlResult<()> {
        let made = self.index(&IndexRequest::inline(index, column));
        let made = made.map_err(|f| f.at_line(index.span.line));
        made.or_no_constraint()
    }

    /// Adds an index to the table.
    pub fn index(&mut self, request: &IndexRequest<'_>) -> DdlResult<()> {
        if request.columnstore {
            return Err(SqlError::new(&message::UNIMPLEMENTED, &[&"COLUMNSTORE"]).into());
        }
        self.check_index_name(&request.name)?;
        let kind = self.index_kind(request)?;
        let id = self.table.next_index_id(kind);
        let mut index = IndexDef::new(id, request.name.clone(), kind, request.unique);
        index.key = self.key(request)?;
        index.included = self.included(request, &index.key)?;
        index.data_space = match request.on {
            Some(space) => self.data_space(space)?,
            None => self.table.data_space,
        };
        index.constraint = request.constraint.clone();
        if let Some(filter) = request.filter {
            let table = &self.table;
            let name = &request.name;
            let bound = define::filter(&self.setting.bind(), table, "index", name, filter)?;
            index.filter = Some(bound);
        }
        self.options(&mut index, request)?;
        self.check_key_width(&index)?;
        if self.in_memory() {
            self.check_memory_index(request, &index)?;
        }
        if self.table.indexes.len() > INDEXES_MAX {
            let args: [&dyn std::fmt::Display; 2] = [&request.noun(), &INDEXES_MAX];
            return Err(SqlError::new(&message::TOO_MANY_INDEXES, &args).into());
        }
        let place = self.table.indexes.partition_point(|other| other.id < index.id);
        self.table.indexes.insert(place, index);
        Ok(())
    }

    /// Checks that no other index of the table has the name. Error 1913.
    fn check_index_name(&self, name: &str) -> DdlResult<()> {
        let indexes = self.table.indexes.iter().map(|i| &i.name);
        let names = indexes.chain(self.table.statistics.iter().map(|s| &s.name));
        let mut names = names.chain(self.table.derived_indexes.iter().map(|i| &i.name));
        if !names.any(|other| self.setting.same(other, name)) {
            return Ok(());
        }
        let table = self.qualified_name();
        let args: [&dyn std::fmt::Display; 3] = [&name, &"table", &table];
        Err(SqlError::new(&message::INDEX_EXISTS, &args).into())
    }

    /// `schema.table`.
    pub fn qualified_name(&self) -> String {
        let schema = self.setting.schema.schemas().get(self.table.header.schema);
        format!("{}.{}", schema.map_or("dbo", |s| &s.name), self.name())
    }

    fn index_kind(&self, request: &IndexRequest<'_>) -> DdlResult<IndexKind> {
        let primary = request.constraint.as_ref().is_some_and(|c| c.primary);
        if request.hash {
            return match self.in_memory() {
                true => Ok(IndexKind::Hash),
                false => Err(SqlError::new(&message::HASH_ONLY_IN_MEMORY_OPTIMIZED, &[]).into()),
            };
        }
        let existing = self.table.clustered_index();
        let clustered = request.clustered.unwrap_or(primary && existing.is_none());
        if !clustered {
            return Ok(IndexKind::NonClustered);
        }
        if self.in_memory() {
            let error =
                SqlError::new(&message::CLUSTERED_NOT_SUPPORTED, &[&"memory optimized tables"]);
            return Err(error.into());
        }
        match existing {
            None => Ok(IndexKind::Clustered),
            Some(_) if request.constraint.is_some() && self.is_new() => {
                let table = self.name();
                Err(SqlError::new(&message::MULTIPLE_CLUSTERED_CONSTRAINTS, &[&table]).into())
            }
            Some(existing) => {
                let table = self.qualified_name();
                let args: [&dyn std::fmt::Display; 3] = [&"table", &table, &existing.name];
                Err(SqlError::new(&message::CLUSTERED_EXISTS, &args).into())
            }
        }
    }

    /// Whether the table is being created.
    pub fn is_new(&self) -> bool {
        self.table.storage == NO_STORAGE
    }

    /// The key columns. Computed ones are stored from now on.
    fn key(&mut self, request: &IndexRequest<'_>) -> DdlResult<Vec<KeyColumn>> {
        let table = self.name();
        let limit = KEY_COLUMNS_MAX;
        if request.columns.len() > limit {
            let args: [&dyn std::fmt::Display; 6] =
                [&request.noun(), &request.name, &table, &request.columns.len(), &"index", &limit];
            return Err(SqlError::new(&message::TOO_MANY_INDEX_COLUMNS, &args).into());
        }
        let mut key: Vec<KeyColumn> = Vec::with_capacity(request.columns.len());
        for &(name, descending) in &request.columns {
            let Some(place) = self.find_column(name) else {
                return Err(SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[&name]).into());
            };
            let column = &self.table.columns[place];
            if key.iter().any(|k| k.column == column.id) {
                let args: [&dyn std::fmt::Display; 2] = [&request.noun(), &column.name];
                return Err(SqlError::new(&message::INDEX_DUPLICATE_COLUMN, &args).into());
            }
            if !is_key_type(column) {
                return Err(key_type_error(request, column, &table).into());
            }
            key.push(KeyColumn { column: column.id, descending });
            self.store_computed(place)?;
        }
        Ok(key)
    }

    fn included(
        &mut self,
        request: &IndexRequest<'_>,
        key: &[KeyColumn],
    ) -> DdlResult<Vec<ColumnId>> {
        let mut included: Vec<ColumnId> = Vec::with_capacity(request.include.len());
        for name in request.include {
            let Some(place) = self.find_column(&name.name) else {
                let error = SqlError::new(&message::INDEX_COLUMN_NOT_FOUND, &[&name.name]);
                return Err(error.into());
            };
            let id = self.table.columns[place].id;
            if key.iter().any(|k| k.column == id) {
                let args: [&dyn std::fmt::Display; 3] = [&name.name, &"index", &request.name];
                return Err(SqlError::new(&message::INCLUDED_DUPLICATE_COLUMN, &args).into());
            }
            if included.contains(&id) {
                let args: [&dyn std::fmt::Display; 2] = [&"index", &name.name];
                return Err(SqlError::new(&message::INDEX_DUPLICATE_COLUMN, &args).into());
            }
            if self.table.columns[place].column_set {
                let args: [&dyn std::fmt::Display; 2] = [&name.name, &self.name()];
                return Err(SqlError::new(&message::INDEX_INVALID_TYPE, &args).into());
            }
            included.push(id);
            self.store_computed(place)?;
        }
        Ok(included)
    }

    /// Makes rows hold a computed column that an index needs. Error 2729.
    fn store_computed(&mut self, place: usize) -> DdlResult<()> {
        let name = self.table.columns[place].name.clone();
        let Some(computed) = &self.table.columns[place].computed else { return Ok(()) };
        if computed.stored {
            return Ok(());
        }
        let options = tsql::ParseOptions { quoted_identifier: true };
        let expr = tsql::parse_expression(&computed.definition, options)?;
        let whole = std::sync::Arc::new(self.table.clone());
        let found = define::computed(&self.setting.bind(), &whole, &expr)?;
        if !found.deterministic || found.reads_data {
            let table = self.name();
            let args: [&dyn std::fmt::Display; 3] = [&name, &"table", &table];
            return Err(SqlError::new(&message::KEY_COLUMN_NOT_DETERMINISTIC, &args).into());
        }
        if let Some(computed) = &mut self.table.columns[place].computed {
            computed.stored = true;
        }
        Ok(())
    }

    /// A filegroup by name. Error 1921.
    pub fn data_space(&self, space: &ast::DataSpace) -> DdlResult<DataSpaceId> {
        let what = if space.column.is_some() { "partition scheme" } else { "filegroup" };
        let found = match space.name.name.eq_ignore_ascii_case("default") {
            true => self.setting.schema.file_groups().iter().find(|g| g.default),
            false => self.setting.schema.find_file_group(&space.name.name),
        };
        match found {
            Some(group) if space.column.is_none() && group.kind == FileGroupKind::Rows => {
                Ok(group.id)
            }
            _ => {
                let args: [&dyn std::fmt::Display; 2] = [&what, &space.name.name];
                Err(SqlError::new(&message::FILEGROUP_INVALID, &args).into())
            }
        }
    }

    /// `WITH (…)`.
    fn options(&mut self, index: &mut IndexDef, request: &IndexRequest<'_>) -> DdlResult<()> {
        for option in request.options {
            self.option(index, &option.kind).map_err(|f| f.at_line(option.span.line))?;
        }
        if index.kind == IndexKind::Hash && index.bucket_count.is_none() {
            let table = self.name();
            let args: [&dyn std::fmt::Display; 3] = [&"bucket_count", &index.name, &table];
            return Err(SqlError::new(&message::HASH_OPTION_MISSING, &args).into());
        }
        if index.ignore_dup_key && !index.unique {
            let args: [&dyn std::fmt::Display; 2] = [&"ignore_dup_key", &"nonunique"];
            return Err(SqlError::new(&message::INDEX_OPTIONS_EXCLUSIVE, &args).into());
        }
        if index.ignore_dup_key && index.filter.is_some() {
            let table = self.name();
            let args: [&dyn std::fmt::Display; 2] = [&index.name, &table];
            return Err(SqlError::new(&message::UNIQUE_FILTERED_IGNORE_DUP_KEY, &args).into());
        }
        Ok(())
    }

    /// One option of an index; also of `ALTER INDEX … REBUILD` and `SET`.
    pub fn option(&mut self, index: &mut IndexDef, option: &IndexOptionKind) -> DdlResult<()> {
        use IndexOptionKind as O;
        if let O::BucketCount(count) = option {
            index.bucket_count = Some(self.bucket_count(index.kind, *count)?);
            return Ok(());
        }
        if self.in_memory() && !matches!(option, O::StatisticsNoRecompute(_)) {
            let args: [&dyn std::fmt::Display; 3] =
                [&"index option", &option_name(option), &"indexes on memory optimized tables"];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args).into());
        }
        match option {
            O::AllowPageLocks(on) => index.allow_page_locks = *on,
            O::AllowRowLocks(on) => index.allow_row_locks = *on,
            O::FillFactor(percent) => match u8::try_from(*percent) {
                Ok(percent @ 1..=100) => index.fill_factor = percent,
                _ => {
                    let text = format!(
                        "{percent} is not a valid percentage. Fill factor must be between 1 and 100."
                    );
                    return Err(SqlError::custom(129, 15, 1, text).into());
                }
            },
            O::IgnoreDupKey(on) => index.ignore_dup_key = *on,
            O::IndexCompression(packed) => self.index_compression(index, *packed),
            O::IndexHashCaching(how) => self.index_hash_caching(index, *how)?,
            O::LatchFreeIndex(on) => self.latch_free_index(index, *on),
            O::OptimizeForSequentialKey(on) => index.optimize_for_sequential_key = *on,
            O::PadIndex(on) => index.padded = *on,
            O::StatisticsNoRecompute(on) => index.no_recompute = *on,
            O::DataCompression(_)
            | O::DropExisting(_)
            | O::LobCompaction(_)
            | O::MaxDop(_)
            | O::MaxDuration(_)
            | O::MoveTo(_)
            | O::Online(_)
            | O::Resumable(_)
            | O::SortInTempdb(_)
            | O::StatisticsIncremental(_)
            | O::XmlCompression(_)
            | O::CompressAllRowGroups(_)
            | O::CompressionDelay(_)
            | O::BucketCount(_) => {}
        }
        Ok(())
    }

    fn bucket_count(&self, kind: IndexKind, count: u64) -> DdlResult<u32> {
        if kind != IndexKind::Hash {
            let error = SqlError::new(&message::OPTION_ONLY_FOR_HASH, &[&"bucket_count"]);
            return Err(error.into());
        }
        match count {
            1..=BUCKETS_MAX => Ok(count.next_power_of_two() as u32),
            _ => Err(SqlError::new(&message::BUCKET_COUNT_INVALID, &[&BUCKETS_MAX]).into()),
        }
    }

    /// Errors 1903 and 41345, warning 1945.
    fn check_key_width(&mut self, index: &IndexDef) -> DdlResult<()> {
        let Some(KeyLimit { bytes: limit, kind }) = KeyLimit::of(&self.table, index) else {
            return Ok(());
        };
        let columns = || index.key.iter().filter_map(|k| self.table.column(k.column));
        let widest: usize = columns().map(|c| c.ty.byte_limit()).sum();
        let least = columns().filter(|c| !is_variable(c)).map(|c| c.ty.byte_limit()).sum::<usize>();
        if least > limit || widest > limit && self.in_memory() {
            let error = match self.in_memory() {
                true => SqlError::new(&message::KEY_SIZE_LIMIT, &[&limit]),
                false => {
                    let args: [&dyn std::fmt::Display; 4] = [&"index", &index.name, &least, &limit];
                    SqlError::new(&message::INDEX_KEY_TOO_WIDE, &args)
                }
            };
            return Err(error.into());
        }
        if widest > limit {
            let args: [&dyn std::fmt::Display; 4] = [&kind, &limit, &index.name, &widest];
            self.warnings.push(SqlError::new(&message::INDEX_KEY_WIDTH_WARNING, &args));
        }
        Ok(())
    }
}

/// An option as messages name it.
pub(super) fn option_name(option: &IndexOptionKind) -> &'static str {
    use IndexOptionKind as O;
    match option {
        O::AllowPageLocks(_) => "allow_page_locks",
        O::AllowRowLocks(_) => "allow_row_locks",
        O::BucketCount(_) => "bucket_count",
        O::CompressAllRowGroups(_) => "compress_all_row_groups",
        O::CompressionDelay(_) => "compression_delay",
        O::DataCompression(_) => "data_compression",
        O::DropExisting(_) => "drop_existing",
        O::FillFactor(_) => "fillfactor",
        O::IgnoreDupKey(_) => "ignore_dup_key",
        O::IndexCompression(_) => "index_compression",
        O::IndexHashCaching(_) => "index_hash_caching",
        O::LatchFreeIndex(_) => "latch_free_index",
        O::LobCompaction(_) => "lob_compaction",
        O::MaxDop(_) => "maxdop",
        O::MaxDuration(_) => "max_duration",
        O::MoveTo(_) => "move to",
        O::Online(_) => "online",
        O::OptimizeForSequentialKey(_) => "optimize_for_sequential_key",
        O::PadIndex(_) => "pad_index",
        O::Resumable(_) => "resumable",
        O::SortInTempdb(_) => "sort_in_tempdb",
        O::StatisticsIncremental(_) => "statistics_incremental",
        O::StatisticsNoRecompute(_) => "statistics_norecompute",
        O::XmlCompression(_) => "xml_compression",
    }
}

/// Whether values of a column can be the key of an index.
fn is_key_type(column: &ColumnDef) -> bool {
    !column.ty.is_max() && !column.ty.kind.is_legacy_lob()
}

/// Error 1919, or 1978 about json in an index that is no constraint's.
fn key_type_error(request: &IndexRequest<'_>, column: &ColumnDef, table: &str) -> SqlError {
    match request.constraint {
        None if column.ty.kind == TypeKind::Json => statistics_type_error(column, table),
        _ => SqlError::new(&message::INDEX_INVALID_TYPE, &[&column.name, &table]),
    }
}

/// Error 1978.
pub(crate) fn statistics_type_error(column: &ColumnDef, table: &str) -> SqlError {
    SqlError::new(&message::STATISTICS_INVALID_TYPE, &[&column.name, &table]).with_state(3)
}

/// The place of the index of this name on a table.
pub(crate) fn find_index(schema: &Schema, table: &TableDef, name: &str) -> Option<usize> {
    table.indexes.iter().position(|i| schema.same_name(&i.name, name))
}
