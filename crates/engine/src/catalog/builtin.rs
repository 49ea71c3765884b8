//! What every database, and the server, has from the start.

use std::sync::Arc;

use base::ids::DbId;

use super::def::*;
use super::definition::Definition;

/// The sid of `sa`.
pub const SA_SID: &[u8] = &[1];

/// A setting of `sp_configure`: a row of `sys.configurations` but for its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// `configuration_id`.
    pub id: i32,
    /// The name, as `sp_configure` takes it.
    pub name: &'static str,
    /// `minimum`.
    pub minimum: i32,
    /// `maximum`.
    pub maximum: i32,
    /// The value until it is changed.
    pub default: i32,
    /// What it is for.
    pub description: &'static str,
    /// Whether `RECONFIGURE` makes it effective, rather than a restart.
    pub dynamic: bool,
    /// Whether it is shown only with `show advanced options`.
    pub advanced: bool,
}

macro_rules! configurations {
    ($($id:literal $name:literal $min:literal..$max:literal = $default:literal $kind:ident
       $description:literal;)*) => {
        /// All settings by ascending id.
        pub const CONFIGURATIONS: &[Configuration] = &[$(Configuration {
            id: $id,
            name: $name,
            minimum: $min,
            maximum: $max,
            default: $default,
            description: $description,
            dynamic: Kind::$kind.is_dynamic(),
            advanced: Kind::$kind.is_advanced(),
        }),*];
    };
}

/// When a setting takes effect, and whether it is an advanced one.
enum Kind {
    Dynamic,
    Static,
    DynamicAdvanced,
    StaticAdvanced,
}

impl Kind {
    const fn is_dynamic(&self) -> bool {
        matches!(self, Kind::Dynamic | Kind::DynamicAdvanced)
    }

    const fn is_advanced(&self) -> bool {
        matches!(self, Kind::DynamicAdvanced | Kind::StaticAdvanced)
    }
}

configurations! {
    101 "recovery interval (min)" 0..32767 = 0 DynamicAdvanced "Maximum recovery interval in minutes";
    102 "allow updates" 0..1 = 0 Dynamic "Allow updates to system tables";
    103 "user connections" 0..32767 = 0 StaticAdvanced "Number of user connections allowed";
    106 "locks" 5000..2147483647 = 0 StaticAdvanced "Number of locks for all users";
    107 "open objects" 0..2147483647 = 0 StaticAdvanced "Number of open database objects";
    109 "fill factor (%)" 0..100 = 0 StaticAdvanced "Default fill factor percentage";
    114 "disallow results from triggers" 0..1 = 0 DynamicAdvanced "Disallow returning results from triggers";
    115 "nested triggers" 0..1 = 1 Dynamic "Allow triggers to be invoked within triggers";
    116 "server trigger recursion" 0..1 = 1 Dynamic "Allow recursion for server level triggers";
    117 "remote access" 0..1 = 1 Static "Allow remote access";
    124 "default language" 0..9999 = 0 Dynamic "default language";
    400 "cross db ownership chaining" 0..1 = 0 Dynamic "Allow cross db ownership chaining";
    503 "max worker threads" 128..65535 = 0 DynamicAdvanced "Maximum worker threads";
    505 "network packet size (B)" 512..32767 = 4096 DynamicAdvanced "Network packet size";
    518 "show advanced options" 0..1 = 0 Dynamic "show advanced options";
    542 "remote proc trans" 0..1 = 0 Dynamic "Create DTC transaction for remote procedures";
    544 "c2 audit mode" 0..1 = 0 StaticAdvanced "c2 audit mode";
    1126 "default full-text language" 0..2147483647 = 1033 DynamicAdvanced "default full-text language";
    1127 "two digit year cutoff" 1753..9999 = 2049 DynamicAdvanced "two digit year cutoff";
    1505 "index create memory (KB)" 704..2147483647 = 0 DynamicAdvanced "Memory for index create sorts (kBytes)";
    1517 "priority boost" 0..1 = 0 StaticAdvanced "Priority boost";
    1519 "remote login timeout (s)" 0..2147483647 = 10 Dynamic "remote login timeout";
    1520 "remote query timeout (s)" 0..2147483647 = 600 Dynamic "remote query timeout";
    1531 "cursor threshold" -1..2147483647 = -1 DynamicAdvanced "cursor threshold";
    1532 "set working set size" 0..1 = 0 StaticAdvanced "set working set size";
    1534 "user options" 0..32767 = 0 Dynamic "user options";
    1535 "affinity mask" -2147483648..2147483647 = 0 DynamicAdvanced "affinity mask";
    1536 "max text repl size (B)" -1..2147483647 = 65536 Dynamic "Maximum size of a text field in replication.";
    1537 "media retention" 0..365 = 0 DynamicAdvanced "Tape retention period in days";
    1538 "cost threshold for parallelism" 0..32767 = 5 DynamicAdvanced "cost threshold for parallelism";
    1539 "max degree of parallelism" 0..32767 = 0 DynamicAdvanced "maximum degree of parallelism";
    1540 "min memory per query (KB)" 512..2147483647 = 1024 DynamicAdvanced "minimum memory per query (kBytes)";
    1541 "query wait (s)" -1..2147483647 = -1 DynamicAdvanced "maximum time to wait for query memory (s)";
    1543 "min server memory (MB)" 0..2147483647 = 0 DynamicAdvanced "Minimum size of server memory (MB)";
    1544 "max server memory (MB)" 128..2147483647 = 2147483647 DynamicAdvanced "Maximum size of server memory (MB)";
    1545 "query governor cost limit" 0..2147483647 = 0 DynamicAdvanced "Maximum estimated cost allowed by query governor";
    1546 "lightweight pooling" 0..1 = 0 StaticAdvanced "User mode scheduler uses lightweight pooling";
    1547 "scan for startup procs" 0..1 = 0 StaticAdvanced "scan for startup stored procedures";
    1549 "affinity64 mask" -2147483648..2147483647 = 0 DynamicAdvanced "affinity64 mask";
    1550 "affinity I/O mask" -2147483648..2147483647 = 0 StaticAdvanced "affinity I/O mask";
    1551 "affinity64 I/O mask" -2147483648..2147483647 = 0 StaticAdvanced "affinity64 I/O mask";
    1555 "transform noise words" 0..1 = 0 DynamicAdvanced "Transform noise words for full-text query";
    1556 "precompute rank" 0..1 = 0 DynamicAdvanced "Use precomputed rank for full-text query";
    1557 "PH timeout (s)" 1..3600 = 60 DynamicAdvanced "DB connection timeout for full-text protocol handler (s)";
    1562 "clr enabled" 0..1 = 0 Dynamic "CLR user code execution enabled in the server";
    1563 "max full-text crawl range" 0..256 = 4 DynamicAdvanced "Maximum  crawl ranges allowed in full-text indexing";
    1564 "ft notify bandwidth (min)" 0..32767 = 0 DynamicAdvanced "Number of reserved full-text notifications buffers";
    1565 "ft notify bandwidth (max)" 0..32767 = 100 DynamicAdvanced "Max number of full-text notifications buffers";
    1566 "ft crawl bandwidth (min)" 0..32767 = 0 DynamicAdvanced "Number of reserved full-text crawl buffers";
    1567 "ft crawl bandwidth (max)" 0..32767 = 100 DynamicAdvanced "Max number of full-text crawl buffers";
    1568 "default trace enabled" 0..1 = 1 DynamicAdvanced "Enable or disable the default trace";
    1569 "blocked process threshold (s)" 0..86400 = 0 DynamicAdvanced "Blocked process reporting threshold";
    1570 "in-doubt xact resolution" 0..2 = 0 DynamicAdvanced "Recovery policy for DTC transactions with unknown outcome";
    1576 "remote admin connections" 0..1 = 0 Dynamic "Dedicated Admin Connections are allowed from remote clients";
    1577 "common criteria compliance enabled" 0..1 = 0 StaticAdvanced "Common Criteria compliance mode enabled";
    1578 "EKM provider enabled" 0..1 = 0 DynamicAdvanced "Enable or disable EKM provider";
    1579 "backup compression default" 0..1 = 0 Dynamic "Enable compression of backups by default";
    1580 "filestream access level" 0..2 = 0 Dynamic "Sets the FILESTREAM access level";
    1581 "optimize for ad hoc workloads" 0..1 = 0 DynamicAdvanced "When this option is set, plan cache size is further reduced for single-use adhoc OLTP workload.";
    1582 "access check cache bucket count" 0..65536 = 0 DynamicAdvanced "Default hash bucket count for the access check result security cache";
    1583 "access check cache quota" 0..2147483647 = 0 DynamicAdvanced "Default quota for the access check result security cache";
    1584 "backup checksum default" 0..1 = 0 Dynamic "Enable checksum of backups by default";
    1585 "automatic soft-NUMA disabled" 0..1 = 0 StaticAdvanced "Automatic soft-NUMA is enabled by default";
    1586 "external scripts enabled" 0..1 = 0 Dynamic "Allows execution of external scripts";
    1587 "clr strict security" 0..1 = 1 DynamicAdvanced "CLR strict security enabled in the server";
    1588 "column encryption enclave type" 0..2 = 0 Static "Type of enclave used for computations on encrypted columns";
    1589 "tempdb metadata memory-optimized" 0..1 = 0 StaticAdvanced "Tempdb metadata memory-optimized is disabled by default.";
    16384 "Agent XPs" 0..1 = 0 DynamicAdvanced "Enable or disable Agent XPs";
    16386 "Database Mail XPs" 0..1 = 0 DynamicAdvanced "Enable or disable Database Mail XPs";
    16387 "SMO and DMO XPs" 0..1 = 1 DynamicAdvanced "Enable or disable SMO and DMO XPs";
    16388 "Ole Automation Procedures" 0..1 = 0 DynamicAdvanced "Enable or disable Ole Automation Procedures";
    16390 "xp_cmdshell" 0..1 = 0 DynamicAdvanced "Enable or disable command shell";
    16391 "Ad Hoc Distributed Queries" 0..1 = 0 DynamicAdvanced "Enable or disable Ad Hoc Distributed Queries";
    16392 "Replication XPs" 0..1 = 0 DynamicAdvanced "Enable or disable Replication XPs";
    16393 "contained database authentication" 0..1 = 0 Dynamic "Enables contained databases and contained authentication";
    16394 "hadoop connectivity" 0..7 = 0 Dynamic "Configure SQL Server to connect to external Hadoop or Microsoft Azure storage blob data sources through PolyBase";
    16395 "polybase network encryption" 0..1 = 1 Dynamic "Configure SQL Server to encrypt control and data channels when using PolyBase";
    16396 "remote data archive" 0..1 = 0 Dynamic "Allow the use of the REMOTE_DATA_ARCHIVE data access for databases";
    16397 "allow polybase export" 0..1 = 0 Dynamic "Allow INSERT into a Hadoop external table";
    16398 "allow filesystem enumeration" 0..1 = 1 DynamicAdvanced "Allow enumeration of filesystem";
    16399 "polybase enabled" 0..1 = 0 Dynamic "Configure SQL Server to connect to external data sources through PolyBase";
}

/// `configuration_id` of `max server memory (MB)`, whose greatest value is for no limit.
pub const MAX_SERVER_MEMORY: i32 = 1544;

/// A setting by name; names are told apart as `sp_configure` does, without regard to case.
pub fn configuration(name: &str) -> Option<&'static Configuration> {
    CONFIGURATIONS.iter().find(|c| c.name.eq_ignore_ascii_case(name))
}

/// The roles that every database has.
const FIXED_ROLES: &[(PrincipalId, &str)] = &[
    (PrincipalId::DB_OWNER, "db_owner"),
    (PrincipalId::DB_ACCESSADMIN, "db_accessadmin"),
    (PrincipalId::DB_SECURITYADMIN, "db_securityadmin"),
    (PrincipalId::DB_DDLADMIN, "db_ddladmin"),
    (PrincipalId::DB_BACKUPOPERATOR, "db_backupoperator"),
    (PrincipalId::DB_DATAREADER, "db_datareader"),
    (PrincipalId::DB_DATAWRITER, "db_datawriter"),
    (PrincipalId::DB_DENYDATAREADER, "db_denydatareader"),
    (PrincipalId::DB_DENYDATAWRITER, "db_denydatawriter"),
];

/// The roles that the server has, from id 2.
const SERVER_ROLES: &[&str] = &[
    "public",
    "sysadmin",
    "securityadmin",
    "serveradmin",
    "setupadmin",
    "processadmin",
    "diskadmin",
    "dbcreator",
    "bulkadmin",
];

/// The users, roles, schemas and filegroup of a database that has nothing else.
pub fn database(database: DbId, owner_sid: &[u8], now: DateTime) -> Vec<Definition> {
    let mut principals = vec![
        user(PrincipalId::DBO, "dbo", Some(owner_sid.into()), now),
        user(PrincipalId::GUEST, "guest", Some([0].into()), now),
        user(PrincipalId::INFORMATION_SCHEMA, "INFORMATION_SCHEMA", None, now),
        user(PrincipalId::SYS, "sys", None, now),
        role(PrincipalId::PUBLIC, "public", now),
    ];
    principals[0].roles.push(PrincipalId::DB_OWNER);
    principals.extend(FIXED_ROLES.iter().map(|&(id, name)| role(id, name, now)));

    let mut schemas = vec![
        (SchemaId::DBO, "dbo", PrincipalId::DBO),
        (SchemaId::GUEST, "guest", PrincipalId::GUEST),
        (SchemaId::INFORMATION_SCHEMA, "INFORMATION_SCHEMA", PrincipalId::INFORMATION_SCHEMA),
        (SchemaId::SYS, "sys", PrincipalId::SYS),
    ];
    schemas.extend(FIXED_ROLES.iter().map(|&(role, name)| (SchemaId(role.0), name, role)));

    // Only the databases that every login needs admit logins without a user there.
    let guests = [DbId::MASTER, DbId::TEMPDB, DbId::MSDB].contains(&database);
    let may_connect = [Some(PrincipalId::DBO), guests.then_some(PrincipalId::GUEST)];

    let principals = principals.into_iter().map(|p| Definition::Principal(Arc::new(p)));
    let schemas = schemas.into_iter().map(|(id, name, owner)| {
        Definition::Schema(Arc::new(SchemaDef { id, name: name.into(), owner }))
    });
    let connect = may_connect.into_iter().flatten().map(|grantee| {
        let target = Securable { class: SecurableClass::Database, major: 0, minor: 0 };
        Definition::Permissions(grant(target, grantee, Permission::Connect, PrincipalId::DBO))
    });
    let primary = FileGroupDef {
        id: DataSpaceId::PRIMARY,
        name: "PRIMARY".into(),
        kind: FileGroupKind::Rows,
        default: true,
        read_only: false,
        autogrow_all_files: false,
        guid: None,
    };
    let primary = Definition::FileGroup(Arc::new(primary));
    principals.chain(schemas).chain(connect).chain([primary]).collect()
}

/// `sa` and the fixed roles of the server.
pub fn server(sa_password_hash: Option<Box<[u8]>>, now: DateTime) -> Vec<Definition> {
    let mut sa = login(PrincipalId::SA, "sa", PrincipalKind::SqlUser, now);
    sa.sid = SA_SID.into();
    sa.default_database = Some("master".into());
    sa.default_language = Some("us_english".into());
    sa.policy_checked = true;
    sa.password_hash = sa_password_hash;
    sa.roles = vec![PrincipalId::SYSADMIN];
    let roles = SERVER_ROLES.iter().zip(PrincipalId::SERVER_PUBLIC.0..).map(|(name, id)| {
        let mut role = login(PrincipalId(id), name, PrincipalKind::Role, now);
        role.owner = Some(PrincipalId::SA);
        // SQL Server does not count `public` among the fixed ones.
        role.fixed_role = role.id != PrincipalId::SERVER_PUBLIC;
        role
    });
    let logins = [sa].into_iter().chain(roles).map(|l| Definition::Login(Arc::new(l)));
    let target = Securable { class: SecurableClass::Server, major: 0, minor: 0 };
    let grants = [
        (PrincipalId::SA, Permission::ConnectSql),
        (PrincipalId::SERVER_PUBLIC, Permission::ViewAnyDatabase),
    ];
    let grants = grants.into_iter().map(|(grantee, permission)| {
        Definition::ServerPermissions(grant(target, grantee, permission, PrincipalId::SA))
    });
    logins.chain(grants).collect()
}

fn user(id: PrincipalId, name: &str, sid: Option<Sid>, now: DateTime) -> PrincipalDef {
    let has_schema = id == PrincipalId::DBO || id == PrincipalId::GUEST;
    PrincipalDef {
        id,
        name: name.into(),
        kind: PrincipalKind::SqlUser,
        default_schema: has_schema.then(|| name.into()),
        created: now,
        modified: now,
        owner: None,
        sid,
        fixed_role: false,
        authentication: match id {
            PrincipalId::DBO => Authentication::Instance,
            _ => Authentication::None,
        },
        default_language: None,
        password_hash: None,
        roles: Vec::new(),
    }
}

fn role(id: PrincipalId, name: &str, now: DateTime) -> PrincipalDef {
    // Roles have sids of an authority of their own, with the id as the last part.
    let mut sid = vec![1, 5, 0, 0, 0, 0, 0, 9, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    sid.extend_from_slice(&id.0.to_le_bytes());
    PrincipalDef {
        kind: PrincipalKind::Role,
        default_schema: None,
        owner: Some(PrincipalId::DBO),
        fixed_role: id != PrincipalId::PUBLIC,
        authentication: Authentication::None,
        ..user(id, name, Some(sid.into()), now)
    }
}

fn login(id: PrincipalId, name: &str, kind: PrincipalKind, now: DateTime) -> LoginDef {
    LoginDef {
        id,
        name: name.into(),
        kind,
        sid: [id.0 as u8].into(),
        disabled: false,
        created: now,
        modified: now,
        default_database: None,
        default_language: None,
        owner: None,
        fixed_role: false,
        policy_checked: false,
        expiration_checked: false,
        must_change: false,
        password_hash: None,
        roles: Vec::new(),
    }
}

fn grant(
    target: Securable,
    grantee: PrincipalId,
    permission: Permission,
    grantor: PrincipalId,
) -> Arc<PermissionSet> {
    let grants = vec![Grant { permission, grantor, state: PermissionState::Grant }];
    Arc::new(PermissionSet { target, grantee, grants })
}

#[cfg(test)]
mod tests;
