//! The messages of all definitions: which tag holds which field. A field's tag never changes.

use super::{Field, Fields, Malformed, Reader, message, put_field, put_varint};
use base::types::Classification;

use crate::catalog::def::*;
use crate::catalog::definition::ObjectDef;

message! {
    ObjectHeader {
        1 id, 2 schema, 3 name, 4 owner, 5 created, 6 modified, 7 ms_shipped
    }
    ConstraintHeader {
        1 id, 2 name, 3 system_named, 4 created, 5 modified
    }
    Reference {
        1 class, 2 server, 3 database, 4 schema, 5 name, 6 id, 7 column, 8 schema_bound,
        9 caller_dependent, 10 ambiguous
    }

    TableDef {
        1 header, 2 kind, 3 role, 4 storage, 5 columns, 6 max_column_id, 7 indexes, 8 checks,
        9 foreign_keys, 10 data_space, 11 lob_data_space, 12 ansi_nulls, 13 quoted_identifier,
        14 lock_escalation, 15 row_cached, 16 statistics, 17 period, 18 versioning,
        19 history_of, 20 tracking, 21 changes_of, 22 derived_indexes, 23 rows_of;
        derived referenced_by, triggers, policies, indexed_views
    }
    ViewRowsDef { 1 view, 2 tables }
    DerivedIndexDef {
        1 id, 2 name, 3 column, 4 kind, 5 primary, 6 nodes, 7 fill_factor, 8 padded, 9 disabled,
        10 allow_row_locks, 11 allow_page_locks, 12 tessellation, 13 paths, 14 namespaces, 15 path
    }
    TessellationDef { 1 scheme, 2 bounds, 3 grids, 4 cells_per_object }
    BoundsDef { 1 min_x, 2 min_y, 3 max_x, 4 max_y }
    XmlPathDef {
        1 id, 2 name, 3 path, 4 xquery_type, 5 sql_type, 6 max_length, 7 is_node, 8 is_singleton
    }
    XmlPrefixDef { 1 prefix, 2 uri }
    PeriodDef { 1 start, 2 end }
    VersioningDef { 1 history, 2 retention }
    TrackingDef { 1 changes, 2 columns, 3 begin }
    ChangeTrackingDef { 1 retention, 2 unit, 3 auto_cleanup }
    RetentionDef { 1 count, 2 unit }
    ColumnDef {
        1 id, 2 name, 3 ty, 4 user_type, 5 nullable, 6 identity, 7 rowguidcol, 8 computed,
        9 default, 10 sparse, 11 hidden, 12 ansi_padded, 13 column_set, 14 mask,
        15 classification, 16 bound_default, 17 bound_rule
    }
    Classification {
        1 label, 2 label_id, 3 information_type, 4 information_type_id, 5 rank
    }
    BoundDefault { 1 object, 2 expression }
    BoundRule { 1 object, 2 variable, 3 condition }
    MaskDef { 1 function, 2 arguments }
    IdentityDef { 1 seed, 2 increment, 3 not_for_replication }
    ComputedDef {
        1 definition, 2 persisted, 3 uses_database_collation, 4 columns, 5 references, 6 stored
    }
    DefaultDef { 1 header, 2 definition, 3 references }
    IndexDef {
        1 id, 2 name, 3 kind, 4 unique, 5 key, 6 included, 7 constraint, 8 filter, 9 bucket_count,
        10 fill_factor, 11 padded, 12 ignore_dup_key, 13 disabled, 14 allow_row_locks,
        15 allow_page_locks, 16 optimize_for_sequential_key, 17 no_recompute, 18 data_space,
        19 hash_caching
    }
    KeyColumn { 1 column, 2 descending }
    KeyConstraintDef { 1 header, 2 primary }
    StatisticsDef { 1 id, 2 name, 3 columns, 4 filter, 5 no_recompute }
    FilterDef { 1 definition, 2 terms }
    FilterTerm { 1 column, 2 test }
    CheckDef {
        1 header, 2 column, 3 definition, 4 disabled, 5 not_for_replication, 6 not_trusted,
        7 uses_database_collation, 8 columns, 9 references
    }
    ForeignKeyDef {
        1 header, 2 columns, 3 referenced, 4 referenced_index, 5 on_delete, 6 on_update,
        7 disabled, 8 not_for_replication, 9 not_trusted
    }

    ModuleDef {
        1 header, 2 kind, 3 definition, 4 uses_ansi_nulls, 5 uses_quoted_identifier,
        6 schema_bound, 7 native, 8 recompile, 9 encrypted, 10 null_on_null_input,
        11 uses_database_collation, 12 execute_as, 13 parameters, 14 references, 15 number,
        16 numbered;
        derived triggers, policies, rows
    }
    ParameterDef {
        1 name, 2 ty, 3 user_type, 4 table_valued, 5 nullable, 6 output, 7 read_only, 8 cursor,
        9 default
    }
    ReturnDef { 1 ty, 2 user_type, 3 nullable }
    TriggerDef { 1 parent, 2 events, 3 instead_of, 4 disabled, 5 not_for_replication }
    TriggerEvent { 1 kind, 2 first, 3 last }
    EventTriggerDef { 1 server, 2 events, 3 disabled }
    FiringEvent { 1 event, 2 group, 3 first, 4 last }

    SequenceDef {
        1 header, 2 ty, 3 user_type, 4 start, 5 increment, 6 minimum, 7 maximum, 8 cycle, 9 cache,
        10 restarts
    }
    SynonymDef { 1 header, 2 base }
    SecurityPolicyDef {
        1 header, 2 enabled, 3 schema_bound, 4 not_for_replication, 5 max_predicate_id,
        6 predicates
    }
    PredicateDef {
        1 id, 2 table, 3 kind, 4 operation, 5 schema, 6 function, 7 arguments, 8 references
    }
    TypeDef { 1 id, 2 schema, 3 name, 4 owner, 5 kind }
    XmlCollectionDef {
        1 id, 2 schema, 3 name, 4 owner, 5 created, 6 modified, 7 texts;
        derived compiled
    }

    SchemaDef { 1 id, 2 name, 3 owner }
    PrincipalDef {
        1 id, 2 name, 3 kind, 4 default_schema, 5 created, 6 modified, 7 owner, 8 sid,
        9 fixed_role, 10 authentication, 11 default_language, 12 password_hash, 13 roles
    }
    LoginDef {
        1 id, 2 name, 3 kind, 4 sid, 5 disabled, 6 created, 7 modified, 8 default_database,
        9 default_language, 10 owner, 11 fixed_role, 12 policy_checked, 13 expiration_checked,
        14 must_change, 15 password_hash, 16 roles
    }
    PermissionSet { 1 target, 2 grantee, 3 grants }
    Grant { 1 permission, 2 grantor, 3 state }
    PropertySet { 1 target, 2 properties }
    ExtendedProperty { 1 name, 2 value }

    FileGroupDef {
        1 id, 2 name, 3 kind, 4 default, 5 read_only, 6 autogrow_all_files, 7 guid
    }
    FileDef {
        1 id, 2 guid, 3 kind, 4 data_space, 5 name, 6 physical_name, 7 size_pages,
        8 max_size_pages, 9 growth, 10 percent_growth, 11 read_only, 12 offline
    }
    DatabaseDef {
        1 id, 2 name, 3 directory, 4 guid, 5 owner_sid, 6 created, 7 collation, 8 options
    }
    DatabaseOptions {
        1 compatibility_level, 2 state, 3 user_access, 4 read_only, 5 recovery_model,
        6 page_verify, 7 snapshot_isolation, 8 read_committed_snapshot, 9 elevate_to_snapshot,
        10 delayed_durability, 11 target_recovery_time_s, 12 auto_close, 13 auto_shrink,
        14 auto_create_statistics, 15 auto_update_statistics, 16 auto_update_statistics_async,
        17 ansi_null_default, 18 ansi_nulls, 19 ansi_padding, 20 ansi_warnings, 21 arithabort,
        22 concat_null_yields_null, 23 numeric_roundabort, 24 quoted_identifier,
        25 recursive_triggers, 26 cursor_close_on_commit, 27 local_cursor_default,
        28 date_correlation, 29 parameterization_forced, 30 trustworthy, 31 db_chaining,
        32 broker_enabled, 33 honor_broker_priority, 34 query_store, 35 contained,
        36 resource_pool, 37 identity_cache_off, 38 row_caching, 39 row_cache,
        40 row_cache_tuning_off, 41 history_retention_off,
        42 change_tracking
    }
    ConfigurationDef { 1 id, 2 value, 3 in_use }
    ResourcePoolDef {
        1 id, 2 name, 3 cpu_min, 4 cpu_max, 5 cpu_cap, 6 memory_min, 7 memory_max, 8 iops_min,
        9 iops_max, 10 active, 11 memory_in_use
    }
    RowCacheDef { 1 id, 2 name, 3 size_kb }
    MessageDef { 1 id, 2 language, 3 severity, 4 event_logged, 5 text }
    SettingDef { 1 id, 2 value }
}

/// A number for the variant, then a message with the variant's fields.
impl Field for ModuleKind {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            ModuleKind::Procedure { auto_executed } => {
                put_varint(out, 1);
                put_field(out, 1, auto_executed);
            }
            ModuleKind::ScalarFunction { returns } => {
                put_varint(out, 2);
                put_field(out, 1, returns);
            }
            ModuleKind::InlineFunction { columns } => {
                put_varint(out, 3);
                put_field(out, 1, columns);
            }
            ModuleKind::TableFunction { variable, result } => {
                put_varint(out, 4);
                put_field(out, 1, variable);
                put_field(out, 2, result);
            }
            ModuleKind::View { columns, with_check_option } => {
                put_varint(out, 5);
                put_field(out, 1, columns);
                put_field(out, 2, with_check_option);
            }
            ModuleKind::Trigger(trigger) => {
                put_varint(out, 6);
                put_field(out, 1, trigger);
            }
            ModuleKind::EventTrigger(trigger) => {
                put_varint(out, 7);
                put_field(out, 1, trigger);
            }
            ModuleKind::Rule { variable, condition } => {
                put_varint(out, 8);
                put_field(out, 1, variable);
                put_field(out, 2, condition);
            }
            ModuleKind::Default { expression } => {
                put_varint(out, 9);
                put_field(out, 1, expression);
            }
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let variant = reader.varint()?;
        let fields = |known| Fields::parse(reader.0, known);
        Ok(match variant {
            1 => ModuleKind::Procedure { auto_executed: fields(&[1])?.get(1)? },
            2 => ModuleKind::ScalarFunction { returns: fields(&[1])?.get(1)? },
            3 => ModuleKind::InlineFunction { columns: fields(&[1])?.get(1)? },
            4 => {
                let fields = fields(&[1, 2])?;
                ModuleKind::TableFunction { variable: fields.get(1)?, result: fields.get(2)? }
            }
            5 => {
                let fields = fields(&[1, 2])?;
                ModuleKind::View { columns: fields.get(1)?, with_check_option: fields.get(2)? }
            }
            6 => ModuleKind::Trigger(fields(&[1])?.get(1)?),
            7 => ModuleKind::EventTrigger(fields(&[1])?.get(1)?),
            8 => {
                let fields = fields(&[1, 2])?;
                ModuleKind::Rule { variable: fields.get(1)?, condition: fields.get(2)? }
            }
            9 => ModuleKind::Default { expression: fields(&[1])?.get(1)? },
            _ => return Err(Malformed::Invalid("kind of module")),
        })
    }
}

impl Field for TypeDefKind {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            TypeDefKind::Alias { ty, nullable, default, rule } => {
                put_varint(out, 1);
                put_field(out, 1, ty);
                put_field(out, 2, nullable);
                put_field(out, 3, default);
                put_field(out, 4, rule);
            }
            TypeDefKind::Table { table } => {
                put_varint(out, 2);
                put_field(out, 1, table);
            }
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let variant = reader.varint()?;
        let fields = |known| Fields::parse(reader.0, known);
        Ok(match variant {
            1 => {
                let fields = fields(&[1, 2, 3, 4])?;
                TypeDefKind::Alias {
                    ty: fields.get(1)?,
                    nullable: fields.get(2)?,
                    default: fields.get(3)?,
                    rule: fields.get(4)?,
                }
            }
            2 => TypeDefKind::Table { table: fields(&[1])?.get(1)? },
            _ => return Err(Malformed::Invalid("kind of type")),
        })
    }
}

/// A number for the kind of object, then its message.
impl Field for ObjectDef {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            ObjectDef::Table(d) => {
                out.push(1);
                d.write(out);
            }
            ObjectDef::Module(d) => {
                out.push(2);
                d.write(out);
            }
            ObjectDef::Sequence(d) => {
                out.push(3);
                d.write(out);
            }
            ObjectDef::Synonym(d) => {
                out.push(4);
                d.write(out);
            }
            ObjectDef::SecurityPolicy(d) => {
                out.push(5);
                d.write(out);
            }
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes.split_first() {
            Some((1, message)) => Field::read(message).map(ObjectDef::Table),
            Some((2, message)) => Field::read(message).map(ObjectDef::Module),
            Some((3, message)) => Field::read(message).map(ObjectDef::Sequence),
            Some((4, message)) => Field::read(message).map(ObjectDef::Synonym),
            Some((5, message)) => Field::read(message).map(ObjectDef::SecurityPolicy),
            Some((&kind, _)) => Err(Malformed::Newer(kind.into())),
            None => Err(Malformed::Truncated),
        }
    }
}
