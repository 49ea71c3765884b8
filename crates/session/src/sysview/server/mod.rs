//! Views of the server: its databases, principals, settings and sessions, and the machine.

mod checkpoints;
mod consumers;
mod counters;
mod databases;
mod executions;
pub(crate) mod files;
mod garbage;
mod grants;
mod loading;
mod locks;
pub(crate) mod log;
mod machine;
mod memory;
mod pages;
pub(crate) mod physical;
mod pools;
mod principals;
mod row_cache;
mod sessions;
mod settings;
pub(crate) mod space;
pub(crate) mod texts;
mod transactions;

use super::FilledView;

/// The views whose rows are made.
pub const VIEWS: &[&FilledView] = &[
    &databases::DATABASES,
    &databases::MASTER_FILES,
    &locks::DM_OS_WAITING_TASKS,
    &locks::DM_TRAN_LOCKS,
    &machine::DM_OS_SYS_INFO,
    &machine::DM_OS_PROCESS_MEMORY,
    &machine::DM_OS_HOST_INFO,
    &counters::DM_OS_PERFORMANCE_COUNTERS,
    &counters::DM_OS_WAIT_STATS,
    &counters::DM_OS_LATCH_STATS,
    &executions::DM_EXEC_QUERY_STATS,
    &executions::DM_EXEC_PROCEDURE_STATS,
    &executions::DM_EXEC_TRIGGER_STATS,
    &executions::DM_EXEC_FUNCTION_STATS,
    &executions::DM_EXEC_CACHED_PLANS,
    &grants::DM_EXEC_QUERY_MEMORY_GRANTS,
    &grants::DM_EXEC_QUERY_RESOURCE_SEMAPHORES,
    &memory::DM_DB_XTP_TABLE_MEMORY_STATS,
    &memory::DM_DB_XTP_HASH_INDEX_STATS,
    &memory::DM_DB_XTP_NONCLUSTERED_INDEX_STATS,
    &consumers::DM_DB_XTP_MEMORY_CONSUMERS,
    &consumers::DM_XTP_SYSTEM_MEMORY_CONSUMERS,
    &garbage::DM_XTP_GC_STATS,
    &garbage::DM_XTP_GC_QUEUE_STATS,
    &garbage::DM_DB_XTP_INDEX_STATS,
    &checkpoints::DM_DB_XTP_CHECKPOINT_FILES,
    &checkpoints::DM_DB_XTP_CHECKPOINT_STATS,
    &pages::DM_OS_BUFFER_DESCRIPTORS,
    &pages::DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION,
    &pools::RESOURCE_GOVERNOR_CONFIGURATION,
    &pools::RESOURCE_GOVERNOR_RESOURCE_POOLS,
    &pools::DM_RESOURCE_GOVERNOR_RESOURCE_POOLS,
    &memory::DM_DB_XTP_OBJECT_STATS,
    &memory::DM_OS_MEMORY_CLERKS,
    &row_cache::DM_DB_ROW_CACHE_STATS,
    &row_cache::DM_DB_ROW_CACHE_TUNING,
    &row_cache::DM_OS_ROW_CACHE_MEMORY,
    &row_cache::DM_OS_ROW_CACHES,
    &principals::SERVER_PRINCIPALS,
    &principals::SQL_LOGINS,
    &principals::SERVER_ROLE_MEMBERS,
    &principals::SERVER_PERMISSIONS,
    &sessions::DM_EXEC_SESSIONS,
    &sessions::DM_EXEC_CONNECTIONS,
    &sessions::DM_EXEC_REQUESTS,
    &sessions::DM_TRAN_ACTIVE_TRANSACTIONS,
    &sessions::DM_TRAN_SESSION_TRANSACTIONS,
    &space::DM_DB_FILE_SPACE_USAGE,
    &space::DM_DB_LOG_SPACE_USAGE,
    &settings::CONFIGURATIONS,
    &settings::SYSLANGUAGES,
    &settings::MESSAGES,
    &settings::TIME_ZONE_INFO,
    &transactions::DM_TRAN_DATABASE_TRANSACTIONS,
    &transactions::DM_DB_XTP_TRANSACTIONS,
];
