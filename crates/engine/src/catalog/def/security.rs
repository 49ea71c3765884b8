//! Schemas, principals and permissions.

use super::{DateTime, Name, PrincipalId, SchemaId, Securable, SecurableClass, coded};

/// A schema.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemaDef {
    /// The id, `SCHEMA_ID()`.
    pub id: SchemaId,
    /// The name, unique within the database.
    pub name: Name,
    /// The owner.
    pub owner: PrincipalId,
}

impl PrincipalId {
    /// The role `public`, of which every user is a member.
    pub const PUBLIC: PrincipalId = PrincipalId(0);
    /// The user `dbo`.
    pub const DBO: PrincipalId = PrincipalId(1);
    /// The user `guest`.
    pub const GUEST: PrincipalId = PrincipalId(2);
    /// The user `INFORMATION_SCHEMA`.
    pub const INFORMATION_SCHEMA: PrincipalId = PrincipalId(3);
    /// The user `sys`.
    pub const SYS: PrincipalId = PrincipalId(4);
    /// The first id of a user or role that is created later.
    pub const FIRST_USER: PrincipalId = PrincipalId(5);
    /// The role `db_owner`, the first of the fixed ones.
    pub const DB_OWNER: PrincipalId = PrincipalId(16384);
    /// The role `db_accessadmin`.
    pub const DB_ACCESSADMIN: PrincipalId = PrincipalId(16385);
    /// The role `db_securityadmin`.
    pub const DB_SECURITYADMIN: PrincipalId = PrincipalId(16386);
    /// The role `db_ddladmin`.
    pub const DB_DDLADMIN: PrincipalId = PrincipalId(16387);
    /// The role `db_backupoperator`.
    pub const DB_BACKUPOPERATOR: PrincipalId = PrincipalId(16389);
    /// The role `db_datareader`.
    pub const DB_DATAREADER: PrincipalId = PrincipalId(16390);
    /// The role `db_datawriter`.
    pub const DB_DATAWRITER: PrincipalId = PrincipalId(16391);
    /// The role `db_denydatareader`.
    pub const DB_DENYDATAREADER: PrincipalId = PrincipalId(16392);
    /// The role `db_denydatawriter`.
    pub const DB_DENYDATAWRITER: PrincipalId = PrincipalId(16393);

    /// The login `sa`.
    pub const SA: PrincipalId = PrincipalId(1);
    /// The server role `public`.
    pub const SERVER_PUBLIC: PrincipalId = PrincipalId(2);
    /// The server role `sysadmin`, the first of the fixed ones (3 to 10).
    pub const SYSADMIN: PrincipalId = PrincipalId(3);
    /// `dbcreator`
    pub const DBCREATOR: PrincipalId = PrincipalId(9);
    /// The server role `bulkadmin`, the last of the fixed ones.
    pub const BULKADMIN: PrincipalId = PrincipalId(10);
    /// The first id of a login or server role that is created later.
    pub const FIRST_LOGIN: PrincipalId = PrincipalId(256);
}

/// A security identifier, as `SUSER_SID()` shows it; `sa`'s is the single byte 1.
pub type Sid = Box<[u8]>;

/// A user or role of a database: a row of `sys.database_principals`.
#[derive(Clone, PartialEq, Debug)]
pub struct PrincipalDef {
    /// The id.
    pub id: PrincipalId,
    /// The name, unique within the database.
    pub name: Name,
    /// User or role.
    pub kind: PrincipalKind,
    /// The schema in which its unqualified names are looked up first.
    pub default_schema: Option<Name>,
    /// `create_date`.
    pub created: DateTime,
    /// `modify_date`.
    pub modified: DateTime,
    /// The owner of a role.
    pub owner: Option<PrincipalId>,
    /// The sid of the login it is for, or one of its own.
    pub sid: Option<Sid>,
    /// One of the roles that cannot be changed.
    pub fixed_role: bool,
    /// How it is authenticated.
    pub authentication: Authentication,
    /// `DEFAULT_LANGUAGE` of a contained user.
    pub default_language: Option<Name>,
    /// The password's hash of a contained user, see [`LoginDef::password_hash`].
    pub password_hash: Option<Box<[u8]>>,
    /// The roles of which it is a direct member, by ascending id; `public` is understood.
    pub roles: Vec<PrincipalId>,
}

coded! {
    /// `type` of a database or server principal.
    PrincipalKind: &'static str {
        /// A user for a login with a password, or such a login itself.
        SqlUser = "S" "SQL_USER",
        /// A user or login of Windows.
        WindowsUser = "U" "WINDOWS_USER",
        /// A group of Windows.
        WindowsGroup = "G" "WINDOWS_GROUP",
        /// A database or server role.
        Role = "R" "DATABASE_ROLE",
        /// An application role.
        ApplicationRole = "A" "APPLICATION_ROLE",
    }
}

coded! {
    /// `authentication_type` of a database principal.
    Authentication: u8 {
        /// None: roles, `guest`, users without login.
        None = 0 "NONE",
        /// By the server's login.
        Instance = 1 "INSTANCE",
        /// By a password in the database.
        Database = 2 "DATABASE",
    }
}

/// A login or server role: a row of `sys.server_principals`.
#[derive(Clone, PartialEq, Debug)]
pub struct LoginDef {
    /// The id.
    pub id: PrincipalId,
    /// The name, unique within the server.
    pub name: Name,
    /// Login or role.
    pub kind: PrincipalKind,
    /// The sid by which users of databases refer to it.
    pub sid: Sid,
    /// `ALTER LOGIN … DISABLE`.
    pub disabled: bool,
    /// `create_date`.
    pub created: DateTime,
    /// `modify_date`.
    pub modified: DateTime,
    /// The database that its sessions start in.
    pub default_database: Option<Name>,
    /// The language that its sessions start with.
    pub default_language: Option<Name>,
    /// The owner of a role.
    pub owner: Option<PrincipalId>,
    /// One of the roles that cannot be changed.
    pub fixed_role: bool,
    /// `CHECK_POLICY`.
    pub policy_checked: bool,
    /// `CHECK_EXPIRATION`.
    pub expiration_checked: bool,
    /// `MUST_CHANGE`: the password has to be changed at the next login.
    pub must_change: bool,
    /// The password's hash; its format is the login layer's.
    pub password_hash: Option<Box<[u8]>>,
    /// The server roles of which it is a direct member, by ascending id; `public` is understood.
    pub roles: Vec<PrincipalId>,
}

impl PrincipalKind {
    /// Whether it is a role: no session logs in as it or impersonates it.
    pub fn is_role(self) -> bool {
        matches!(self, PrincipalKind::Role | PrincipalKind::ApplicationRole)
    }
}

impl LoginDef {
    /// `type_desc`, which differs from that of database principals.
    pub fn type_description(&self) -> &'static str {
        match self.kind {
            PrincipalKind::SqlUser => "SQL_LOGIN",
            PrincipalKind::WindowsUser => "WINDOWS_LOGIN",
            PrincipalKind::Role => "SERVER_ROLE",
            other => other.description(),
        }
    }
}

/// What one principal has been granted or denied on one thing: rows of
/// `sys.database_permissions` or `sys.server_permissions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PermissionSet {
    /// The securable.
    pub target: Securable,
    /// The principal that has it.
    pub grantee: PrincipalId,
    /// The permissions; never empty in a schema.
    pub grants: Vec<Grant>,
}

/// One granted or denied permission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Which permission.
    pub permission: Permission,
    /// The principal that gave it.
    pub grantor: PrincipalId,
    /// Granted or denied.
    pub state: PermissionState,
}

coded! {
    /// `state` of a permission.
    PermissionState: &'static str {
        /// `DENY`.
        Deny = "D" "DENY",
        /// A column-level `REVOKE` under a grant on the whole.
        Revoke = "R" "REVOKE",
        /// `GRANT`.
        Grant = "G" "GRANT",
        /// `GRANT … WITH GRANT OPTION`.
        GrantWithGrant = "W" "GRANT_WITH_GRANT_OPTION",
    }
}

coded! {
    /// What can be granted, with the type codes of the permission views.
    Permission: &'static str {
        /// `ALTER`.
        Alter = "AL" "ALTER",
        /// `ALTER ANY APPLICATION ROLE` (database).
        AlterAnyApplicationRole = "ALAR" "ALTER ANY APPLICATION ROLE",
        /// `ALTER ANY CONNECTION` (server).
        AlterAnyConnection = "ALCO" "ALTER ANY CONNECTION",
        /// `ALTER ANY DATABASE` (server).
        AlterAnyDatabase = "ALDB" "ALTER ANY DATABASE",
        /// `ALTER ANY DATABASE DDL TRIGGER` (database).
        AlterAnyDatabaseDdlTrigger = "ALTG" "ALTER ANY DATABASE DDL TRIGGER",
        /// `ALTER ANY LOGIN` (server).
        AlterAnyLogin = "ALLG" "ALTER ANY LOGIN",
        /// `ALTER ANY MASK` (database).
        AlterAnyMask = "AAMK" "ALTER ANY MASK",
        /// `ALTER ANY ROLE` (database).
        AlterAnyRole = "ALRL" "ALTER ANY ROLE",
        /// `ALTER ANY SCHEMA` (database).
        AlterAnySchema = "ALSM" "ALTER ANY SCHEMA",
        /// `ALTER ANY SECURITY POLICY` (database).
        AlterAnySecurityPolicy = "ALSP" "ALTER ANY SECURITY POLICY",
        /// `ALTER ANY SENSITIVITY CLASSIFICATION` (database).
        AlterAnySensitivityClassification = "AASC" "ALTER ANY SENSITIVITY CLASSIFICATION",
        /// `ALTER ANY SERVER ROLE` (server).
        AlterAnyServerRole = "ALSR" "ALTER ANY SERVER ROLE",
        /// `ALTER ANY USER` (database).
        AlterAnyUser = "ALUS" "ALTER ANY USER",
        /// `ALTER RESOURCES` (server).
        AlterResources = "ALRS" "ALTER RESOURCES",
        /// `ALTER SERVER STATE` (server).
        AlterServerState = "ALSS" "ALTER SERVER STATE",
        /// `ALTER SETTINGS` (server).
        AlterSettings = "ALST" "ALTER SETTINGS",
        /// `ALTER TRACE` (server).
        AlterTrace = "ALTR" "ALTER TRACE",
        /// `ADMINISTER BULK OPERATIONS` (server).
        AdministerBulkOperations = "ADBO" "ADMINISTER BULK OPERATIONS",
        /// `AUTHENTICATE` (database).
        Authenticate = "AUTH" "AUTHENTICATE",
        /// `BACKUP DATABASE`.
        BackupDatabase = "BADB" "BACKUP DATABASE",
        /// `BACKUP LOG`.
        BackupLog = "BALO" "BACKUP LOG",
        /// `CHECKPOINT`.
        Checkpoint = "CP" "CHECKPOINT",
        /// `CONNECT`.
        Connect = "CO" "CONNECT",
        /// `CONNECT SQL` (server).
        ConnectSql = "COSQ" "CONNECT SQL",
        /// `CONNECT ANY DATABASE` (server).
        ConnectAnyDatabase = "CADB" "CONNECT ANY DATABASE",
        /// `CONTROL`; `CONTROL SERVER` on the server.
        Control = "CL" "CONTROL",
        /// `CREATE ANY DATABASE` (server).
        CreateAnyDatabase = "CRDB" "CREATE ANY DATABASE",
        /// `CREATE DEFAULT`.
        CreateDefault = "CRDF" "CREATE DEFAULT",
        /// `CREATE FUNCTION`.
        CreateFunction = "CRFN" "CREATE FUNCTION",
        /// `CREATE PROCEDURE`.
        CreateProcedure = "CRPR" "CREATE PROCEDURE",
        /// `CREATE ROLE`.
        CreateRole = "CRRL" "CREATE ROLE",
        /// `CREATE RULE`.
        CreateRule = "CRRU" "CREATE RULE",
        /// `CREATE SCHEMA`.
        CreateSchema = "CRSM" "CREATE SCHEMA",
        /// `CREATE SEQUENCE`.
        CreateSequence = "CRSO" "CREATE SEQUENCE",
        /// `CREATE SYNONYM`.
        CreateSynonym = "CRSN" "CREATE SYNONYM",
        /// `CREATE TABLE`.
        CreateTable = "CRTB" "CREATE TABLE",
        /// `CREATE TYPE`.
        CreateType = "CRTY" "CREATE TYPE",
        /// `CREATE XML SCHEMA COLLECTION`.
        CreateXmlSchemaCollection = "CRXS" "CREATE XML SCHEMA COLLECTION",
        /// `CREATE VIEW`.
        CreateView = "CRVW" "CREATE VIEW",
        /// `DELETE`.
        Delete = "DL" "DELETE",
        /// `EXECUTE`.
        Execute = "EX" "EXECUTE",
        /// `IMPERSONATE`.
        Impersonate = "IM" "IMPERSONATE",
        /// `INSERT`.
        Insert = "IN" "INSERT",
        /// `KILL DATABASE CONNECTION`.
        KillDatabaseConnection = "KIDC" "KILL DATABASE CONNECTION",
        /// `RECEIVE`.
        Receive = "RC" "RECEIVE",
        /// `REFERENCES`.
        References = "RF" "REFERENCES",
        /// `SELECT`.
        Select = "SL" "SELECT",
        /// `SHOWPLAN`.
        Showplan = "SPLN" "SHOWPLAN",
        /// `SHUTDOWN` (server).
        Shutdown = "SHDN" "SHUTDOWN",
        /// `TAKE OWNERSHIP`.
        TakeOwnership = "TO" "TAKE OWNERSHIP",
        /// `UNMASK`.
        Unmask = "UMSK" "UNMASK",
        /// `UPDATE`.
        Update = "UP" "UPDATE",
        /// `VIEW ANY DATABASE` (server).
        ViewAnyDatabase = "VWDB" "VIEW ANY DATABASE",
        /// `VIEW ANY DEFINITION` (server).
        ViewAnyDefinition = "VWAD" "VIEW ANY DEFINITION",
        /// `VIEW ANY SENSITIVITY CLASSIFICATION` (database).
        ViewAnySensitivityClassification = "VASC" "VIEW ANY SENSITIVITY CLASSIFICATION",
        /// `VIEW CHANGE TRACKING`.
        ViewChangeTracking = "VWCT" "VIEW CHANGE TRACKING",
        /// `VIEW DATABASE STATE`.
        ViewDatabaseState = "VWDS" "VIEW DATABASE STATE",
        /// `VIEW DEFINITION`.
        ViewDefinition = "VW" "VIEW DEFINITION",
        /// `VIEW SERVER STATE` (server).
        ViewServerState = "VWSS" "VIEW SERVER STATE",
    }
}

impl Permission {
    /// The name that the views show for this permission on this class of thing.
    pub fn name_on(self, class: SecurableClass) -> &'static str {
        match (self, class) {
            (Permission::Control, SecurableClass::Server) => "CONTROL SERVER",
            (Permission::CreateAnyDatabase, SecurableClass::Database) => "CREATE DATABASE",
            _ => self.description(),
        }
    }
}
