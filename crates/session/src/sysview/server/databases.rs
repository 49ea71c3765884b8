//! Databases and their files.

use base::Value;
use engine::catalog::def::{DatabaseDef, DatabaseState};
use engine::database::LogWait;

use super::super::catalog::storage::{FILE_COLUMNS, files};
use super::super::cells::*;
use super::super::{FilledView, RowsetColumn};

pub static DATABASES: FilledView = FilledView {
    schema: "sys",
    name: "databases",
    columns: &[
        column("name", SYSNAME, false),
        column("database_id", INT, false),
        column("source_database_id", INT, true),
        column("owner_sid", SID, true),
        column("create_date", WHEN, false),
        column("compatibility_level", TINY, false),
        column("collation_name", SYSNAME, true),
        column("user_access", TINY, true),
        column("user_access_desc", nvar(60), true),
        column("is_read_only", BIT, true),
        column("is_auto_close_on", BIT, false),
        column("is_auto_shrink_on", BIT, true),
        column("state", TINY, true),
        column("state_desc", nvar(60), true),
        column("is_in_standby", BIT, true),
        column("is_cleanly_shutdown", BIT, true),
        column("is_supplemental_logging_enabled", BIT, true),
        column("snapshot_isolation_state", TINY, true),
        column("snapshot_isolation_state_desc", nvar(60), true),
        column("is_read_committed_snapshot_on", BIT, true),
        column("recovery_model", TINY, true),
        column("recovery_model_desc", nvar(60), true),
        column("page_verify_option", TINY, true),
        column("page_verify_option_desc", nvar(60), true),
        column("is_auto_create_stats_on", BIT, true),
        column("is_auto_create_stats_incremental_on", BIT, true),
        column("is_auto_update_stats_on", BIT, true),
        column("is_auto_update_stats_async_on", BIT, true),
        column("is_ansi_null_default_on", BIT, true),
        column("is_ansi_nulls_on", BIT, true),
        column("is_ansi_padding_on", BIT, true),
        column("is_ansi_warnings_on", BIT, true),
        column("is_arithabort_on", BIT, true),
        column("is_concat_null_yields_null_on", BIT, true),
        column("is_numeric_roundabort_on", BIT, true),
        column("is_quoted_identifier_on", BIT, true),
        column("is_recursive_triggers_on", BIT, true),
        column("is_cursor_close_on_commit_on", BIT, true),
        column("is_local_cursor_default", BIT, true),
        column("is_fulltext_enabled", BIT, true),
        column("is_trustworthy_on", BIT, true),
        column("is_db_chaining_on", BIT, true),
        column("is_parameterization_forced", BIT, true),
        column("is_master_key_encrypted_by_server", BIT, false),
        column("is_query_store_on", BIT, true),
        column("is_published", BIT, false),
        column("is_subscribed", BIT, false),
        column("is_merge_published", BIT, false),
        column("is_distributor", BIT, false),
        column("is_sync_with_backup", BIT, false),
        column("service_broker_guid", GUID, false),
        column("is_broker_enabled", BIT, false),
        column("log_reuse_wait", TINY, true),
        column("log_reuse_wait_desc", nvar(60), true),
        column("is_date_correlation_on", BIT, false),
        column("is_cdc_enabled", BIT, false),
        column("is_encrypted", BIT, true),
        column("is_honor_broker_priority_on", BIT, true),
        column("replica_id", GUID, true),
        column("group_database_id", GUID, true),
        column("resource_pool_id", INT, true),
        column("default_language_lcid", SMALL, true),
        column("default_language_name", nvar(128), true),
        column("default_fulltext_language_lcid", INT, true),
        column("default_fulltext_language_name", nvar(128), true),
        column("is_nested_triggers_on", BIT, true),
        column("is_transform_noise_words_on", BIT, true),
        column("two_digit_year_cutoff", SMALL, true),
        column("containment", TINY, true),
        column("containment_desc", nvar(60), true),
        column("target_recovery_time_in_seconds", INT, true),
        column("delayed_durability", INT, true),
        column("delayed_durability_desc", nvar(60), true),
        column("is_memory_optimized_elevate_to_snapshot_on", BIT, true),
        column("is_federation_member", BIT, true),
        column("is_remote_data_archive_enabled", BIT, true),
        column("is_mixed_page_allocation_on", BIT, true),
        column("is_temporal_history_retention_enabled", BIT, true),
        column("catalog_collation_type", INT, true),
        column("catalog_collation_type_desc", nvar(60), true),
        column("physical_database_name", nvar(128), true),
        column("is_result_set_caching_on", BIT, true),
        column("is_accelerated_database_recovery_on", BIT, true),
        column("is_tempdb_spill_to_remote_store", BIT, true),
        column("is_stale_page_detection_on", BIT, true),
        column("is_memory_optimized_enabled", BIT, true),
        column("is_data_retention_enabled", BIT, true),
        column("is_ledger_on", BIT, true),
        column("is_change_feed_enabled", BIT, true),
        column("is_row_caching_on", BIT, true),
    ],
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for own in master.server().databases().iter() {
            // What cannot be opened says so, whatever it was set to.
            let state = match own.options.state {
                DatabaseState::Online => cx.instance.databases().state(own),
                state => state,
            };
            let wait = cx.instance.log_wait(own.id);
            cx.push_parts(&[&what_it_is(own, state), &settings(own), &rest(own, wait)]);
        }
        Ok(())
    },
};

fn what_it_is(own: &DatabaseDef, state: DatabaseState) -> [Value; 24] {
    let options = &own.options;
    [
        text(&own.name),
        database(own.id),
        NULL,
        bytes(&own.owner_sid),
        when(own.created),
        int(options.compatibility_level),
        text(own.collation.info().name),
        int(options.user_access.code()),
        text(options.user_access.description()),
        bit(options.read_only),
        bit(options.auto_close),
        bit(options.auto_shrink),
        int(state.code()),
        text(state.description()),
        bit(false),
        bit(false),
        bit(false),
        int(u8::from(options.snapshot_isolation)),
        text(if options.snapshot_isolation { "ON" } else { "OFF" }),
        bit(options.read_committed_snapshot),
        int(options.recovery_model.code()),
        text(options.recovery_model.description()),
        int(options.page_verify.code()),
        text(options.page_verify.description()),
    ]
}

fn settings(own: &DatabaseDef) -> [Value; 26] {
    let options = &own.options;
    [
        bit(options.auto_create_statistics),
        bit(false),
        bit(options.auto_update_statistics),
        bit(options.auto_update_statistics_async),
        bit(options.ansi_null_default),
        bit(options.ansi_nulls),
        bit(options.ansi_padding),
        bit(options.ansi_warnings),
        bit(options.arithabort),
        bit(options.concat_null_yields_null),
        bit(options.numeric_roundabort),
        bit(options.quoted_identifier),
        bit(options.recursive_triggers),
        bit(options.cursor_close_on_commit),
        bit(options.local_cursor_default),
        bit(false),
        bit(options.trustworthy),
        bit(options.db_chaining),
        bit(options.parameterization_forced),
        bit(false),
        bit(options.query_store),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
    ]
}

fn rest(own: &DatabaseDef, wait: LogWait) -> [Value; 40] {
    let wait_code = match wait {
        LogWait::Nothing => 0,
        LogWait::LogBackup => 2,
        LogWait::Backup => 3,
    };
    let options = &own.options;
    let containment = if options.contained { (1, "PARTIAL") } else { (0, "NONE") };
    [
        guid(own.guid),
        bit(options.broker_enabled),
        int(wait_code),
        text(wait.description()),
        bit(options.date_correlation),
        bit(false),
        bit(false),
        bit(options.honor_broker_priority),
        NULL,
        NULL,
        // What is bound to no pool is in `default`.
        int(if options.resource_pool == 0 { 2 } else { options.resource_pool }),
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        int(containment.0),
        text(containment.1),
        int(options.target_recovery_time_s),
        int(options.delayed_durability.code()),
        text(options.delayed_durability.description()),
        bit(options.elevate_to_snapshot),
        bit(false),
        bit(false),
        bit(false),
        bit(!options.history_retention_off),
        int(0),
        text("DATABASE_DEFAULT"),
        text(&own.name),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(true),
        bit(false),
        bit(false),
        bit(false),
        bit(options.row_caching),
    ]
}

/// `database_id`, what `sys.database_files` shows, `credential_id`.
static MASTER_FILE_COLUMNS: [RowsetColumn; 32] = joined([
    &[column("database_id", INT, false)],
    &FILE_COLUMNS,
    &[column("credential_id", INT, true)],
]);

pub static MASTER_FILES: FilledView = FilledView {
    schema: "sys",
    name: "master_files",
    columns: &MASTER_FILE_COLUMNS,
    fill: |cx| {
        let master = cx.instance.databases().master().current();
        for own in master.server().databases().iter() {
            let Ok(catalog) = cx.instance.catalog(own.id) else { continue };
            for row in files(&catalog) {
                cx.push_parts(&[&[database(own.id)], &row, &[NULL]]);
            }
        }
        Ok(())
    },
};
