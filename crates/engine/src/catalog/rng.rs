//! Random definitions for tests, from a seed.

use std::sync::Arc;

use base::ids::{DbId, ObjectId, StorageId};
use base::types::Classification;
use base::value::Variant;
use base::{Collation, SqlType, TypeKind, Value};

use super::def::*;
use super::definition::{Definition, DefinitionKey, ObjectDef};
use super::schema::Schema;

/// A source of random definitions.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// xorshift64*.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n
    }

    pub fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
        self.flip().then(|| make(self))
    }

    fn some<T>(&mut self, upto: usize, mut make: impl FnMut(&mut Rng) -> T) -> Vec<T> {
        (0..self.below(upto + 1)).map(|_| make(self)).collect()
    }

    fn int(&mut self) -> i32 {
        self.next() as i32 >> self.below(32)
    }

    fn big(&mut self) -> i128 {
        let high = i128::from(self.next() as i64) << 64;
        (high | i128::from(self.next())) >> self.below(128)
    }

    pub fn name(&mut self) -> Name {
        let letters: Vec<char> = "abcXYZ_@ äß漢0".chars().collect();
        (0..=self.below(12)).map(|_| self.pick(&letters)).collect::<String>().into()
    }

    fn bytes(&mut self) -> Box<[u8]> {
        (0..self.below(20)).map(|_| self.next() as u8).collect()
    }

    fn guid(&mut self) -> [u8; 16] {
        u128::from(self.next()).to_le_bytes()
    }

    fn date(&mut self) -> DateTime {
        DateTime { days: self.int(), ticks: self.below(25_920_000) as u32 }
    }

    fn sql_type(&mut self) -> SqlType {
        SqlType {
            kind: self.pick(&TypeKind::ALL),
            precision: self.below(39) as u8,
            scale: self.below(39) as u8,
            length: self.next() as u16,
            collation: Collation(self.below(3) as u16),
        }
    }

    fn value(&mut self) -> Value {
        match self.below(15) {
            0 => Value::Null,
            1 => Value::Int(self.next() as i64),
            2 => Value::Money(self.next() as i64),
            3 => Value::Decimal(self.big()),
            4 => Value::Float(self.int().into()),
            5 => Value::Chars(self.bytes()),
            6 => Value::Unicode(self.bytes().iter().flat_map(|b| [*b, 0]).collect()),
            7 => Value::Bytes(self.bytes()),
            8 => Value::Date(self.int()),
            9 => Value::Time(self.next() as i64),
            10 => Value::DateTime(self.date()),
            11 => Value::SmallDateTime(self.int().into()),
            12 => Value::DateTime2(self.next() as i64),
            13 => Value::DateTimeOffset(base::value::DateTimeOffset {
                utc_ticks: self.next() as i64,
                offset_minutes: self.int() as i16,
            }),
            _ => Value::Guid(self.guid()),
        }
    }

    fn variant(&mut self) -> Value {
        match self.value() {
            Value::Null => Value::Null,
            value => Value::Variant(Box::new(Variant { ty: self.sql_type(), value })),
        }
    }

    pub fn header(&mut self) -> ObjectHeader {
        ObjectHeader {
            id: ObjectId(self.int()),
            schema: SchemaId(self.int()),
            name: self.name(),
            owner: self.maybe(|d| PrincipalId(d.int())),
            created: self.date(),
            modified: self.date(),
            ms_shipped: self.flip(),
        }
    }

    fn constraint(&mut self) -> ConstraintHeader {
        ConstraintHeader {
            id: ObjectId(self.int()),
            name: self.name(),
            system_named: self.flip(),
            created: self.date(),
            modified: self.date(),
        }
    }

    fn reference(&mut self) -> Reference {
        Reference {
            class: self.pick(ReferenceClass::ALL),
            server: self.maybe(Rng::name),
            database: self.maybe(Rng::name),
            schema: self.maybe(Rng::name),
            name: self.name(),
            id: self.maybe(Rng::int),
            column: self.maybe(|d| ColumnId(d.int())),
            schema_bound: self.flip(),
            caller_dependent: self.flip(),
            ambiguous: self.flip(),
        }
    }

    fn columns_used(&mut self) -> Vec<ColumnId> {
        self.some(3, |d| ColumnId(d.int()))
    }

    pub fn column(&mut self) -> ColumnDef {
        ColumnDef {
            id: ColumnId(self.int()),
            name: self.name(),
            ty: self.sql_type(),
            user_type: UserTypeId(self.int()),
            nullable: self.flip(),
            identity: self.maybe(|d| IdentityDef {
                seed: d.next() as i64,
                increment: d.next() as i64,
                not_for_replication: d.flip(),
            }),
            rowguidcol: self.flip(),
            computed: self.maybe(|d| ComputedDef {
                definition: d.name(),
                persisted: d.flip(),
                stored: d.flip(),
                uses_database_collation: d.flip(),
                columns: d.columns_used(),
                references: d.some(2, Rng::reference),
            }),
            default: self.maybe(|d| DefaultDef {
                header: d.constraint(),
                definition: d.name(),
                references: d.some(2, Rng::reference),
            }),
            sparse: self.flip(),
            column_set: self.flip(),
            hidden: self.flip(),
            ansi_padded: self.flip(),
            mask: self.maybe(|d| MaskDef {
                function: d.pick(MaskingFunction::ALL),
                arguments: d.some(3, Rng::name),
            }),
            classification: self.maybe(|d| Classification {
                label: d.maybe(Rng::name),
                label_id: d.maybe(Rng::name),
                information_type: d.maybe(Rng::name),
                information_type_id: d.maybe(Rng::name),
                rank: d.maybe(|d| d.pick(&Classification::RANKS).1),
            }),
            bound_default: self.maybe(Rng::bound_default),
            bound_rule: self.maybe(Rng::bound_rule),
        }
    }

    fn bound_default(&mut self) -> BoundDefault {
        BoundDefault { object: ObjectId(self.int()), expression: self.name() }
    }

    fn bound_rule(&mut self) -> BoundRule {
        BoundRule { object: ObjectId(self.int()), variable: self.name(), condition: self.name() }
    }

    fn filter_test(&mut self) -> FilterTest {
        match self.below(4) {
            0 => FilterTest::IsNull,
            1 => FilterTest::IsNotNull,
            2 => FilterTest::Compare(self.pick(Comparison::ALL), self.value()),
            _ => FilterTest::In(self.some(3, Rng::value)),
        }
    }

    fn index(&mut self) -> IndexDef {
        IndexDef {
            id: IndexId(self.int()),
            name: self.name(),
            kind: self.pick(IndexKind::ALL),
            unique: self.flip(),
            key: self.some(4, |d| KeyColumn { column: ColumnId(d.int()), descending: d.flip() }),
            included: self.columns_used(),
            constraint: self
                .maybe(|d| KeyConstraintDef { header: d.constraint(), primary: d.flip() }),
            filter: self.maybe(Rng::filter),
            bucket_count: self.maybe(|d| d.next() as u32),
            fill_factor: self.below(101) as u8,
            padded: self.flip(),
            ignore_dup_key: self.flip(),
            disabled: self.flip(),
            allow_row_locks: self.flip(),
            allow_page_locks: self.flip(),
            optimize_for_sequential_key: self.flip(),
            hash_caching: self.pick(HashCaching::ALL),
            no_recompute: self.flip(),
            data_space: DataSpaceId(self.int()),
        }
    }

    fn check(&mut self) -> CheckDef {
        CheckDef {
            header: self.constraint(),
            column: self.maybe(|d| ColumnId(d.int())),
            definition: self.name(),
            disabled: self.flip(),
            not_for_replication: self.flip(),
            not_trusted: self.flip(),
            uses_database_collation: self.flip(),
            columns: self.columns_used(),
            references: self.some(2, Rng::reference),
        }
    }

    fn foreign_key(&mut self) -> ForeignKeyDef {
        ForeignKeyDef {
            header: self.constraint(),
            columns: self.some(3, |d| ForeignKeyColumn {
                own: ColumnId(d.int()),
                referenced: ColumnId(d.int()),
            }),
            referenced: ObjectId(self.int()),
            referenced_index: IndexId(self.int()),
            on_delete: self.pick(ReferentialAction::ALL),
            on_update: self.pick(ReferentialAction::ALL),
            disabled: self.flip(),
            not_for_replication: self.flip(),
            not_trusted: self.flip(),
        }
    }

    fn filter(&mut self) -> FilterDef {
        FilterDef {
            definition: self.name(),
            terms: self
                .some(3, |d| FilterTerm { column: ColumnId(d.int()), test: d.filter_test() }),
        }
    }

    fn derived_index(&mut self) -> DerivedIndexDef {
        DerivedIndexDef {
            id: IndexId(self.int()),
            name: self.name(),
            column: ColumnId(self.int()),
            kind: self.pick(DerivedIndexKind::ALL),
            primary: IndexId(self.int()),
            nodes: ObjectId(self.int()),
            fill_factor: self.next() as u8,
            padded: self.flip(),
            disabled: self.flip(),
            allow_row_locks: self.flip(),
            allow_page_locks: self.flip(),
            tessellation: self.maybe(|d| TessellationDef {
                scheme: d.pick(TessellationScheme::ALL),
                bounds: d.maybe(|d| BoundsDef {
                    min_x: f64::from(d.int()),
                    min_y: f64::from(d.int()),
                    max_x: f64::from(d.int()) / 3.0,
                    max_y: f64::from(d.int()),
                }),
                grids: d.some(4, |d| d.pick(GridDensity::ALL)),
                cells_per_object: d.int(),
            }),
            paths: self.some(2, Rng::xml_path),
            namespaces: self
                .some(2, |d| XmlPrefixDef { prefix: d.maybe(Rng::name), uri: d.name() }),
            path: self.int(),
        }
    }

    fn xml_path(&mut self) -> XmlPathDef {
        XmlPathDef {
            id: self.int(),
            name: self.name(),
            path: self.name(),
            xquery_type: self.maybe(Rng::name),
            sql_type: self.maybe(Rng::sql_type),
            max_length: self.maybe(Rng::int),
            is_node: self.flip(),
            is_singleton: self.flip(),
        }
    }

    fn statistics(&mut self) -> StatisticsDef {
        StatisticsDef {
            id: IndexId(self.int()),
            name: self.name(),
            columns: self.some(3, |d| ColumnId(d.int())),
            filter: self.maybe(Rng::filter),
            no_recompute: self.flip(),
        }
    }

    pub fn table(&mut self) -> TableDef {
        TableDef {
            header: self.header(),
            kind: self.pick(&[
                TableKind::Disk,
                TableKind::MemoryDurable,
                TableKind::MemorySchemaOnly,
            ]),
            role: self.pick(&[TableRole::Table, TableRole::Type, TableRole::Internal]),
            storage: StorageId(self.next()),
            columns: self.some(6, Rng::column),
            max_column_id: ColumnId(self.int()),
            indexes: self.some(4, Rng::index),
            statistics: self.some(2, Rng::statistics),
            checks: self.some(3, Rng::check),
            foreign_keys: self.some(3, Rng::foreign_key),
            referenced_by: Vec::new(),
            triggers: Vec::new(),
            policies: Vec::new(),
            data_space: DataSpaceId(self.int()),
            lob_data_space: self.maybe(|d| DataSpaceId(d.int())),
            ansi_nulls: self.flip(),
            quoted_identifier: self.flip(),
            lock_escalation: self.pick(LockEscalation::ALL),
            row_cached: self.flip(),
            period: self.maybe(|d| PeriodDef { start: ColumnId(d.int()), end: ColumnId(d.int()) }),
            versioning: self.maybe(|d| VersioningDef {
                history: ObjectId(d.int()),
                retention: d
                    .maybe(|d| RetentionDef { count: d.int(), unit: d.pick(RetentionUnit::ALL) }),
            }),
            history_of: self.maybe(|d| ObjectId(d.int())),
            derived_indexes: self.some(2, Rng::derived_index),
            tracking: self.maybe(|d| TrackingDef {
                changes: ObjectId(d.int()),
                columns: d.flip(),
                begin: d.int().into(),
            }),
            changes_of: self.maybe(|d| ObjectId(d.int())),
            rows_of: self.maybe(|d| ViewRowsDef {
                view: ObjectId(d.int()),
                tables: d.some(3, |d| ObjectId(d.int())),
            }),
            indexed_views: Vec::new(),
        }
    }

    fn module_kind(&mut self) -> ModuleKind {
        match self.below(9) {
            0 => ModuleKind::Procedure { auto_executed: self.flip() },
            1 => ModuleKind::ScalarFunction {
                returns: ReturnDef {
                    ty: self.sql_type(),
                    user_type: UserTypeId(self.int()),
                    nullable: self.flip(),
                },
            },
            2 => ModuleKind::InlineFunction { columns: self.some(3, Rng::column) },
            3 => {
                ModuleKind::TableFunction { variable: self.name(), result: Arc::new(self.table()) }
            }
            4 => ModuleKind::View {
                columns: self.some(3, Rng::column),
                with_check_option: self.flip(),
            },
            5 => ModuleKind::EventTrigger(EventTriggerDef {
                server: self.flip(),
                events: self.some(3, |d| FiringEvent {
                    event: d.int(),
                    group: d.maybe(Rng::int),
                    first: d.flip(),
                    last: d.flip(),
                }),
                disabled: self.flip(),
            }),
            6 => ModuleKind::Rule { variable: self.name(), condition: self.name() },
            7 => ModuleKind::Default { expression: self.name() },
            _ => ModuleKind::Trigger(TriggerDef {
                parent: ObjectId(self.int()),
                events: self.some(3, |d| TriggerEvent {
                    kind: d.pick(TriggerEventKind::ALL),
                    first: d.flip(),
                    last: d.flip(),
                }),
                instead_of: self.flip(),
                disabled: self.flip(),
                not_for_replication: self.flip(),
            }),
        }
    }

    fn parameter(&mut self) -> ParameterDef {
        ParameterDef {
            name: self.name(),
            ty: self.sql_type(),
            user_type: UserTypeId(self.int()),
            table_valued: self.flip(),
            nullable: self.flip(),
            output: self.flip(),
            read_only: self.flip(),
            cursor: self.flip(),
            default: self.maybe(Rng::value),
        }
    }

    pub fn module(&mut self) -> ModuleDef {
        ModuleDef {
            header: self.header(),
            kind: self.module_kind(),
            definition: self.name(),
            uses_ansi_nulls: self.flip(),
            uses_quoted_identifier: self.flip(),
            schema_bound: self.flip(),
            native: self.flip(),
            recompile: self.flip(),
            encrypted: self.flip(),
            null_on_null_input: self.flip(),
            uses_database_collation: self.flip(),
            execute_as: match self.below(3) {
                0 => ExecuteAs::Caller,
                1 => ExecuteAs::Owner,
                _ => ExecuteAs::Principal(PrincipalId(self.int().saturating_abs())),
            },
            parameters: self.some(3, Rng::parameter),
            references: self.some(3, Rng::reference),
            number: self.int(),
            numbered: Vec::new(),
            triggers: Vec::new(),
            policies: Vec::new(),
            rows: None,
        }
    }

    fn sequence(&mut self) -> SequenceDef {
        SequenceDef {
            header: self.header(),
            ty: self.sql_type(),
            user_type: UserTypeId(self.int()),
            start: self.big(),
            restarts: self.next() as u32,
            increment: self.big(),
            minimum: self.big(),
            maximum: self.big(),
            cycle: self.flip(),
            cache: match self.below(3) {
                0 => SequenceCache::None,
                1 => SequenceCache::Default,
                _ => SequenceCache::Size(1 + self.below(1000) as i32),
            },
        }
    }

    fn predicate(&mut self) -> PredicateDef {
        PredicateDef {
            id: self.int(),
            table: ObjectId(self.int()),
            kind: self.pick(PredicateKind::ALL),
            operation: self.maybe(|d| d.pick(BlockedOperation::ALL)),
            schema: self.name(),
            function: self.name(),
            arguments: self.some(3, Rng::name),
            references: self.some(3, Rng::reference),
        }
    }

    fn policy(&mut self) -> SecurityPolicyDef {
        SecurityPolicyDef {
            header: self.header(),
            enabled: self.flip(),
            schema_bound: self.flip(),
            not_for_replication: self.flip(),
            max_predicate_id: self.int(),
            predicates: self.some(3, Rng::predicate),
        }
    }

    fn object(&mut self) -> ObjectDef {
        match self.below(5) {
            4 => ObjectDef::SecurityPolicy(Arc::new(self.policy())),
            0 => ObjectDef::Table(Arc::new(self.table())),
            1 => ObjectDef::Module(Arc::new(self.module())),
            2 => ObjectDef::Sequence(Arc::new(self.sequence())),
            _ => ObjectDef::Synonym(Arc::new(SynonymDef {
                header: self.header(),
                base: self.name(),
            })),
        }
    }

    fn type_def(&mut self) -> TypeDef {
        TypeDef {
            id: UserTypeId(self.int()),
            schema: SchemaId(self.int()),
            name: self.name(),
            owner: self.maybe(|d| PrincipalId(d.int())),
            kind: if self.flip() {
                TypeDefKind::Alias {
                    ty: self.sql_type(),
                    nullable: self.flip(),
                    default: self.maybe(Rng::bound_default),
                    rule: self.maybe(Rng::bound_rule),
                }
            } else {
                TypeDefKind::Table { table: ObjectId(self.int()) }
            },
        }
    }

    fn roles(&mut self) -> Vec<PrincipalId> {
        self.some(3, |d| PrincipalId(d.int()))
    }

    fn principal(&mut self) -> PrincipalDef {
        PrincipalDef {
            id: PrincipalId(self.int()),
            name: self.name(),
            kind: self.pick(PrincipalKind::ALL),
            default_schema: self.maybe(Rng::name),
            created: self.date(),
            modified: self.date(),
            owner: self.maybe(|d| PrincipalId(d.int())),
            sid: self.maybe(Rng::bytes),
            fixed_role: self.flip(),
            authentication: self.pick(Authentication::ALL),
            default_language: self.maybe(Rng::name),
            password_hash: self.maybe(Rng::bytes),
            roles: self.roles(),
        }
    }

    fn login(&mut self) -> LoginDef {
        LoginDef {
            id: PrincipalId(self.int()),
            name: self.name(),
            kind: self.pick(PrincipalKind::ALL),
            sid: self.bytes(),
            disabled: self.flip(),
            created: self.date(),
            modified: self.date(),
            default_database: self.maybe(Rng::name),
            default_language: self.maybe(Rng::name),
            owner: self.maybe(|d| PrincipalId(d.int())),
            fixed_role: self.flip(),
            policy_checked: self.flip(),
            expiration_checked: self.flip(),
            must_change: self.flip(),
            password_hash: self.maybe(Rng::bytes),
            roles: self.roles(),
        }
    }

    fn securable(&mut self) -> Securable {
        Securable { class: self.pick(SecurableClass::ALL), major: self.int(), minor: self.int() }
    }

    fn permissions(&mut self) -> PermissionSet {
        PermissionSet {
            target: self.securable(),
            grantee: PrincipalId(self.int()),
            grants: self.some(4, |d| Grant {
                permission: d.pick(Permission::ALL),
                grantor: PrincipalId(d.int()),
                state: d.pick(PermissionState::ALL),
            }),
        }
    }

    fn database(&mut self) -> DatabaseDef {
        DatabaseDef {
            id: DbId(self.int()),
            name: self.name(),
            directory: self.name(),
            guid: self.guid(),
            owner_sid: self.bytes(),
            created: self.date(),
            collation: Collation(self.below(3) as u16),
            options: DatabaseOptions {
                compatibility_level: self.next() as u8,
                state: self.pick(DatabaseState::ALL),
                user_access: self.pick(UserAccess::ALL),
                recovery_model: self.pick(RecoveryModel::ALL),
                page_verify: self.pick(PageVerify::ALL),
                delayed_durability: self.pick(DelayedDurability::ALL),
                target_recovery_time_s: self.int(),
                snapshot_isolation: self.flip(),
                read_committed_snapshot: self.flip(),
                elevate_to_snapshot: self.flip(),
                contained: self.flip(),
                resource_pool: self.int(),
                identity_cache_off: self.flip(),
                row_caching: self.flip(),
                row_cache: self.flip().then(|| self.name()),
                row_cache_tuning_off: self.flip(),
                history_retention_off: self.flip(),
                change_tracking: self.maybe(|d| ChangeTrackingDef {
                    retention: d.int(),
                    unit: d.pick(ChangeRetentionUnit::ALL),
                    auto_cleanup: d.flip(),
                }),
                ..DatabaseOptions::default()
            },
        }
    }

    fn file_group(&mut self) -> FileGroupDef {
        FileGroupDef {
            id: DataSpaceId(self.int()),
            name: self.name(),
            kind: self.pick(FileGroupKind::ALL),
            default: self.flip(),
            read_only: self.flip(),
            autogrow_all_files: self.flip(),
            guid: self.maybe(Rng::guid),
        }
    }

    fn file(&mut self) -> FileDef {
        FileDef {
            id: FileId(self.int()),
            guid: self.guid(),
            kind: self.pick(FileKind::ALL),
            data_space: self.maybe(|d| DataSpaceId(d.int())),
            name: self.name(),
            physical_name: self.name(),
            size_pages: self.int(),
            max_size_pages: self.int(),
            growth: self.int(),
            percent_growth: self.flip(),
            read_only: self.flip(),
            offline: self.flip(),
        }
    }

    /// A definition of any kind, whose parts have nothing to do with each other.
    pub fn definition(&mut self) -> Definition {
        match self.below(17) {
            0 => Definition::Type(Arc::new(self.type_def())),
            16 => Definition::XmlCollection(Arc::new(XmlCollectionDef {
                id: XmlCollectionId(self.int()),
                schema: SchemaId(self.int()),
                name: self.name(),
                owner: self.maybe(|d| PrincipalId(d.int())),
                created: self.date(),
                modified: self.date(),
                texts: self.some(3, Self::name),
                compiled: Compiled::default(),
            })),
            1 => Definition::Schema(Arc::new(SchemaDef {
                id: SchemaId(self.int()),
                name: self.name(),
                owner: PrincipalId(self.int()),
            })),
            2 => Definition::Principal(Arc::new(self.principal())),
            3 => Definition::Permissions(Arc::new(self.permissions())),
            4 => Definition::Properties(Arc::new(PropertySet {
                target: self.securable(),
                properties: self
                    .some(3, |d| ExtendedProperty { name: d.name(), value: d.variant() }),
            })),
            5 => Definition::FileGroup(Arc::new(self.file_group())),
            6 => Definition::File(Arc::new(self.file())),
            7 => Definition::Database(Arc::new(self.database())),
            8 => Definition::Login(Arc::new(self.login())),
            9 => Definition::ServerPermissions(Arc::new(self.permissions())),
            10 => Definition::Configuration(ConfigurationDef {
                id: self.int(),
                value: self.int(),
                in_use: self.int(),
            }),
            11 => Definition::Message(Arc::new(MessageDef {
                id: self.int(),
                language: self.int() as i16,
                severity: self.below(26) as u8,
                event_logged: self.flip(),
                text: self.name(),
            })),
            13 => Definition::ResourcePool(Arc::new(ResourcePoolDef {
                cpu_min: self.int(),
                cpu_max: self.int(),
                cpu_cap: self.int(),
                memory_min: self.int(),
                memory_max: self.int(),
                iops_min: self.int(),
                iops_max: self.int(),
                active: self.flip(),
                memory_in_use: self.int(),
                ..ResourcePoolDef::new(self.int(), &self.name())
            })),
            14 => Definition::RowCache(Arc::new(RowCacheDef {
                id: self.int(),
                name: self.name(),
                size_kb: self.next() as i64,
            })),
            12 => Definition::Setting(SettingDef {
                id: self.pick(SettingId::ALL),
                value: self.next() as i64,
            }),
            _ => Definition::Object(self.object()),
        }
    }
}

/// A change as DDL makes it.
#[derive(Clone, Debug)]
pub enum Change {
    Put(Definition),
    Remove(DefinitionKey),
}

/// Random DDL, whose definitions refer to each other.
impl Rng {
    /// A change that suits the schema: it creates something with a name of its own, alters what
    /// is there, or drops it. `next` gives ids of new objects.
    pub fn change(&mut self, schema: &Schema, next: &mut dyn FnMut() -> ObjectId) -> Change {
        let existing = shared(schema);
        match self.below(10) {
            0..=2 => Change::Put(Definition::Object(self.new_table(schema, next))),
            3 => Change::Put(Definition::Object(self.new_module(schema, next()))),
            4 => Change::Put(self.new_sequence(schema, next())),
            5 | 6 if !existing.is_empty() => {
                let id = self.pick(&existing);
                let def = schema.object_def(id).expect("just listed").clone();
                Change::Put(Definition::Object(self.altered(schema, def, next)))
            }
            7 if !existing.is_empty() => {
                Change::Remove(DefinitionKey::Object(self.pick(&existing)))
            }
            _ => self.minor_change(schema),
        }
    }

    fn unique_name(&mut self, id: ObjectId) -> Name {
        format!("{}{}", self.name(), id).into()
    }

    fn new_header(&mut self, id: ObjectId) -> ObjectHeader {
        ObjectHeader { id, schema: self.any_schema(), name: self.unique_name(id), ..self.header() }
    }

    fn any_schema(&mut self) -> SchemaId {
        self.pick(&[SchemaId::DBO, SchemaId(5), SchemaId(6)])
    }

    fn new_constraint(&mut self, id: ObjectId) -> ConstraintHeader {
        ConstraintHeader { id, name: self.unique_name(id), ..self.constraint() }
    }

    fn new_table(&mut self, schema: &Schema, next: &mut dyn FnMut() -> ObjectId) -> ObjectDef {
        let header = self.new_header(next());
        let kind = self.pick(&[TableKind::Disk, TableKind::MemoryDurable]);
        let mut table = TableDef::new(header, kind, TableRole::Table);
        for id in 1..=2 + self.below(4) as i32 {
            let mut column = self.column();
            column.id = ColumnId(id);
            column.name = format!("c{id}").into();
            column.ty = SqlType::int();
            column.user_type = UserTypeId(257 + self.below(4) as i32);
            (column.computed, column.identity) = (None, None);
            if let Some(default) = &mut column.default {
                default.header = self.new_constraint(next());
                default.references = vec![self.reference_in(schema)];
            }
            table.columns.push(column);
        }
        table.max_column_id = ColumnId(table.columns.len() as i32);
        let key = self.new_constraint(next());
        let mut index = IndexDef::new(IndexId(2), key.name.clone(), IndexKind::Hash, true);
        index.key.push(KeyColumn { column: ColumnId(1), descending: false });
        index.constraint = Some(KeyConstraintDef { header: key, primary: true });
        table.indexes.push(index);
        self.add_constraint(schema, &mut table, next());
        ObjectDef::Table(Arc::new(table))
    }

    fn add_constraint(&mut self, schema: &Schema, table: &mut TableDef, id: ObjectId) {
        let header = self.new_constraint(id);
        if self.flip() {
            let references = vec![self.reference_in(schema)];
            table.checks.push(CheckDef { header, references, ..self.check() });
        } else {
            let mut tables = shared(schema);
            tables.retain(|id| schema.table(*id).is_some());
            tables.push(table.id());
            let referenced = self.pick(&tables);
            table.foreign_keys.push(ForeignKeyDef { header, referenced, ..self.foreign_key() });
        }
    }

    fn reference_in(&mut self, schema: &Schema) -> Reference {
        let objects = shared(schema);
        let id = if objects.is_empty() { None } else { Some(self.pick(&objects).0) };
        Reference { class: ReferenceClass::Object, id, ..self.reference() }
    }

    fn new_module(&mut self, schema: &Schema, id: ObjectId) -> ObjectDef {
        let mut module = self.module();
        module.header = self.new_header(id);
        module.references = self.some(3, |d| d.reference_in(schema));
        if let ModuleKind::Trigger(trigger) = &mut module.kind {
            let on = shared(schema);
            trigger.parent = if on.is_empty() { id } else { self.pick(&on) };
        }
        ObjectDef::Module(Arc::new(module))
    }

    fn new_policy(&mut self, schema: &Schema, id: ObjectId) -> ObjectDef {
        let mut policy = self.policy();
        policy.header = self.new_header(id);
        let mut tables = shared(schema);
        tables.retain(|id| schema.table(*id).is_some());
        for predicate in &mut policy.predicates {
            predicate.references = vec![self.reference_in(schema)];
            if !tables.is_empty() {
                predicate.table = self.pick(&tables);
            }
        }
        ObjectDef::SecurityPolicy(Arc::new(policy))
    }

    fn new_sequence(&mut self, schema: &Schema, id: ObjectId) -> Definition {
        let header = self.new_header(id);
        if self.below(4) == 0 {
            return Definition::Object(self.new_policy(schema, id));
        }
        if self.flip() {
            let user_type = UserTypeId(257 + self.below(4) as i32);
            let increment = 1 + self.below(9) as i128;
            let sequence = SequenceDef { header, user_type, increment, ..self.sequence() };
            Definition::Object(ObjectDef::Sequence(Arc::new(sequence)))
        } else {
            let base = self.reference_in(schema).name;
            Definition::Object(ObjectDef::Synonym(Arc::new(SynonymDef { header, base })))
        }
    }

    fn altered(
        &mut self,
        schema: &Schema,
        def: ObjectDef,
        next: &mut dyn FnMut() -> ObjectId,
    ) -> ObjectDef {
        match def {
            ObjectDef::Table(table) => {
                let mut table = TableDef::clone(&table);
                match self.below(6) {
                    5 => {
                        let id = ColumnId(table.max_column_id.0 + 1);
                        let name = format!("c{id}").into();
                        let column = ColumnDef::new(id, name, SqlType::int(), UserTypeId(56));
                        table.columns.push(column);
                        table.max_column_id = id;
                    }
                    0 => table.header.name = self.unique_name(table.id()),
                    1 => table.header.schema = self.any_schema(),
                    2 if !table.foreign_keys.is_empty() => {
                        let at = self.below(table.foreign_keys.len());
                        table.foreign_keys.remove(at);
                    }
                    3 if !table.checks.is_empty() => drop(table.checks.pop()),
                    _ => self.add_constraint(schema, &mut table, next()),
                }
                ObjectDef::Table(Arc::new(table))
            }
            ObjectDef::Module(module) => {
                let ObjectDef::Module(new) = self.new_module(schema, module.id()) else {
                    unreachable!("it makes modules")
                };
                let header = module.header.clone();
                ObjectDef::Module(Arc::new(ModuleDef { header, ..ModuleDef::clone(&new) }))
            }
            ObjectDef::SecurityPolicy(policy) => {
                let ObjectDef::SecurityPolicy(new) = self.new_policy(schema, policy.header.id)
                else {
                    unreachable!("it makes policies")
                };
                let header = policy.header.clone();
                let new = SecurityPolicyDef { header, ..SecurityPolicyDef::clone(&new) };
                ObjectDef::SecurityPolicy(Arc::new(new))
            }
            other => other,
        }
    }

    /// A change of something that is not an object.
    fn minor_change(&mut self, schema: &Schema) -> Change {
        if self.below(4) == 0 {
            let keys: Vec<DefinitionKey> =
                schema.definitions().filter(is_free).map(|d| d.key()).collect();
            if !keys.is_empty() {
                return Change::Remove(self.pick(&keys));
            }
        }
        loop {
            let definition = self.definition();
            if is_free(&definition) && schema.clone().put(definition.clone()).is_ok() {
                return Change::Put(definition);
            }
        }
    }
}

/// The objects that every session can name.
fn shared(schema: &Schema) -> Vec<ObjectId> {
    let headers = schema.objects().map(ObjectDef::header);
    headers.filter(|h| !h.name.starts_with('#')).map(|h| h.id).collect()
}

/// Whether a definition may be made and dropped alone.
fn is_free(definition: &Definition) -> bool {
    !matches!(definition, Definition::Object(_) | Definition::Setting(_))
}
