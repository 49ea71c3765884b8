//! Which permissions there are on which kind of securable: what `GRANT` takes, and what
//! `HAS_PERMS_BY_NAME` and `sys.fn_my_permissions` answer about.

use crate::catalog::def::{ObjectKind, Permission, PrincipalKind};

/// A kind of securable, as far as it decides which permissions there are on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecurableKind {
    /// The server.
    Server,
    /// A database.
    Database,
    /// A schema.
    Schema,
    /// An object of a schema.
    Object(ObjectKind),
    /// A column of a table, view or table-valued function.
    Column,
    /// A data type.
    Type,
    /// An XML schema collection.
    XmlCollection,
    /// A user of a database.
    User,
    /// A role of a database.
    Role,
    /// An application role.
    ApplicationRole,
    /// A login.
    Login,
    /// A role of the server.
    ServerRole,
}

impl SecurableKind {
    /// What a principal of a database is.
    pub fn of_principal(kind: PrincipalKind) -> SecurableKind {
        match kind {
            PrincipalKind::Role => SecurableKind::Role,
            PrincipalKind::ApplicationRole => SecurableKind::ApplicationRole,
            _ => SecurableKind::User,
        }
    }

    /// What a principal of the server is.
    pub fn of_login(kind: PrincipalKind) -> SecurableKind {
        match kind {
            PrincipalKind::Role => SecurableKind::ServerRole,
            _ => SecurableKind::Login,
        }
    }

    /// The permissions that there are on it.
    pub fn permissions(self) -> impl Iterator<Item = Permission> {
        self.candidates().iter().copied().filter(move |permission| match self {
            SecurableKind::Object(kind) => fits(kind, *permission),
            _ => true,
        })
    }

    /// The permissions on its class.
    fn candidates(self) -> &'static [Permission] {
        match self {
            SecurableKind::Server => SERVER,
            SecurableKind::Database => DATABASE,
            SecurableKind::Schema | SecurableKind::Object(_) => SCHEMA,
            SecurableKind::Column => COLUMN,
            SecurableKind::Type => TYPE,
            SecurableKind::XmlCollection => XML_COLLECTION,
            SecurableKind::User | SecurableKind::Login => PERSON,
            SecurableKind::Role | SecurableKind::ServerRole => ROLE,
            SecurableKind::ApplicationRole => APPLICATION_ROLE,
        }
    }
}

use Permission as P;

const SERVER: &[Permission] = &[
    P::AdministerBulkOperations,
    P::AlterAnyConnection,
    P::AlterAnyDatabase,
    P::AlterAnyLogin,
    P::AlterAnyServerRole,
    P::AlterResources,
    P::AlterServerState,
    P::AlterSettings,
    P::AlterTrace,
    P::ConnectAnyDatabase,
    P::ConnectSql,
    P::Control,
    P::CreateAnyDatabase,
    P::Shutdown,
    P::ViewAnyDatabase,
    P::ViewAnyDefinition,
    P::ViewServerState,
];

const DATABASE: &[Permission] = &[
    P::Alter,
    P::AlterAnyApplicationRole,
    P::AlterAnyDatabaseDdlTrigger,
    P::AlterAnyMask,
    P::AlterAnyRole,
    P::AlterAnySchema,
    P::AlterAnySecurityPolicy,
    P::AlterAnySensitivityClassification,
    P::AlterAnyUser,
    P::Authenticate,
    P::BackupDatabase,
    P::BackupLog,
    P::Checkpoint,
    P::Connect,
    P::Control,
    P::CreateAnyDatabase,
    P::CreateDefault,
    P::CreateFunction,
    P::CreateProcedure,
    P::CreateRole,
    P::CreateRule,
    P::CreateSchema,
    P::CreateSequence,
    P::CreateSynonym,
    P::CreateTable,
    P::CreateType,
    P::CreateView,
    P::CreateXmlSchemaCollection,
    P::Delete,
    P::Execute,
    P::Insert,
    P::KillDatabaseConnection,
    P::References,
    P::Select,
    P::Showplan,
    P::TakeOwnership,
    P::Unmask,
    P::Update,
    P::ViewAnySensitivityClassification,
    P::ViewDatabaseState,
    P::ViewDefinition,
];

/// On a schema for all of its objects, and on one of these as far as it [`fits`].
const SCHEMA: &[Permission] = &[
    P::Alter,
    P::Control,
    P::CreateSequence,
    P::Delete,
    P::Execute,
    P::Insert,
    P::References,
    P::Select,
    P::TakeOwnership,
    P::Unmask,
    P::Update,
    P::ViewChangeTracking,
    P::ViewDefinition,
];

const COLUMN: &[Permission] = &[P::References, P::Select, P::Unmask, P::Update];

const TYPE: &[Permission] =
    &[P::Control, P::Execute, P::References, P::TakeOwnership, P::ViewDefinition];

const XML_COLLECTION: &[Permission] =
    &[P::Alter, P::Control, P::Execute, P::References, P::TakeOwnership, P::ViewDefinition];

const PERSON: &[Permission] = &[P::Alter, P::Control, P::Impersonate, P::ViewDefinition];

const ROLE: &[Permission] = &[P::Alter, P::Control, P::TakeOwnership, P::ViewDefinition];

const APPLICATION_ROLE: &[Permission] = &[P::Alter, P::Control, P::ViewDefinition];

/// Whether a permission makes sense on a kind of object.
fn fits(kind: ObjectKind, permission: Permission) -> bool {
    use ObjectKind as K;
    let has_columns = matches!(kind, K::Table | K::View | K::InlineFunction | K::TableFunction);
    match permission {
        P::Select | P::Insert | P::Delete => has_columns || kind == K::Synonym,
        P::Update => has_columns || matches!(kind, K::Synonym | K::Sequence),
        P::References => has_columns || matches!(kind, K::ScalarFunction | K::Sequence),
        P::Execute => matches!(kind, K::Procedure | K::ScalarFunction | K::Synonym),
        P::ViewChangeTracking => kind == K::Table,
        P::Unmask => kind == K::Table,
        P::Alter => !matches!(kind, K::Synonym | K::SecurityPolicy),
        P::CreateSequence => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
