//! Procedures, functions, views and triggers.

use super::{
    DataType, Ident, ObjectName, ParameterDeclaration, Query, SelectStatement, Span, Statement,
    TableDefinition, Variable, With,
};

/// `CREATE`, `ALTER` or `CREATE OR ALTER` of a module.
#[derive(Clone, Debug)]
pub struct ModuleStatement {
    /// What to do when it exists, or does not.
    pub action: CreateAction,
    /// `CREATE`, `ALTER` or `CREATE OR ALTER` in the text, see [`ModuleStatement::definition`].
    pub action_span: Span,
    /// The module.
    pub module: Module,
}

impl ModuleStatement {
    /// The text that `sys.sql_modules` keeps: the whole batch, with `ALTER` or `CREATE OR ALTER`
    /// turned into `CREATE`.
    pub fn definition(&self, batch: &str) -> String {
        let Span { start, end, .. } = self.action_span;
        let before = batch.get(..start as usize).unwrap_or_default();
        let after = batch.get(end as usize..).unwrap_or_default();
        match self.action {
            CreateAction::Create => batch.to_owned(),
            CreateAction::Alter | CreateAction::CreateOrAlter => format!("{before}CREATE{after}"),
        }
    }
}

/// Whether the statement creates or alters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CreateAction {
    Create,
    Alter,
    CreateOrAlter,
}

/// A module.
#[derive(Clone, Debug)]
pub enum Module {
    /// `PROCEDURE`.
    Procedure(Procedure),
    /// `FUNCTION`.
    Function(Function),
    /// `VIEW`.
    View(View),
    /// `TRIGGER`.
    Trigger(Trigger),
}

/// `PROCEDURE`.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: ObjectName,
    /// The number of `name;number`.
    pub number: Option<i32>,
    /// Its parameters in order.
    pub parameters: Vec<ParameterDeclaration>,
    /// `WITH …`.
    pub options: Vec<ModuleOption>,
    /// `FOR REPLICATION`.
    pub for_replication: bool,
    /// What it does. A natively compiled one is a single atomic block.
    pub body: Vec<Statement>,
}

/// `FUNCTION`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: ObjectName,
    /// Its parameters in order.
    pub parameters: Vec<ParameterDeclaration>,
    /// `WITH …`.
    pub options: Vec<ModuleOption>,
    /// What it returns, and how.
    pub body: FunctionBody,
}

/// What a function returns, and how.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// `RETURNS type … BEGIN … END`.
    Scalar {
        /// The type of the result.
        ty: DataType,
        /// `NULL` or `NOT NULL`, which natively compiled functions may say.
        nullable: Option<bool>,
        /// What it does; a natively compiled one is a single atomic block.
        body: Vec<Statement>,
    },
    /// `RETURNS TABLE … RETURN (SELECT …)`.
    Inline {
        /// `WITH name AS (…)`.
        with: Option<With>,
        /// The query.
        query: Box<Query>,
    },
    /// `RETURNS @t TABLE (…) … BEGIN … END`.
    Table {
        /// The table variable that is returned.
        variable: Variable,
        /// Its definition.
        definition: Box<TableDefinition>,
        /// What it does.
        body: Vec<Statement>,
    },
}

/// `VIEW`.
#[derive(Clone, Debug)]
pub struct View {
    /// Its name.
    pub name: ObjectName,
    /// Its columns' names; empty when the query names them.
    pub columns: Vec<Ident>,
    /// `WITH …`.
    pub options: Vec<ModuleOption>,
    /// The query.
    pub query: SelectStatement,
    /// `WITH CHECK OPTION`.
    pub check_option: bool,
}

/// `TRIGGER`.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// Its name.
    pub name: ObjectName,
    /// Where it lies in wait.
    pub target: TriggerTarget,
    /// `WITH …`.
    pub options: Vec<ModuleOption>,
    /// `INSTEAD OF` rather than `AFTER` or `FOR`.
    pub instead_of: bool,
    /// What sets it off: `INSERT`, `UPDATE`, `DELETE`, `CREATE_TABLE`, `LOGON`.
    pub events: Vec<TriggerEventName>,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
    /// What it does.
    pub body: Vec<Statement>,
}

/// What sets a trigger off.
#[derive(Clone, Debug)]
pub struct TriggerEventName {
    /// Where it stands.
    pub span: Span,
    /// Its name in upper case.
    pub name: Box<str>,
}

/// Where a trigger lies in wait.
#[derive(Clone, Debug)]
pub enum TriggerTarget {
    /// On a table or view.
    Object(ObjectName),
    /// `ON DATABASE`.
    Database,
    /// `ON ALL SERVER`.
    Server,
}

/// An option of a module.
#[derive(Clone, Debug)]
pub struct ModuleOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: ModuleOptionKind,
}

/// The options of modules.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ModuleOptionKind {
    Encryption,
    ExecuteAs(ModulePrincipal),
    /// `INLINE = ON`.
    Inline(bool),
    NativeCompilation,
    Recompile,
    /// `RETURNS NULL ON NULL INPUT` (true) or `CALLED ON NULL INPUT` (false).
    NullOnNullInput(bool),
    SchemaBinding,
    ViewMetadata,
}

/// The principal as which a module runs.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ModulePrincipal {
    Caller,
    SelfUser,
    Owner,
    Named(Box<str>),
}

/// `ENABLE TRIGGER` and `DISABLE TRIGGER`.
#[derive(Clone, Debug)]
pub struct ToggleTrigger {
    /// `ENABLE`.
    pub enable: bool,
    /// Which; empty for `ALL`.
    pub names: Vec<ObjectName>,
    /// Where.
    pub target: TriggerTarget,
}
