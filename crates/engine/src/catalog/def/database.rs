//! Databases, their files, and what belongs to the server as a whole.

use base::Collation;
use base::ids::DbId;

use super::{DataSpaceId, DateTime, FileId, Name, Sid, coded};

/// A database: a row of `sys.databases`, kept in master.
#[derive(Clone, PartialEq, Debug)]
pub struct DatabaseDef {
    /// The id, `DB_ID()`.
    pub id: DbId,
    /// The name, unique within the server.
    pub name: Name,
    /// The folder below the data directory that holds its files.
    pub directory: Name,
    /// Identifies its log; never given to another database.
    pub guid: [u8; 16],
    /// The sid of the login that owns it.
    pub owner_sid: Sid,
    /// `create_date`.
    pub created: DateTime,
    /// The collation of names, and of columns and literals that say nothing else.
    pub collation: Collation,
    /// Everything that `ALTER DATABASE … SET` changes.
    pub options: DatabaseOptions,
}

/// The options of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own in T-SQL")]
pub struct DatabaseOptions {
    /// `COMPATIBILITY_LEVEL`, 100 to 160.
    pub compatibility_level: u8,
    /// `ONLINE`, `OFFLINE`, …
    pub state: DatabaseState,
    /// `MULTI_USER`, …
    pub user_access: UserAccess,
    /// `READ_ONLY`.
    pub read_only: bool,
    /// `RECOVERY`.
    pub recovery_model: RecoveryModel,
    /// `PAGE_VERIFY`.
    pub page_verify: PageVerify,
    /// `ALLOW_SNAPSHOT_ISOLATION`.
    pub snapshot_isolation: bool,
    /// `READ_COMMITTED_SNAPSHOT`.
    pub read_committed_snapshot: bool,
    /// `MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT`.
    pub elevate_to_snapshot: bool,
    /// `DELAYED_DURABILITY`.
    pub delayed_durability: DelayedDurability,
    /// `TARGET_RECOVERY_TIME`, in seconds.
    pub target_recovery_time_s: i32,
    /// `AUTO_CLOSE`.
    pub auto_close: bool,
    /// `AUTO_SHRINK`.
    pub auto_shrink: bool,
    /// `AUTO_CREATE_STATISTICS`.
    pub auto_create_statistics: bool,
    /// `AUTO_UPDATE_STATISTICS`.
    pub auto_update_statistics: bool,
    /// `AUTO_UPDATE_STATISTICS_ASYNC`.
    pub auto_update_statistics_async: bool,
    /// `ANSI_NULL_DEFAULT`.
    pub ansi_null_default: bool,
    /// `ANSI_NULLS`.
    pub ansi_nulls: bool,
    /// `ANSI_PADDING`.
    pub ansi_padding: bool,
    /// `ANSI_WARNINGS`.
    pub ansi_warnings: bool,
    /// `ARITHABORT`.
    pub arithabort: bool,
    /// `CONCAT_NULL_YIELDS_NULL`.
    pub concat_null_yields_null: bool,
    /// `NUMERIC_ROUNDABORT`.
    pub numeric_roundabort: bool,
    /// `QUOTED_IDENTIFIER`.
    pub quoted_identifier: bool,
    /// `RECURSIVE_TRIGGERS`.
    pub recursive_triggers: bool,
    /// `CURSOR_CLOSE_ON_COMMIT`.
    pub cursor_close_on_commit: bool,
    /// `CURSOR_DEFAULT LOCAL`.
    pub local_cursor_default: bool,
    /// `DATE_CORRELATION_OPTIMIZATION`.
    pub date_correlation: bool,
    /// `PARAMETERIZATION FORCED`.
    pub parameterization_forced: bool,
    /// `TRUSTWORTHY`.
    pub trustworthy: bool,
    /// `DB_CHAINING`.
    pub db_chaining: bool,
    /// `ENABLE_BROKER`.
    pub broker_enabled: bool,
    /// `HONOR_BROKER_PRIORITY`.
    pub honor_broker_priority: bool,
    /// `QUERY_STORE`.
    pub query_store: bool,
    /// `CONTAINMENT = PARTIAL`.
    pub contained: bool,
    /// The resource pool that it is bound to (`sp_xtp_bind_db_resource_pool`), 0 for none.
    pub resource_pool: i32,
    /// The database-scoped configuration `IDENTITY_CACHE = OFF`.
    pub identity_cache_off: bool,
    /// Whether new disk tables have row caching on.
    pub row_caching: bool,
    /// The row cache whose size its row caching does not exceed ([`RowCacheDef`]), by name.
    pub row_cache: Option<Name>,
    /// The database-scoped configuration `ROW_CACHE_TUNING = OFF`.
    pub row_cache_tuning_off: bool,
    /// `TEMPORAL_HISTORY_RETENTION OFF`: aged rows of histories stay.
    pub history_retention_off: bool,
    /// `CHANGE_TRACKING`, while it is on.
    pub change_tracking: Option<ChangeTrackingDef>,
}

/// The options of `CHANGE_TRACKING`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChangeTrackingDef {
    /// `CHANGE_RETENTION`: how many of the unit.
    pub retention: i32,
    /// The unit.
    pub unit: ChangeRetentionUnit,
    /// `AUTO_CLEANUP`.
    pub auto_cleanup: bool,
}

coded! {
    /// `retention_period_units` of change tracking.
    ChangeRetentionUnit: u8 {
        /// Minutes.
        Minutes = 1 "MINUTES",
        /// Hours.
        Hours = 2 "HOURS",
        /// Days.
        Days = 3 "DAYS",
    }
}

impl Default for DatabaseOptions {
    /// What a new database has: SQL Server 2022's model, with read-committed snapshots on, since
    /// rows have versions anyway.
    fn default() -> DatabaseOptions {
        DatabaseOptions {
            compatibility_level: 160,
            state: DatabaseState::Online,
            user_access: UserAccess::Multi,
            read_only: false,
            recovery_model: RecoveryModel::Full,
            page_verify: PageVerify::Checksum,
            snapshot_isolation: false,
            read_committed_snapshot: true,
            elevate_to_snapshot: false,
            delayed_durability: DelayedDurability::Disabled,
            target_recovery_time_s: 60,
            auto_close: false,
            auto_shrink: false,
            auto_create_statistics: true,
            auto_update_statistics: true,
            auto_update_statistics_async: false,
            ansi_null_default: false,
            ansi_nulls: false,
            ansi_padding: false,
            ansi_warnings: false,
            arithabort: false,
            concat_null_yields_null: false,
            numeric_roundabort: false,
            quoted_identifier: false,
            recursive_triggers: false,
            cursor_close_on_commit: false,
            local_cursor_default: false,
            date_correlation: false,
            parameterization_forced: false,
            trustworthy: false,
            db_chaining: false,
            broker_enabled: false,
            honor_broker_priority: false,
            query_store: false,
            contained: false,
            resource_pool: 0,
            identity_cache_off: false,
            row_caching: false,
            row_cache: None,
            row_cache_tuning_off: false,
            history_retention_off: false,
            change_tracking: None,
        }
    }
}

coded! {
    /// `state` of a database.
    DatabaseState: u8 {
        /// Usable.
        Online = 0 "ONLINE",
        /// Being restored.
        Restoring = 1 "RESTORING",
        /// Replaying its log.
        Recovering = 2 "RECOVERING",
        /// Recovery could not be finished since a file or resource is missing.
        RecoveryPending = 3 "RECOVERY_PENDING",
        /// Its log is damaged.
        Suspect = 4 "SUSPECT",
        /// Set to emergency by an administrator.
        Emergency = 5 "EMERGENCY",
        /// Set offline by an administrator.
        Offline = 6 "OFFLINE",
    }
}

coded! {
    /// `user_access` of a database.
    UserAccess: u8 {
        /// All logins.
        Multi = 0 "MULTI_USER",
        /// One session at a time.
        Single = 1 "SINGLE_USER",
        /// Owners and administrators.
        Restricted = 2 "RESTRICTED_USER",
    }
}

coded! {
    /// `recovery_model` of a database.
    RecoveryModel: u8 {
        /// Everything is logged until it is backed up.
        Full = 1 "FULL",
        /// Like full, with less for bulk operations.
        BulkLogged = 2 "BULK_LOGGED",
        /// The log is truncated at checkpoints.
        Simple = 3 "SIMPLE",
    }
}

coded! {
    /// `page_verify_option` of a database.
    PageVerify: u8 {
        /// Not at all.
        None = 0 "NONE",
        /// By a pattern of bits.
        TornPage = 1 "TORN_PAGE_DETECTION",
        /// By a checksum: what is always done.
        Checksum = 2 "CHECKSUM",
    }
}

coded! {
    /// `delayed_durability` of a database.
    DelayedDurability: u8 {
        /// Commits always wait.
        Disabled = 0 "DISABLED",
        /// Commits wait unless the transaction says otherwise.
        Allowed = 1 "ALLOWED",
        /// Commits never wait.
        Forced = 2 "FORCED",
    }
}

/// A filegroup: a row of `sys.filegroups`.
#[derive(Clone, PartialEq, Debug)]
pub struct FileGroupDef {
    /// The id, `data_space_id`.
    pub id: DataSpaceId,
    /// The name, unique within the database.
    pub name: Name,
    /// Rows, file streams or memory-optimized data.
    pub kind: FileGroupKind,
    /// Where objects go that name no filegroup.
    pub default: bool,
    /// `READ_ONLY`.
    pub read_only: bool,
    /// `AUTOGROW_ALL_FILES`.
    pub autogrow_all_files: bool,
    /// `filegroup_guid`; `PRIMARY` has none.
    pub guid: Option<[u8; 16]>,
}

coded! {
    /// `type` of a filegroup.
    FileGroupKind: &'static str {
        /// Rows.
        Rows = "FG" "ROWS_FILEGROUP",
        /// File streams.
        FileStream = "FD" "FILESTREAM_DATA_FILEGROUP",
        /// `CONTAINS MEMORY_OPTIMIZED_DATA`.
        MemoryOptimized = "FX" "MEMORY_OPTIMIZED_DATA_FILEGROUP",
    }
}

/// A file: a row of `sys.database_files`. Sizes are in pages of 8 KB.
#[derive(Clone, PartialEq, Debug)]
pub struct FileDef {
    /// The id; 1 is the first data file, 2 the log.
    pub id: FileId,
    /// `file_guid`.
    pub guid: [u8; 16],
    /// Rows, log or container.
    pub kind: FileKind,
    /// Its filegroup; `None` for the log.
    pub data_space: Option<DataSpaceId>,
    /// The logical name, unique within the database.
    pub name: Name,
    /// The path, `physical_name`; below the data directory, whatever was asked for.
    pub physical_name: Name,
    /// `SIZE`.
    pub size_pages: i32,
    /// `MAXSIZE`: -1 for no limit.
    pub max_size_pages: i32,
    /// `FILEGROWTH`, in pages or per cent; 0 for none.
    pub growth: i32,
    /// Whether `growth` is per cent.
    pub percent_growth: bool,
    /// `READ_ONLY`.
    pub read_only: bool,
    /// `OFFLINE`.
    pub offline: bool,
}

coded! {
    /// `type` of a file.
    FileKind: u8 {
        /// Rows.
        Rows = 0 "ROWS",
        /// The log.
        Log = 1 "LOG",
        /// A container of memory-optimized data or file streams.
        Container = 2 "FILESTREAM",
    }
}

/// A setting that `sp_configure` changed: only those that differ from their default have a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConfigurationDef {
    /// `configuration_id`.
    pub id: i32,
    /// The value configured.
    pub value: i32,
    /// The value in use: the same after `RECONFIGURE`, or after a restart where it needs one.
    pub in_use: i32,
}

/// A resource pool, configured and in use. The predefined ones have no row, but for `default` once
/// the governor was enabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourcePoolDef {
    /// `pool_id`; 2 is `default`, users' begin at 256.
    pub id: i32,
    /// The name.
    pub name: Name,
    /// `MIN_CPU_PERCENT`.
    pub cpu_min: i32,
    /// `MAX_CPU_PERCENT`.
    pub cpu_max: i32,
    /// `CAP_CPU_PERCENT`.
    pub cpu_cap: i32,
    /// `MIN_MEMORY_PERCENT`.
    pub memory_min: i32,
    /// `MAX_MEMORY_PERCENT`.
    pub memory_max: i32,
    /// `MIN_IOPS_PER_VOLUME`.
    pub iops_min: i32,
    /// `MAX_IOPS_PER_VOLUME`.
    pub iops_max: i32,
    /// Whether it is in use: `ALTER RESOURCE GOVERNOR RECONFIGURE` came after it was made.
    pub active: bool,
    /// `MAX_MEMORY_PERCENT` as it is in use.
    pub memory_in_use: i32,
}

impl ResourcePoolDef {
    /// `internal`, which has no limits.
    pub const INTERNAL: i32 = 1;
    /// `default`, in which every database is that is bound to none.
    pub const DEFAULT: i32 = 2;
    /// The first that users make.
    pub const FIRST: i32 = 256;

    /// A pool with the default options.
    pub fn new(id: i32, name: &str) -> ResourcePoolDef {
        ResourcePoolDef {
            id,
            name: name.into(),
            cpu_min: 0,
            cpu_max: 100,
            cpu_cap: 100,
            memory_min: 0,
            memory_max: 100,
            iops_min: 0,
            iops_max: 0,
            active: false,
            memory_in_use: 100,
        }
    }
}

/// A named row cache (`sp_cacheconfig`): the most that row caching of a database may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowCacheDef {
    /// Its number, from 1.
    pub id: i32,
    /// The name.
    pub name: Name,
    /// How large it is.
    pub size_kb: i64,
}

impl RowCacheDef {
    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.size_kb).unwrap_or(0) << 10
    }
}

/// A message that `sp_addmessage` added: a row of `sys.messages`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageDef {
    /// The number, from 50001.
    pub id: i32,
    /// `language_id`; 1033 is us_english.
    pub language: i16,
    /// The severity, 1 to 25.
    pub severity: u8,
    /// `is_event_logged`.
    pub event_logged: bool,
    /// The text, with `%` placeholders of `RAISERROR`.
    pub text: Name,
}

/// Something that the catalog itself has to remember in a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SettingDef {
    /// What.
    pub id: SettingId,
    /// Its value.
    pub value: i64,
}

coded! {
    /// What the catalog remembers in each database.
    SettingId: u8 {
        /// The id of the object that was made last, from which the next one's follows.
        LastObject = 1 "last object",
        /// The storage that was made last; storages are never used again.
        LastStorage = 2 "last storage",
    }
}
