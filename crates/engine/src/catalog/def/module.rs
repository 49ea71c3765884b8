//! Modules: whatever has a T-SQL text of its own.

use std::sync::Arc;

use base::ids::ObjectId;
use base::{SqlType, Value};

use super::{
    ColumnDef, Name, ObjectHeader, ObjectKind, PrincipalId, Reference, SecurityPolicyDef, TableDef,
    UserTypeId, coded,
};

/// A procedure, function, view, trigger, rule or default.
#[derive(Clone, PartialEq, Debug)]
pub struct ModuleDef {
    /// Id, schema, name and dates.
    pub header: ObjectHeader,
    /// What kind of module, with what only that kind has.
    pub kind: ModuleKind,
    /// The whole text, from `CREATE` on, as it was sent.
    pub definition: Name,
    /// `ANSI_NULLS` when it was created.
    pub uses_ansi_nulls: bool,
    /// `QUOTED_IDENTIFIER` when it was created.
    pub uses_quoted_identifier: bool,
    /// `WITH SCHEMABINDING`.
    pub schema_bound: bool,
    /// `WITH NATIVE_COMPILATION`.
    pub native: bool,
    /// `WITH RECOMPILE`.
    pub recompile: bool,
    /// `WITH ENCRYPTION`: the text is not shown.
    pub encrypted: bool,
    /// `RETURNS NULL ON NULL INPUT`.
    pub null_on_null_input: bool,
    /// `uses_database_collation`.
    pub uses_database_collation: bool,
    /// `WITH EXECUTE AS`.
    pub execute_as: ExecuteAs,
    /// The parameters in order, from id 1.
    pub parameters: Vec<ParameterDef>,
    /// What the text mentions.
    pub references: Vec<Reference>,
    /// The number of `CREATE PROCEDURE name; 2`; 0 for what has none.
    pub number: i32,
    /// Of a procedure, those that have its name and a number, by number. Their headers are those of
    /// the procedure.
    pub numbered: Vec<Arc<ModuleDef>>,
    /// The triggers on a view, by id. *Derived.*
    pub triggers: Vec<ObjectId>,
    /// The security policies with predicates on a view, by id. *Derived.*
    pub policies: Vec<Arc<SecurityPolicyDef>>,
    /// The internal table with the rows of an indexed view. *Derived.*
    pub rows: Option<ObjectId>,
}

/// The kinds of modules, with what only that kind has.
#[derive(Clone, PartialEq, Debug)]
pub enum ModuleKind {
    /// A stored procedure.
    Procedure {
        /// Runs at start-up, `is_auto_executed`.
        auto_executed: bool,
    },
    /// A scalar function.
    ScalarFunction {
        /// The type it returns.
        returns: ReturnDef,
    },
    /// A table-valued function that is a single `SELECT`.
    InlineFunction {
        /// The columns of its result.
        columns: Vec<ColumnDef>,
    },
    /// A table-valued function that fills a table variable.
    TableFunction {
        /// The name of that variable, `@` included.
        variable: Name,
        /// The variable's columns, keys and checks.
        result: Arc<TableDef>,
    },
    /// A view.
    View {
        /// Its columns.
        columns: Vec<ColumnDef>,
        /// `WITH CHECK OPTION`.
        with_check_option: bool,
    },
    /// A trigger on a table or view.
    Trigger(TriggerDef),
    /// A trigger on a database or on the server.
    EventTrigger(EventTriggerDef),
    /// A condition that is bound to columns and alias types.
    Rule {
        /// The variable that stands for the value, `@` included.
        variable: Name,
        /// The condition.
        condition: Name,
    },
    /// A default that is bound to columns and alias types.
    Default {
        /// The value.
        expression: Name,
    },
}

/// `WITH EXECUTE AS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecuteAs {
    /// The caller: the default.
    Caller,
    /// The module's owner.
    Owner,
    /// A user: the creator for `SELF`.
    Principal(PrincipalId),
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterDef {
    /// The name, `@` included.
    pub name: Name,
    /// The type, aliases resolved. For a table-valued parameter only `user_type` counts.
    pub ty: SqlType,
    /// The type as declared: an alias, a table type, or the built-in one.
    pub user_type: UserTypeId,
    /// Whether it takes a table.
    pub table_valued: bool,
    /// Whether NULL is accepted (`NOT NULL` exists in natively compiled modules).
    pub nullable: bool,
    /// `OUTPUT`.
    pub output: bool,
    /// `READONLY`.
    pub read_only: bool,
    /// `CURSOR VARYING`.
    pub cursor: bool,
    /// The default, of the parameter's type.
    pub default: Option<Value>,
}

/// What a scalar function returns.
#[derive(Clone, PartialEq, Debug)]
pub struct ReturnDef {
    /// The type, aliases resolved.
    pub ty: SqlType,
    /// The type as declared.
    pub user_type: UserTypeId,
    /// Whether it may return NULL (`NOT NULL` exists in natively compiled functions).
    pub nullable: bool,
}

/// What a trigger on a table or view has for itself.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerDef {
    /// The table or view it is on.
    pub parent: ObjectId,
    /// What fires it.
    pub events: Vec<TriggerEvent>,
    /// `INSTEAD OF` rather than `AFTER`.
    pub instead_of: bool,
    /// `DISABLE TRIGGER`.
    pub disabled: bool,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// One event of a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TriggerEvent {
    /// Insert, update or delete.
    pub kind: TriggerEventKind,
    /// `sp_settriggerorder`: before all others.
    pub first: bool,
    /// `sp_settriggerorder`: after all others.
    pub last: bool,
}

/// What a trigger on a database or on the server has for itself: a DDL or logon trigger. Its name
/// is none of a schema's ([`SchemaId::DATABASE_TRIGGERS`], [`SchemaId::SERVER_TRIGGERS`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventTriggerDef {
    /// It is on the server, and its definition in master.
    pub server: bool,
    /// What fires it: single events, which groups are taken apart into.
    pub events: Vec<FiringEvent>,
    /// `DISABLE TRIGGER`.
    pub disabled: bool,
}

/// One event of a trigger on a database or on the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiringEvent {
    /// Its number, `type` in `sys.trigger_event_types`.
    pub event: i32,
    /// The group by which the trigger names it, if it does not name the event itself.
    pub group: Option<i32>,
    /// `sp_settriggerorder`: before all others.
    pub first: bool,
    /// `sp_settriggerorder`: after all others.
    pub last: bool,
}

coded! {
    /// `type` in `sys.trigger_events`.
    TriggerEventKind: u8 {
        /// `INSERT`.
        Insert = 1 "INSERT",
        /// `UPDATE`.
        Update = 2 "UPDATE",
        /// `DELETE`.
        Delete = 3 "DELETE",
    }
}

impl ModuleDef {
    /// A module with the default options.
    pub fn new(header: ObjectHeader, kind: ModuleKind, definition: Name) -> ModuleDef {
        ModuleDef {
            header,
            kind,
            definition,
            uses_ansi_nulls: true,
            uses_quoted_identifier: true,
            schema_bound: false,
            native: false,
            recompile: false,
            encrypted: false,
            null_on_null_input: false,
            uses_database_collation: false,
            execute_as: ExecuteAs::Caller,
            parameters: Vec::new(),
            references: Vec::new(),
            number: 0,
            numbered: Vec::new(),
            triggers: Vec::new(),
            policies: Vec::new(),
            rows: None,
        }
    }

    /// The object id.
    pub fn id(&self) -> ObjectId {
        self.header.id
    }

    /// Whether the module is a temporary procedure, which lives in tempdb and runs in any database.
    pub fn is_temporary(&self) -> bool {
        self.header.name.starts_with('#') && matches!(self.kind, ModuleKind::Procedure { .. })
    }

    /// The two-letter kind.
    pub fn object_kind(&self) -> ObjectKind {
        match self.kind {
            ModuleKind::Procedure { .. } => ObjectKind::Procedure,
            ModuleKind::ScalarFunction { .. } => ObjectKind::ScalarFunction,
            ModuleKind::InlineFunction { .. } => ObjectKind::InlineFunction,
            ModuleKind::TableFunction { .. } => ObjectKind::TableFunction,
            ModuleKind::View { .. } => ObjectKind::View,
            ModuleKind::Trigger(_) | ModuleKind::EventTrigger(_) => ObjectKind::Trigger,
            ModuleKind::Rule { .. } => ObjectKind::Rule,
            ModuleKind::Default { .. } => ObjectKind::Default,
        }
    }

    /// The procedure with this name and number, as it runs: by the name, the schema and the owner
    /// that the group has now.
    pub fn of_number(self: &Arc<ModuleDef>, number: i32) -> Option<Arc<ModuleDef>> {
        if number == 1 {
            return Some(self.clone());
        }
        let found = self.numbered.iter().find(|own| own.number == number)?;
        let header = self.header.clone();
        Some(Arc::new(ModuleDef { header, ..ModuleDef::clone(found) }))
    }

    /// Whether it is a rule or default: a text that does nothing until it is bound.
    pub fn is_bindable(&self) -> bool {
        matches!(self.kind, ModuleKind::Rule { .. } | ModuleKind::Default { .. })
    }

    /// The columns of a view or of a table-valued function's result.
    pub fn columns(&self) -> Option<&[ColumnDef]> {
        match &self.kind {
            ModuleKind::View { columns, .. } | ModuleKind::InlineFunction { columns } => {
                Some(columns)
            }
            ModuleKind::TableFunction { result, .. } => Some(&result.columns),
            _ => None,
        }
    }

    /// What a scalar function returns.
    pub fn returns(&self) -> Option<&ReturnDef> {
        match &self.kind {
            ModuleKind::ScalarFunction { returns } => Some(returns),
            _ => None,
        }
    }

    /// The own part of a trigger on a database or on the server.
    pub fn event_trigger(&self) -> Option<&EventTriggerDef> {
        match &self.kind {
            ModuleKind::EventTrigger(trigger) => Some(trigger),
            _ => None,
        }
    }

    /// The own part of a trigger on a table or view.
    pub fn trigger(&self) -> Option<&TriggerDef> {
        match &self.kind {
            ModuleKind::Trigger(trigger) => Some(trigger),
            _ => None,
        }
    }
}
