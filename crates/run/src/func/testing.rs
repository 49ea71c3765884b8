//! Calling functions from tests, with arguments written as in T-SQL, in a session of their own.
//!
//! Besides literals an argument can be `type:value` (`datetime2(3):2020-01-01`, `int:NULL`), which
//! is not a constant, and `part:name` for a date part.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use base::collation::codepage::string_to_unicode;
use base::convert::convert;
use base::datetime::{DateSettings, Moment, Zone};
use base::ids::{DbId, ObjectId, SessionId};
use base::types::declare::{Declaration, Subject, TypeArguments, declare};
use base::types::{Repr, literal};
use base::value::Variant;
use base::{
    Arena, Collation, ConvertOptions, SqlError, SqlResult, SqlType, TypeKind, Value, ValueRef,
};
use engine::catalog::Schema;
use engine::catalog::def::{Permission, PrincipalId, Securable};
use ir::function::Functions;
use ir::function::descriptor::{
    ArgType, CallTypes, Inferred, NullBehaviour, ScalarFunction, Typing,
};
use ir::function::facts::Seen;
use ir::function::facts::*;

use super::Library;

/// The collation of tests.
pub const C: Collation = Collation::DEFAULT;

/// A session for tests; its fields are what it answers.
pub struct TestSession {
    pub database: DbId,
    pub schemas: Vec<Arc<Schema>>,
    pub user: Option<PrincipalId>,
    pub time: StatementTime,
    pub dates: DateSettings,
    /// The server's time zone.
    pub zone: Option<&'static Zone>,
    pub settings: Settings,
    pub progress: Progress,
    pub error: Option<SqlError>,
    pub login: Login,
    pub connection: Arc<Connection>,
    pub server: Arc<ServerFacts>,
    pub context_info: Option<Box<[u8]>>,
    pub context: Vec<(&'static str, Variant)>,
    pub identities: Vec<(ObjectId, i64)>,
    pub temporary: Vec<(&'static str, ObjectId)>,
    pub random: Cell<RandomState>,
    pub random_byte: Cell<u8>,
    pub permissions_asked: RefCell<Vec<(DbId, Securable, Permission)>>,
}

impl Default for TestSession {
    fn default() -> TestSession {
        TestSession {
            database: DbId(5),
            schemas: Vec::new(),
            user: Some(PrincipalId::DBO),
            // 2024-02-29 13:14:15.1234567 UTC, in a zone one hour to the east.
            time: StatementTime {
                utc_ticks: 738_944 * 864_000_000_000 + 476_551_234_567,
                offset_minutes: 60,
            },
            dates: DateSettings::default(),
            zone: None,
            settings: Settings { textsize: 4096, lock_timeout: -1, ..Settings::default() },
            progress: Progress::default(),
            error: None,
            login: Login {
                id: PrincipalId::SA,
                name: "sa".into(),
                sid: Box::new([1]),
                counts: true,
            },
            connection: Arc::new(Connection {
                original_login: "sa".into(),
                original_database: "master".into(),
                host_name: "client".into(),
                host_process_id: 4711,
                program_name: "test".into(),
                transport: "TCP",
                authentication: "SQL",
                client_address: Some("10.0.0.1".into()),
                local_address: Some(("10.0.0.2".into(), 1433)),
            }),
            server: Arc::new(ServerFacts {
                name: "host\\one".into(),
                machine: "host".into(),
                instance: Some("one".into()),
                process_id: 99,
                collation: C,
                data_path: "/data/".into(),
                error_log_path: Some("/data/log/errorlog".into()),
                backup_path: "/backup/".into(),
                operating_system: "Linux (test)".into(),
                is_single_user: false,
                memory_bytes: 8 << 30,
                cpu_count: 2,
                worker_count: 2,
            }),
            context_info: None,
            context: Vec::new(),
            identities: Vec::new(),
            temporary: Vec::new(),
            random: Cell::new(RandomState::seeded(1)),
            random_byte: Cell::new(0),
            permissions_asked: RefCell::default(),
        }
    }
}

/// The one system object that test sessions know.
pub const SYS_OBJECTS: SystemObject = SystemObject {
    id: ObjectId(-385),
    schema: "sys",
    name: "objects",
    kind: engine::catalog::def::ObjectKind::View,
};

impl MetadataFacts for TestSession {
    fn current_database(&self) -> DbId {
        self.database
    }
    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.schemas.iter().find(|s| s.database() == database).cloned()
    }
    fn user(&self, database: DbId) -> Option<PrincipalId> {
        self.user.filter(|_| self.schema(database).is_some())
    }
    fn temporary_table(&self, name: &str) -> Option<ObjectId> {
        self.temporary.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|t| t.1)
    }
    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        (schema == Some("sys") && name == "objects").then_some(SYS_OBJECTS)
    }
    fn system_object_by_id(&self, id: ObjectId) -> Option<SystemObject> {
        (id == SYS_OBJECTS.id).then_some(SYS_OBJECTS)
    }
    fn identity_value(&self, _: DbId, table: ObjectId) -> Option<i64> {
        self.identities.iter().find(|(t, _)| *t == table).map(|t| t.1)
    }
    fn last_rowversion(&self, _: DbId) -> u64 {
        2000
    }
    fn min_active_rowversion(&self, _: DbId) -> u64 {
        2001
    }
    fn sees(&self, _: DbId, _: ObjectId) -> Seen {
        Seen::Definition
    }
    fn is_permitted(&self, database: DbId, target: Securable, permission: Permission) -> bool {
        self.permissions_asked.borrow_mut().push((database, target, permission));
        permission == Permission::Select
    }
}

impl SessionFacts for TestSession {
    fn time(&self) -> StatementTime {
        self.time
    }
    fn zone(&self) -> Option<&'static Zone> {
        self.zone
    }
    fn dates(&self) -> DateSettings {
        self.dates
    }
    fn settings(&self) -> Settings {
        self.settings
    }
    fn progress(&self) -> Progress {
        self.progress
    }
    fn session_id(&self) -> SessionId {
        SessionId(55)
    }
    fn caught_error(&self) -> Option<SqlError> {
        self.error.clone()
    }
    fn login(&self) -> Login {
        self.login.clone()
    }
    fn connection(&self) -> Arc<Connection> {
        self.connection.clone()
    }
    fn server(&self) -> Arc<ServerFacts> {
        self.server.clone()
    }
    fn counters(&self) -> Counters {
        Counters { connections: 7, ..Counters::default() }
    }
    fn context_info(&self) -> Option<Box<[u8]>> {
        self.context_info.clone()
    }
    fn session_context(&self, key: &str) -> Option<&Variant> {
        self.context.iter().find(|(k, _)| *k == key).map(|c| &c.1)
    }
    fn cursor_status(&self, scope: CursorScope, name: &str) -> i32 {
        if scope == CursorScope::Global && name == "c" { 1 } else { -3 }
    }
    fn trigger_nesting(&self, trigger: Option<ObjectId>) -> i32 {
        trigger.map_or(2, |_| 1)
    }
    fn random(&self) -> RandomState {
        self.random.get()
    }
    fn set_random(&self, state: RandomState) {
        self.random.set(state);
    }
    fn random_bytes(&self, bytes: &mut [u8]) {
        for byte in bytes {
            self.random_byte.set(self.random_byte.get().wrapping_add(37));
            *byte = self.random_byte.get();
        }
    }
    fn sequential_guid(&self) -> [u8; 16] {
        [9; 16]
    }
}

/// An argument.
pub struct Argument {
    pub ty: SqlType,
    pub value: Value,
    constant: bool,
    bare_null: bool,
}

impl Argument {
    /// What the binder would know of it.
    pub fn arg_type(&self) -> ArgType<'_> {
        ArgType {
            ty: self.ty,
            nullable: self.value.is_null() || !self.constant,
            constant: self.constant.then_some(&self.value),
            bare_null: self.bare_null,
            json: false,
        }
    }

    /// Reads an argument.
    pub fn parse(text: &str) -> Argument {
        let (ty, value) = match text {
            "NULL" => {
                let (ty, value) = (SqlType::int(), Value::Null);
                return Argument { ty, value, constant: true, bare_null: true };
            }
            _ if text.starts_with('\'') => {
                let bytes: Vec<u8> = text.trim_matches('\'').chars().map(|c| c as u8).collect();
                (literal::chars(bytes.len(), C), Value::Chars(bytes.into()))
            }
            _ if text.starts_with("N'") => {
                let mut bytes = Vec::new();
                string_to_unicode(text[1..].trim_matches('\''), &mut bytes);
                (literal::unicode(bytes.len() / 2, C), Value::Unicode(bytes.into()))
            }
            _ if text.starts_with("0x") => literal::binary_value(text),
            _ if text.contains(':') => return Argument::typed(text),
            _ => number(text),
        };
        Argument { ty, value, constant: true, bare_null: false }
    }

    fn typed(text: &str) -> Argument {
        let (ty, value) = text.split_once(':').expect("there is a colon");
        let ty = parse_type(ty);
        let value = match (value, ty.kind) {
            ("NULL", _) => Value::Null,
            // Texts do not become images, but binaries do.
            (_, TypeKind::Image) => converted(value, &SqlType::varbinary_max()),
            _ => converted(value, &ty),
        };
        Argument { ty, value, constant: false, bare_null: false }
    }
}

fn number(text: &str) -> (SqlType, Value) {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (ty, value) = if let Some(amount) = digits.strip_prefix('$') {
        literal::money_value(amount).unwrap()
    } else if digits.contains(['e', 'E']) {
        literal::float_value(digits).unwrap()
    } else if digits.contains('.') {
        literal::numeric_value(digits).unwrap()
    } else {
        literal::integer_value(digits).unwrap()
    };
    let value = match value {
        Value::Int(v) => Value::Int(v * sign),
        Value::Money(v) => Value::Money(v * sign),
        Value::Decimal(v) => Value::Decimal(v * i128::from(sign)),
        Value::Float(v) => Value::Float(v * sign as f64),
        other => other,
    };
    (ty, value)
}

/// A type as T-SQL writes it.
pub fn parse_type(text: &str) -> SqlType {
    let (name, arguments) = text.split_once('(').unwrap_or((text, ""));
    let numbers: Vec<u32> =
        arguments.trim_end_matches(')').split(',').filter_map(|n| n.parse().ok()).collect();
    let arguments = match arguments {
        "" => TypeArguments::None,
        "max)" => TypeArguments::Max,
        _ => TypeArguments::Numbers(&numbers),
    };
    let subject = Subject::Type;
    let at = Declaration { subject, ordinal: 1, line: 1, default_length: 30, collation: C };
    declare(name, arguments, &at).unwrap()
}

fn converted(text: &str, ty: &SqlType) -> Value {
    let arena = Arena::new();
    let mut wide = Vec::new();
    string_to_unicode(text, &mut wide);
    let binary = matches!(ty.kind.repr(), Repr::Bytes).then_some(1);
    let options = ConvertOptions { style: binary, ..ConvertOptions::default() };
    let from = SqlType::nvarchar(4000, C);
    convert(ValueRef::Unicode(&wide), &from, ty, &options, &arena).unwrap().to_owned()
}

/// The arguments of a call.
pub fn arguments(function: &ScalarFunction, args: &[&str]) -> SqlResult<Vec<Argument>> {
    let argument = |text: &&str| match text.strip_prefix("part:") {
        Some(part) => {
            let value = function.date_part(part)?;
            Ok(Argument { ty: SqlType::int(), value, constant: true, bare_null: false })
        }
        None => Ok(Argument::parse(text)),
    };
    args.iter().map(argument).collect()
}

/// What binding a call gives.
pub fn bind(name: &str, args: &[&str]) -> SqlResult<Inferred> {
    let function = Library.scalar(name).unwrap_or_else(|| panic!("{name} is not in the library"));
    let args = arguments(function, args)?;
    let args: Vec<ArgType<'_>> = args.iter().map(Argument::arg_type).collect();
    function.bind(&args, Typing { collation: C })
}

/// The type of a call's result as text, `not null` where it is never NULL.
pub fn type_of(name: &str, args: &[&str]) -> String {
    let inferred = bind(name, args).unwrap();
    let not_null = if inferred.nullable { "" } else { " not null" };
    format!("{}{not_null}", inferred.ty)
}

/// The result of a call as text.
pub fn run(name: &str, args: &[&str]) -> SqlResult<String> {
    run_in(&TestSession::default(), name, args)
}

/// As `run`, in this session.
pub fn run_in(session: &TestSession, name: &str, args: &[&str]) -> SqlResult<String> {
    let function = Library.scalar(name).unwrap_or_else(|| panic!("{name} is not in the library"));
    call(session, function, args)
}

/// Binds, converts and evaluates as the binder and the interpreter do.
pub fn call(session: &TestSession, function: &ScalarFunction, args: &[&str]) -> SqlResult<String> {
    let arguments = arguments(function, args)?;
    let known: Vec<ArgType<'_>> = arguments.iter().map(Argument::arg_type).collect();
    let inferred = function.bind(&known, Typing { collation: C })?;
    let arena = Arena::new();
    let options = ConvertOptions { dates: session.dates, ..ConvertOptions::default() };
    let values: Vec<ValueRef<'_>> = arguments
        .iter()
        .zip(&inferred.args)
        .map(|(arg, to)| convert(arg.value.as_ref(), &arg.ty, to, &options, &arena))
        .collect::<SqlResult<_>>()?;
    if function.nulls == NullBehaviour::Strict && values.iter().any(ValueRef::is_null) {
        return Ok("NULL".into());
    }
    let types = CallTypes::from(&inferred);
    let mut context = FnContext { arena: &arena, facts: session, task: None, memo: None };
    let value = (function.eval)(&mut context, &values, &types)?;
    assert!(inferred.nullable || !value.is_null(), "{} promises not to be NULL", function.name);
    if let ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) = value {
        let fits =
            b.len() <= types.result.byte_limit() || types.result.kind.repr() == Repr::Variant;
        assert!(fits, "{} does not fit {}", function.name, types.result);
    }
    Ok(shown(value, &types.result))
}

/// A value as text.
pub fn shown(value: ValueRef<'_>, ty: &SqlType) -> String {
    match value {
        ValueRef::Null => return "NULL".into(),
        ValueRef::Float(v) => return v.to_string(),
        _ => {}
    }
    if ty.kind.repr() == Repr::Variant {
        let (ty, value) = base::variant::content(value).expect("it is an encoding");
        return format!("{} {}", ty, shown(value, &ty));
    }
    if ty.kind.is_temporal() && ty.kind.repr() != Repr::Variant {
        assert!(Moment::of(value).to(ty) == Some(value), "{value:?} is not exact for {ty}");
    }
    let style = match ty.kind.repr() {
        Repr::Money => Some(2),
        _ if ty.kind.is_temporal() => Some(121),
        _ => None,
    };
    match (value, style) {
        (ValueRef::Bytes(bytes), _) => {
            bytes.iter().fold("0x".into(), |text, byte| format!("{text}{byte:02X}"))
        }
        (_, Some(style)) => {
            let arena = Arena::new();
            let options = ConvertOptions { style: Some(style), ..ConvertOptions::default() };
            let text = SqlType::nvarchar(100, C);
            super::values::text(convert(value, ty, &text, &options, &arena).unwrap(), C)
        }
        _ => base::convert::display(value, ty),
    }
}

/// Checks results of calls.
#[track_caller]
pub fn check(cases: &[(&str, &[&str], &str)]) {
    check_in(&TestSession::default(), cases);
}

/// Checks results of calls in a session.
#[track_caller]
pub fn check_in(session: &TestSession, cases: &[(&str, &[&str], &str)]) {
    for (name, args, expected) in cases {
        let result = run_in(session, name, args).unwrap_or_else(|e| format!("{e}"));
        assert_eq!(result, *expected, "{name}({})", args.join(", "));
    }
}

/// Checks types of results.
#[track_caller]
pub fn check_types(cases: &[(&str, &[&str], &str)]) {
    for (name, args, expected) in cases {
        assert_eq!(type_of(name, args), *expected, "{name}({})", args.join(", "));
    }
}

/// Checks the number and text of errors, of binding or evaluation.
#[track_caller]
pub fn check_errors(cases: &[(&str, &[&str], i32, &str)]) {
    for (name, args, number, text) in cases {
        let error = run(name, args).expect_err(name);
        let got = (error.number(), error.text());
        assert_eq!(got, (*number, *text), "{name}({})", args.join(", "));
    }
}
