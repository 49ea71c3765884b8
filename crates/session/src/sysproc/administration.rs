//! The procedures that users call: help, sessions, settings, logins and users, and old names of
//! statements.

use engine::catalog::def::Permission;

use super::registry::Entry;
use super::{Builtin, Needs};

const DROP_USER: &str = include_str!("text/sp_dropuser.sql");
const REGISTRY_READ: &str = include_str!("text/xp_instance_regread.sql");
const ENUMERATE_LOGS: &str = include_str!("text/xp_enumerrorlogs.sql");
const PROPERTY: &str = include_str!("text/sp_addextendedproperty.sql");

const SETTINGS: Needs = Needs::Server(Permission::AlterSettings);
const LOGINS: Needs = Needs::Server(Permission::AlterAnyLogin);
const BACKUP_HISTORY: Needs = Needs::Administrator;
const OWNER: Needs = Needs::Database(Permission::Control);

/// The parameter of the procedures that have a property's value.
const VALUE: (&str, &str) = ("$value$", "@value sql_variant = NULL,");

pub(super) const ENTRIES: &[Entry] = &[
    Entry::text("sp_help", include_str!("text/sp_help.sql")),
    Entry::text("sp_helpconstraint", include_str!("text/sp_helpconstraint.sql")),
    Entry::text("sp_helpdb", include_str!("text/sp_helpdb.sql")),
    Entry::text("sp_helpfile", include_str!("text/sp_helpfile.sql")),
    Entry::text("sp_helpfilegroup", include_str!("text/sp_helpfilegroup.sql")),
    Entry::text("sp_helpindex", include_str!("text/sp_helpindex.sql")),
    Entry::text("sp_helplanguage", include_str!("text/sp_helplanguage.sql")),
    Entry::text("sp_helplogins", include_str!("text/sp_helplogins.sql")).needs(LOGINS),
    Entry::text("sp_helprole", include_str!("text/sp_helprole.sql")),
    Entry::text("sp_helprolemember", include_str!("text/sp_helprolemember.sql")),
    Entry::text("sp_helpsort", include_str!("text/sp_helpsort.sql")),
    Entry::text("sp_helpsrvrolemember", include_str!("text/sp_helpsrvrolemember.sql")),
    Entry::text("sp_helptext", include_str!("text/sp_helptext.sql")),
    Entry::text("sp_helptrigger", include_str!("text/sp_helptrigger.sql")),
    Entry::text("sp_helpuser", include_str!("text/sp_helpuser.sql")),
    Entry::text("sp_depends", include_str!("text/sp_depends.sql")),
    Entry::text("sp_lock", include_str!("text/sp_lock.sql")),
    Entry::text("sp_spaceused", include_str!("text/sp_spaceused.sql")),
    Entry::text("sp_who", include_str!("text/sp_who.sql")),
    Entry::text("sp_who2", include_str!("text/sp_who2.sql")),
    Entry::text("xp_msver", include_str!("text/xp_msver.sql")),
    Entry::text("sp_oledb_ro_usrname", include_str!("text/sp_oledb_ro_usrname.sql")),
    Entry::text("xp_instance_regread", REGISTRY_READ),
    Entry::text("xp_regread", REGISTRY_READ),
    // Logins, users, roles.
    Entry::text("sp_addlogin", include_str!("text/sp_addlogin.sql")).needs(LOGINS),
    Entry::text("sp_droplogin", include_str!("text/sp_droplogin.sql")).needs(LOGINS),
    Entry::text("sp_password", include_str!("text/sp_password.sql")),
    Entry::text("sp_defaultdb", include_str!("text/sp_defaultdb.sql")),
    Entry::text("sp_defaultlanguage", include_str!("text/sp_defaultlanguage.sql")),
    Entry::text("sp_adduser", include_str!("text/sp_adduser.sql")),
    Entry::text("sp_dropuser", DROP_USER),
    Entry::text("sp_grantdbaccess", include_str!("text/sp_grantdbaccess.sql")),
    Entry::text("sp_revokedbaccess", DROP_USER),
    Entry::text("sp_addrole", include_str!("text/sp_addrole.sql")),
    Entry::text("sp_droprole", include_str!("text/sp_droprole.sql")),
    Entry::text("sp_addrolemember", include_str!("text/sp_addrolemember.sql")),
    Entry::text("sp_droprolemember", include_str!("text/sp_droprolemember.sql")),
    Entry::text("sp_addsrvrolemember", include_str!("text/sp_addsrvrolemember.sql")),
    Entry::text("sp_dropsrvrolemember", include_str!("text/sp_dropsrvrolemember.sql")),
    Entry::text("sp_changedbowner", include_str!("text/sp_changedbowner.sql")),
    // Databases and objects.
    Entry::text("sp_addtype", include_str!("text/sp_addtype.sql")),
    Entry::text("sp_droptype", include_str!("text/sp_droptype.sql")),
    Entry::text("sp_dbcmptlevel", include_str!("text/sp_dbcmptlevel.sql")),
    Entry::text("sp_renamedb", include_str!("text/sp_renamedb.sql")),
    Entry::text("sp_attach_db", include_str!("text/sp_attach_db.sql")),
    Entry::text("sp_attach_single_file_db", include_str!("text/sp_attach_single_file_db.sql")),
    Entry::builtin("sp_detach_db", include_str!("text/sp_detach_db.sql"), Builtin::DetachDatabase),
    Entry::text("sp_recompile", include_str!("text/sp_recompile.sql")),
    Entry::internal(
        "sp_recompile_object",
        include_str!("text/sp_recompile_object.sql"),
        Builtin::Recompile,
    ),
    Entry::builtin("sp_refreshview", include_str!("text/sp_refreshview.sql"), Builtin::RefreshView),
    Entry::builtin(
        "sp_refreshsqlmodule",
        include_str!("text/sp_refreshsqlmodule.sql"),
        Builtin::RefreshModule,
    ),
    Entry::builtin("sp_bindefault", include_str!("text/sp_bindefault.sql"), Builtin::BindDefault),
    Entry::builtin("sp_bindrule", include_str!("text/sp_bindrule.sql"), Builtin::BindRule),
    Entry::builtin(
        "sp_unbindefault",
        include_str!("text/sp_unbindefault.sql"),
        Builtin::UnbindDefault,
    ),
    Entry::builtin("sp_unbindrule", include_str!("text/sp_unbindrule.sql"), Builtin::UnbindRule),
    Entry::text("sp_tableoption", include_str!("text/sp_tableoption.sql")),
    Entry::text("sp_indexoption", include_str!("text/sp_indexoption.sql")),
    Entry::text("sp_procoption", include_str!("text/sp_procoption.sql")),
    Entry::text("sp_MSforeachdb", include_str!("text/sp_MSforeachdb.sql")),
    Entry::text("sp_MSforeachtable", include_str!("text/sp_MSforeachtable.sql")),
    Entry::builtin("sp_rename", include_str!("text/sp_rename.sql"), Builtin::Rename),
    Entry::builtin("sp_addextendedproperty", PROPERTY, Builtin::AddProperty).with(&[VALUE]),
    Entry::builtin("sp_updateextendedproperty", PROPERTY, Builtin::UpdateProperty).with(&[VALUE]),
    Entry::builtin("sp_dropextendedproperty", PROPERTY, Builtin::DropProperty)
        .with(&[("$value$", "")]),
    Entry::builtin(
        "sp_settriggerorder",
        include_str!("text/sp_settriggerorder.sql"),
        Builtin::SetTriggerOrder,
    ),
    Entry::text("sp_updatestats", include_str!("text/sp_updatestats.sql")).needs(OWNER),
    Entry::text("sp_addapprole", include_str!("text/sp_addapprole.sql")),
    Entry::text("sp_dropapprole", include_str!("text/sp_dropapprole.sql")),
    Entry::text("sp_approlepassword", include_str!("text/sp_approlepassword.sql")),
    Entry::builtin(
        "sp_setapprole",
        include_str!("text/sp_setapprole.sql"),
        Builtin::SetApplicationRole,
    ),
    Entry::builtin(
        "sp_unsetapprole",
        include_str!("text/sp_unsetapprole.sql"),
        Builtin::UnsetApplicationRole,
    ),
    Entry::builtin(
        "sp_migrate_user_to_contained",
        include_str!("text/sp_migrate_user_to_contained.sql"),
        Builtin::MigrateUser,
    )
    .needs(Needs::Server(Permission::Control)),
    // Sessions and the server.
    Entry::builtin("sp_addmessage", include_str!("text/sp_addmessage.sql"), Builtin::AddMessage)
        .needs(SETTINGS),
    Entry::builtin("sp_dropmessage", include_str!("text/sp_dropmessage.sql"), Builtin::DropMessage)
        .needs(SETTINGS),
    Entry::builtin(
        "sp_getapplock",
        include_str!("text/sp_getapplock.sql"),
        Builtin::AcquireAppLock,
    ),
    Entry::builtin(
        "sp_releaseapplock",
        include_str!("text/sp_releaseapplock.sql"),
        Builtin::ReleaseAppLock,
    ),
    Entry::builtin(
        "sp_set_session_context",
        include_str!("text/sp_set_session_context.sql"),
        Builtin::SetSessionContext,
    ),
    Entry::text("sp_configure", include_str!("text/sp_configure.sql")),
    Entry::text("sp_configure_ase", include_str!("text/sp_configure_ase.sql")).hidden(),
    Entry::internal(
        "sp_configure_set",
        include_str!("text/sp_configure_set.sql"),
        Builtin::Configure,
    )
    .needs(SETTINGS),
    Entry::builtin(
        "sp_xtp_control_proc_exec_stats",
        include_str!("text/sp_xtp_control_proc_exec_stats.sql"),
        Builtin::CollectModuleStatistics,
    )
    .needs(Needs::Administrator),
    Entry::builtin(
        "sp_xtp_control_query_exec_stats",
        include_str!("text/sp_xtp_control_query_exec_stats.sql"),
        Builtin::CollectStatementStatistics,
    )
    .needs(Needs::Administrator),
    Entry::builtin(
        "sp_xtp_merge_checkpoint_files",
        include_str!("text/sp_xtp_merge_checkpoint_files.sql"),
        Builtin::MergeCheckpointFiles,
    ),
    Entry::builtin(
        "sp_xtp_checkpoint_force_garbage_collection",
        include_str!("text/sp_xtp_checkpoint_force_garbage_collection.sql"),
        Builtin::CollectCheckpointGarbage,
    ),
    Entry::builtin(
        "sp_row_cache_prewarm",
        include_str!("text/sp_row_cache_prewarm.sql"),
        Builtin::PrewarmRowCache,
    ),
    Entry::builtin(
        "sp_xtp_bind_db_resource_pool",
        include_str!("text/sp_xtp_bind_db_resource_pool.sql"),
        Builtin::BindResourcePool,
    )
    .needs(Needs::Administrator),
    Entry::builtin(
        "sp_xtp_unbind_db_resource_pool",
        include_str!("text/sp_xtp_unbind_db_resource_pool.sql"),
        Builtin::UnbindResourcePool,
    )
    .needs(Needs::Administrator),
    Entry::builtin(
        "xp_readerrorlog",
        include_str!("text/xp_readerrorlog.sql"),
        Builtin::ReadErrorLog,
    ),
    Entry::builtin(
        "sp_readerrorlog",
        include_str!("text/sp_readerrorlog.sql"),
        Builtin::ReadErrorLogAsAdministrator,
    ),
    Entry::builtin("xp_enumerrorlogs", ENUMERATE_LOGS, Builtin::ListErrorLogs),
    Entry::builtin("sp_enumerrorlogs", ENUMERATE_LOGS, Builtin::ListErrorLogsAsAdministrator),
    Entry::text("sp_cycle_errorlog", include_str!("text/sp_cycle_errorlog.sql")),
    Entry::builtin(
        "xp_create_subdir",
        include_str!("text/xp_create_subdir.sql"),
        Builtin::CreateDirectory,
    )
    .needs(Needs::Administrator),
    Entry::builtin(
        "sp_describe_first_result_set",
        include_str!("text/sp_describe_first_result_set.sql"),
        Builtin::DescribeFirstResultSet,
    ),
    Entry::builtin(
        "sp_describe_undeclared_parameters",
        include_str!("text/sp_describe_undeclared_parameters.sql"),
        Builtin::DescribeUndeclaredParameters,
    ),
    Entry::builtin(
        "sp_describe_parameter_encryption",
        include_str!("text/sp_describe_parameter_encryption.sql"),
        Builtin::DescribeParameterEncryption,
    ),
    Entry::text("sp_delete_backuphistory", include_str!("text/sp_delete_backuphistory.sql"))
        .needs(BACKUP_HISTORY),
    Entry::text(
        "sp_delete_database_backuphistory",
        include_str!("text/sp_delete_database_backuphistory.sql"),
    )
    .needs(BACKUP_HISTORY),
    Entry::builtin(
        "sp_sequence_get_range",
        include_str!("text/sp_sequence_get_range.sql"),
        Builtin::GetSequenceRange,
    ),
    Entry::builtin(
        "sp_cleanup_temporal_history",
        include_str!("text/sp_cleanup_temporal_history.sql"),
        Builtin::CleanUpHistory,
    ),
    Entry::builtin(
        "sp_flush_CT_internal_table_on_demand",
        include_str!("text/sp_flush_ct_internal_table_on_demand.sql"),
        Builtin::CleanUpChanges,
    ),
    // SAP ASE's, for row caches.
    Entry::builtin(
        "sp_cacheconfig",
        include_str!("text/sp_cacheconfig.sql"),
        Builtin::ConfigureRowCaches,
    )
    .needs(SETTINGS),
    Entry::builtin("sp_imrs", include_str!("text/sp_imrs.sql"), Builtin::ShowRowsInMemory),
    Entry::builtin("sp_dboption", include_str!("text/sp_dboption.sql"), Builtin::SetDatabaseOption),
];
