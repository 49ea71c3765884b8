//! Principals and permissions.

use base::types::Classification;

use super::{CreateAction, Expr, Ident, Literal, ObjectName, Span, Variable};

/// `CREATE LOGIN` and `ALTER LOGIN`.
#[derive(Clone, Debug)]
pub struct LoginStatement {
    /// `Create` or `Alter`.
    pub action: CreateAction,
    /// Its name.
    pub name: Ident,
    /// What it is, or becomes.
    pub kind: LoginKind,
}

/// What a login is, or becomes.
#[derive(Clone, Debug)]
pub enum LoginKind {
    /// `WITH PASSWORD = …` and other options.
    Options(Vec<LoginOption>),
    /// `FROM WINDOWS WITH …`.
    Windows(Vec<LoginOption>),
    /// `FROM CERTIFICATE name`, `FROM ASYMMETRIC KEY name`, `FROM EXTERNAL PROVIDER`.
    From(PrincipalSource),
    /// `ENABLE` (true) or `DISABLE` (false).
    Enable(bool),
}

/// An option of a login.
#[derive(Clone, Debug)]
pub struct LoginOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: LoginOptionKind,
}

/// The options of a login.
#[derive(Clone, Debug)]
pub enum LoginOptionKind {
    /// `PASSWORD = 'text'` or a hash, with the words after it.
    Password {
        /// A string, or a binary with `HASHED`.
        value: Literal,
        /// `HASHED`.
        hashed: bool,
        /// `MUST_CHANGE`.
        must_change: bool,
        /// `UNLOCK`.
        unlock: bool,
        /// `OLD_PASSWORD = 'text'`.
        old: Option<Box<str>>,
    },
    /// `DEFAULT_DATABASE = name`.
    DefaultDatabase(Ident),
    /// `DEFAULT_LANGUAGE = name`.
    DefaultLanguage(Ident),
    /// `NAME = name`.
    Name(Ident),
    /// `SID = 0x…`.
    Sid(Literal),
    /// `CHECK_POLICY = ON`.
    CheckPolicy(bool),
    /// `CHECK_EXPIRATION = ON`.
    CheckExpiration(bool),
    /// `CREDENTIAL = name`.
    Credential(Ident),
    /// `NO CREDENTIAL`.
    NoCredential,
}

/// `CREATE USER` and `ALTER USER`.
#[derive(Clone, Debug)]
pub struct UserStatement {
    /// `Create` or `Alter`.
    pub action: CreateAction,
    /// Its name.
    pub name: Ident,
    /// `FOR LOGIN name`, `WITHOUT LOGIN`.
    pub login: UserLogin,
    /// `WITH …`.
    pub options: Vec<UserOption>,
}

/// How a user gets in.
#[derive(Clone, Debug)]
pub enum UserLogin {
    /// Nothing said: the login of the same name.
    Default,
    /// `FOR LOGIN name` or `FROM LOGIN name`.
    Login(Ident),
    /// `WITHOUT LOGIN`.
    Without,
    /// `FROM EXTERNAL PROVIDER`, `FOR CERTIFICATE name` …
    From(PrincipalSource),
}

/// What else than a password vouches for a login or user.
#[derive(Clone, Debug)]
pub enum PrincipalSource {
    /// `EXTERNAL PROVIDER`.
    ExternalProvider,
    /// `CERTIFICATE name`.
    Certificate(Ident),
    /// `ASYMMETRIC KEY name`.
    AsymmetricKey(Ident),
}

/// The options of a user.
#[derive(Clone, Debug)]
pub enum UserOption {
    /// `DEFAULT_SCHEMA = name`, or `NULL`.
    DefaultSchema(Option<Ident>),
    /// `NAME = name`.
    Name(Ident),
    /// `LOGIN = name`.
    Login(Ident),
    /// `PASSWORD = 'text'`, with `OLD_PASSWORD = 'text'`.
    Password(Box<str>, Option<Box<str>>),
    /// `DEFAULT_LANGUAGE = …`.
    DefaultLanguage(DefaultLanguage),
    /// `SID = 0x…`.
    Sid(Literal),
    /// `ALLOW_ENCRYPTED_VALUE_MODIFICATIONS = ON`.
    AllowEncryptedValueModifications(bool),
}

/// The language of a user's sessions.
#[derive(Clone, Debug)]
pub enum DefaultLanguage {
    /// `NONE`: that of its database.
    None,
    /// A language's name or alias.
    Name(Ident),
    /// The id of its locale.
    Locale(i32),
}

/// `CREATE ROLE`, `ALTER ROLE`, `CREATE SERVER ROLE`, `ALTER SERVER ROLE`.
#[derive(Clone, Debug)]
pub struct RoleStatement {
    /// `SERVER ROLE`.
    pub server: bool,
    /// The role.
    pub name: Ident,
    /// What is done.
    pub action: RoleAction,
}

/// What is done to a role.
#[derive(Clone, Debug)]
pub enum RoleAction {
    /// `CREATE`, with `AUTHORIZATION`.
    Create(Option<Ident>),
    /// `ADD MEMBER`.
    AddMember(Ident),
    /// `DROP MEMBER`.
    DropMember(Ident),
    /// `WITH NAME =`.
    Rename(Ident),
    /// `CREATE` or `ALTER APPLICATION ROLE … WITH`: a password, a name, a default schema.
    Application(CreateAction, Vec<UserOption>),
}

/// `GRANT`, `DENY` and `REVOKE`.
#[derive(Clone, Debug)]
pub struct PermissionStatement {
    /// Which of the three.
    pub action: PermissionAction,
    /// The permissions; `ALL` alone is one without columns.
    pub permissions: Vec<PermissionItem>,
    /// `ON class::name (columns)`; the database or server when missing.
    pub on: Option<Securable>,
    /// `TO` or `FROM`; never empty.
    pub principals: Vec<Ident>,
    /// `WITH GRANT OPTION`, or `GRANT OPTION FOR` of `REVOKE`.
    pub grant_option: bool,
    /// `CASCADE`.
    pub cascade: bool,
    /// `AS principal`.
    pub grantor: Option<Ident>,
}

/// Whether a permission is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum PermissionAction {
    Grant,
    Deny,
    Revoke,
}

/// A permission.
#[derive(Clone, Debug)]
pub struct PermissionItem {
    /// Where it stands.
    pub span: Span,
    /// Its words in upper case with single blanks: `SELECT`, `VIEW SERVER STATE`, `ALL`.
    pub name: Box<str>,
    /// The columns after it.
    pub columns: Vec<Ident>,
}

/// What a permission is about.
#[derive(Clone, Debug)]
pub struct Securable {
    /// `class::`; an object when missing.
    pub class: Option<SecurableClass>,
    /// What.
    pub name: ObjectName,
    /// The columns after it.
    pub columns: Vec<Ident>,
}

/// What stands before `::`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SecurableClass {
    ApplicationRole,
    Assembly,
    Certificate,
    Database,
    Endpoint,
    FulltextCatalog,
    Login,
    Object,
    RemoteServiceBinding,
    Role,
    Schema,
    ServerRole,
    Service,
    SymmetricKey,
    Type,
    User,
    XmlSchemaCollection,
}

/// `ADD` and `DROP SENSITIVITY CLASSIFICATION`.
#[derive(Clone, Debug)]
pub struct SensitivityStatement {
    /// The columns: `schema.table.column`, or `table.column`. The parts of the table's name stand
    /// one to the left in each.
    pub columns: Vec<ObjectName>,
    /// What is said of them; `None` for `DROP`.
    pub classification: Option<Classification>,
}

/// `ALTER AUTHORIZATION ON class::name TO principal`.
#[derive(Clone, Debug)]
pub struct AlterAuthorization {
    /// What kind of thing.
    pub class: Option<SecurableClass>,
    /// What.
    pub name: ObjectName,
    /// The new owner; `None` for `SCHEMA OWNER`.
    pub owner: Option<Ident>,
}

/// `EXECUTE AS` as a statement.
#[derive(Clone, Debug)]
pub struct ExecuteAsStatement {
    /// The principal to act as.
    pub principal: ExecuteAsPrincipal,
    /// `WITH NO REVERT`.
    pub no_revert: bool,
    /// `WITH COOKIE INTO @v`.
    pub cookie: Option<Variable>,
}

/// The principal as which the session goes on.
#[derive(Clone, Debug)]
pub enum ExecuteAsPrincipal {
    /// `CALLER`.
    Caller,
    /// `LOGIN = 'name'`: a string or a variable.
    Login(Expr),
    /// `USER = 'name'`: a string or a variable.
    User(Expr),
}
