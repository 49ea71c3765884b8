//! What is known of a function before it is called.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use base::datetime::DatePart;
use base::{Collation, SqlError, SqlResult, SqlType, Value, ValueRef, message};

use super::facts::FnContext;
use super::signature::Call;

/// Computes a result from arguments of the given types (F1, F2).
pub type Evaluate =
    for<'a> fn(&mut FnContext<'a>, &[ValueRef<'a>], &CallTypes) -> SqlResult<ValueRef<'a>>;

/// Decides the types of a call, or says what is wrong with the arguments.
pub type Infer = fn(&Call<'_>) -> SqlResult<Inferred>;

/// A scalar function of the library.
pub struct ScalarFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// What happens when an argument is NULL.
    pub nulls: NullBehaviour,
    /// When it must be evaluated anew. A call may be more constant than its function, see
    /// [`Inferred::volatility`].
    pub volatility: Volatility,
    /// Where it may be written.
    pub placement: Placement,
    /// Whether SQL Server takes it in natively compiled modules, too.
    pub native: bool,
    /// Whether its first argument is the bare name of a date part, which the binder passes as
    /// [`ScalarFunction::date_part`] has it.
    pub takes_date_part: bool,
    /// Whether its result is JSON text, which other such functions take in as it is.
    pub json: bool,
    /// Whether the binder tells it in a last argument which of the others are JSON text, see
    /// [`super::json::Marks`].
    pub takes_marks: bool,
    /// Whether its other strings are not compared with its first, a document: paths into it, and
    /// what is put there. The result has the collation of the first.
    pub of_document: bool,
    /// The least and the most arguments that it takes, see [`ANY_NUMBER`]; the binder's own is not
    /// counted.
    pub arguments: (u8, u8),
    /// Computes the result.
    pub eval: Evaluate,
    /// Decides the types of a call.
    pub infer: Infer,
}

/// What happens when an argument is NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullBehaviour {
    /// The result is NULL; the function is not called.
    Strict,
    /// The function decides.
    Own,
    /// The result is the first argument that is not NULL; those after it are not evaluated.
    FirstKnown,
}

/// When a function must be evaluated anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Volatility {
    /// Equal arguments always give equal results: it may be folded, persisted and indexed.
    Deterministic,
    /// Equal arguments give equal results within a statement: `GETDATE()`, `OBJECT_NAME(5)`,
    /// `DATENAME(month, d)`.
    RuntimeConstant,
    /// Every evaluation may give another result: `NEWID()`.
    Volatile,
}

/// Where a function may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Wherever an expression may stand.
    Anywhere,
    /// Not in users' functions, since it changes something: error 443.
    OutsideFunctions,
    /// Only as the whole of a `DEFAULT`: error 302.
    DefaultOnly,
}

/// What the binder knows about an argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgType<'a> {
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Its value, if it is a literal or folded to one.
    pub constant: Option<&'a Value>,
    /// Whether it is the bare word NULL, whose `ty` says nothing.
    pub bare_null: bool,
    /// Whether it is JSON text.
    pub json: bool,
}

impl<'a> ArgType<'a> {
    /// An argument that may be NULL and whose value is not known.
    pub fn of(ty: SqlType) -> ArgType<'a> {
        ArgType { ty, nullable: true, constant: None, bare_null: false, json: false }
    }

    /// A constant.
    pub fn constant(ty: SqlType, value: &'a Value) -> ArgType<'a> {
        let nullable = value.is_null();
        ArgType { ty, nullable, constant: Some(value), bare_null: false, json: false }
    }

    /// The bare word NULL.
    pub const BARE_NULL: ArgType<'static> = ArgType {
        ty: SqlType::int(),
        nullable: true,
        constant: Some(&Value::Null),
        bare_null: true,
        json: false,
    };
}

/// What a call's types depend on besides its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Typing {
    /// The collation of the call: that of its character arguments, combined by their labels (the
    /// binder raises 446 or 468 where that fails), or the database's if it has none. The result has
    /// the combined label, or else the database's default one.
    pub collation: Collation,
}

/// The types of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Inferred {
    /// The type of the result.
    pub ty: SqlType,
    /// Whether the result may be NULL. Mostly so even for arguments that are not: that is what SQL
    /// Server reports to clients.
    pub nullable: bool,
    /// What each argument is converted to.
    pub args: Vec<SqlType>,
    /// When this call must be evaluated anew.
    pub volatility: Volatility,
}

impl Inferred {
    /// The same result, never NULL.
    pub fn not_null(mut self) -> Inferred {
        self.nullable = false;
        self
    }

    /// The same result, evaluated as often as this says.
    pub fn with_volatility(mut self, volatility: Volatility) -> Inferred {
        self.volatility = volatility;
        self
    }
}

/// The types of a bound call, for evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct CallTypes {
    /// The type of each argument.
    pub args: Box<[SqlType]>,
    /// The type of the result.
    pub result: SqlType,
}

/// What a function has made of the constant arguments of a call, for all evaluations of it.
#[derive(Clone, Default)]
pub struct Memo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Memo {
    /// What was made, always of the same type; made now if this is the first evaluation.
    pub fn get_or_make<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> SqlResult<T>,
    ) -> SqlResult<Arc<T>> {
        let made = match self.0.get() {
            Some(made) => made,
            None => {
                let made: Arc<dyn Any + Send + Sync> = Arc::new(make()?);
                self.0.get_or_init(|| made)
            }
        };
        Ok(made.clone().downcast().expect("a call has one function, which makes one thing"))
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "made" } else { "not made" })
    }
}

impl From<&Inferred> for CallTypes {
    fn from(inferred: &Inferred) -> CallTypes {
        CallTypes { args: inferred.args.as_slice().into(), result: inferred.ty }
    }
}

impl ScalarFunction {
    /// Decides the types of a call. Errors: 174 or 189 for a wrong number of arguments, 8116 and
    /// whatever else the function has to say about its arguments. That the arguments convert
    /// implicitly to the types that result is for the caller to check.
    pub fn bind(&self, args: &[ArgType<'_>], typing: Typing) -> SqlResult<Inferred> {
        self.check_count(args.len() - usize::from(self.takes_marks))?;
        let call = Call {
            name: self.name,
            args,
            collation: typing.collation,
            volatility: self.volatility,
        };
        (self.infer)(&call)
    }

    /// Error 174 or 189 unless it takes this many arguments.
    pub fn check_count(&self, count: usize) -> SqlResult<()> {
        check_count(self.name, self.arguments, count)
    }

    /// The argument that stands for a date part of this name. Error 155 if there is none.
    pub fn date_part(&self, word: &str) -> SqlResult<Value> {
        let part = DatePart::parse(word, &self.name.to_ascii_lowercase())?;
        Ok(Value::Int(part_code(part)))
    }

    /// Whether columns computed with it may be persisted and indexed, as far as it is concerned.
    pub fn is_deterministic(&self) -> bool {
        self.volatility == Volatility::Deterministic
    }
}

/// The date parts by the numbers that stand for them in calls.
pub const DATE_PARTS: [DatePart; 15] = [
    DatePart::Year,
    DatePart::Quarter,
    DatePart::Month,
    DatePart::DayOfYear,
    DatePart::Day,
    DatePart::Week,
    DatePart::Weekday,
    DatePart::Hour,
    DatePart::Minute,
    DatePart::Second,
    DatePart::Millisecond,
    DatePart::Microsecond,
    DatePart::Nanosecond,
    DatePart::TzOffset,
    DatePart::IsoWeek,
];

/// The number that stands for a date part in a call.
pub fn part_code(part: DatePart) -> i64 {
    let at = DATE_PARTS.iter().position(|p| *p == part);
    at.expect("every part is in the table") as i64
}

/// As the most arguments that a function takes: as many as are given.
pub const ANY_NUMBER: u8 = u8::MAX;

/// Error 174 or 189 unless `count` lies in the range.
pub fn check_count(name: &str, (least, most): (u8, u8), count: usize) -> SqlResult<()> {
    let enough = count >= usize::from(least);
    if enough && (most == ANY_NUMBER || count <= usize::from(most)) {
        return Ok(());
    }
    let name = name.to_ascii_lowercase();
    Err(if least == most {
        SqlError::new(&message::FUNCTION_ARGUMENT_COUNT, &[&name, &least])
    } else {
        SqlError::new(&message::FUNCTION_ARGUMENT_RANGE, &[&name, &least, &most])
    })
}

/// How tables of functions are written.
impl ScalarFunction {
    /// A deterministic function that is NULL if an argument is.
    pub const fn strict(
        name: &'static str,
        arguments: (u8, u8),
        infer: Infer,
        eval: Evaluate,
    ) -> ScalarFunction {
        ScalarFunction {
            name,
            nulls: NullBehaviour::Strict,
            volatility: Volatility::Deterministic,
            placement: Placement::Anywhere,
            native: false,
            takes_date_part: false,
            json: false,
            takes_marks: false,
            of_document: false,
            arguments,
            eval,
            infer,
        }
    }

    /// A function that is evaluated once per statement and decides itself what NULL does.
    pub const fn fact(
        name: &'static str,
        arguments: (u8, u8),
        infer: Infer,
        eval: Evaluate,
    ) -> ScalarFunction {
        ScalarFunction::strict(name, arguments, infer, eval).own_nulls().runtime_constant()
    }

    /// The function's other strings are about its first, a document.
    pub const fn of_document(mut self) -> ScalarFunction {
        self.of_document = true;
        self
    }

    /// The function decides itself what NULL does.
    pub const fn own_nulls(mut self) -> ScalarFunction {
        self.nulls = NullBehaviour::Own;
        self
    }

    /// The first argument that is not NULL.
    pub const fn first_known(mut self) -> ScalarFunction {
        self.nulls = NullBehaviour::FirstKnown;
        self
    }

    /// Equal arguments give equal results within a statement only.
    pub const fn runtime_constant(mut self) -> ScalarFunction {
        self.volatility = Volatility::RuntimeConstant;
        self
    }

    /// The function changes something, and every evaluation gives another result.
    pub const fn volatile(mut self) -> ScalarFunction {
        self.volatility = Volatility::Volatile;
        self.placement = Placement::OutsideFunctions;
        self
    }

    /// The function changes data or state.
    pub const fn outside_functions(mut self) -> ScalarFunction {
        self.placement = Placement::OutsideFunctions;
        self
    }

    /// SQL Server takes it in natively compiled modules.
    pub const fn native(mut self) -> ScalarFunction {
        self.native = true;
        self
    }

    /// The function's first argument is the name of a date part.
    pub const fn of_date_part(mut self) -> ScalarFunction {
        self.takes_date_part = true;
        self
    }

    /// The result is JSON text.
    pub const fn json(mut self) -> ScalarFunction {
        self.json = true;
        self
    }

    /// The binder says in a last argument which of the others are JSON text.
    pub const fn marked(mut self) -> ScalarFunction {
        self.takes_marks = true;
        self
    }
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
