//! `PRINT`, `RAISERROR`, `THROW`.

use std::sync::Arc;

use base::convert::display;
use base::datetime::US_ENGLISH;
use base::message::{self, PrintfArgument, printf, printf_translated};
use base::types::conversion::check_implicit;
use base::{SqlError, SqlResult, SqlType, TypeKind, Value, ValueRef};
use engine::catalog::def::Permission;
use run::interp::Frame;
use tsql::ast;

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::program::{Program, Step};
use crate::response::command;
use crate::session::ArithmeticNotes;

/// Characters that `PRINT` sends: of national strings, and of others.
const PRINTED_NATIONAL: usize = 4000;
const PRINTED: usize = 8000;
/// `RAISERROR` cuts its text to this many characters, dots for what is left out among them.
const RAISED: usize = 2047;
/// Characters of a format that `RAISERROR` looks at: enough for its text, whatever is substituted.
const FORMAT: usize = 4 * RAISED;
/// `RAISERROR` takes at most this many arguments.
const ARGUMENTS_MAX: usize = 20;
/// The number of messages that have none.
const USER_DEFINED: i32 = 50_000;
/// The lowest number that `RAISERROR` accepts.
const FIRST_NUMBER: i64 = 13_000;
/// Severities above this need `WITH LOG`.
const SEVERITY_LOGGED: i64 = 18;

impl Context<'_> {
    /// Messages 3606, 3607 and 3622: something that could not be computed is NULL. Within a
    /// function no message can be sent, since rows may be on their way.
    pub(crate) fn tell_arithmetic(&mut self) -> base::SqlResult<()> {
        let notes = self.session.arithmetic;
        if notes == ArithmeticNotes::default() || self.session.level().is_function() {
            return Ok(());
        }
        self.session.arithmetic = ArithmeticNotes::default();
        if self.session.options.settings.arithignore {
            return Ok(());
        }
        if notes.divided_by_zero {
            self.inform(SqlError::new(&message::DIVISION_BY_ZERO_OCCURRED, &[]))?;
        }
        if notes.overflowed {
            self.inform(SqlError::new(&message::NUMERIC_OVERFLOW_OCCURRED, &[]))?;
        }
        if notes.undefined {
            self.inform(SqlError::new(&message::DOMAIN_ERROR, &[]))?;
        }
        Ok(())
    }

    /// `PRINT`.
    pub(super) fn print(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<()> {
        let plan = self.plan_of(program, step)?;
        let plan = plan.ok_or_else(|| ir::internal("PRINT has no plan"))?;
        let (value, ty) = self.value_of_plan(&plan, frame)?;
        if ty.kind.is_opaque() {
            check_implicit(ty.kind, TypeKind::NVarChar)?;
        }
        let length = if ty.kind.is_unicode() { PRINTED_NATIONAL } else { PRINTED };
        let text = match value {
            Value::Null => " ".to_owned(),
            value => beginning(&value, &ty, length).chars().take(length).collect(),
        };
        let mut message = SqlError::custom(0, 0, 1, text).at_line(step.line);
        if let Some(name) = program.name() {
            message = message.in_procedure(name);
        }
        self.inform(message).map_err(Fault::lost)?;
        self.session.left.row_count = 0;
        self.done(command::NONE, None).map_err(Fault::lost)
    }

    /// `THROW`.
    pub(super) fn throw(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        throw: Option<&ast::Throw>,
        frame: &mut Frame,
    ) -> Run<()> {
        let Some(throw) = throw else {
            let caught = self.session.level().caught.last().cloned();
            let caught = caught.ok_or_else(|| SqlError::new(&message::THROW_OUTSIDE_CATCH, &[]))?;
            return Err(Fault::new(caught, Effect::Batch));
        };
        let number = self.integer(program, step, frame, &throw.number)?.unwrap_or(0);
        let (message, ty) = self.value_of(program, step, frame, &throw.message, None)?;
        let text =
            if message.is_null() { String::new() } else { beginning(&message, &ty, RAISED + 1) };
        let state = self.integer(program, step, frame, &throw.state)?.unwrap_or(0);
        if number < i64::from(USER_DEFINED) {
            let error = SqlError::new(&message::THROW_NUMBER_RANGE, &[&number]);
            return Err(error.into());
        }
        let text: String = text.chars().take(RAISED + 1).collect();
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let error = SqlError::custom(number, 16, state.clamp(0, 255) as u8, text);
        Err(Fault::new(error, Effect::Batch))
    }

    /// `RAISERROR`.
    pub(super) fn raise_error(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        raise: &ast::RaiseError,
        frame: &mut Frame,
    ) -> Run<()> {
        let (value, ty) = self.value_of(program, step, frame, &raise.message, None)?;
        let severity = self.integer(program, step, frame, &raise.severity)?.unwrap_or(0);
        let state = self.integer(program, step, frame, &raise.state)?.unwrap_or(1);
        if raise.arguments.len() > ARGUMENTS_MAX {
            let message = &message::RAISERROR_TOO_MANY_PARAMETERS;
            return Err(SqlError::new(message, &[&ARGUMENTS_MAX]).into());
        }
        let (number, stored) = match value {
            Value::Int(number) => (number as i32, self.stored_message(number)?),
            value => {
                let format =
                    if value.is_null() { String::new() } else { beginning(&value, &ty, FORMAT) };
                (USER_DEFINED, Stored { format, translation: None, severity: 0 })
            }
        };
        // Below zero it is the message's own.
        let severity = if severity < 0 { i64::from(stored.severity) } else { severity };
        let is_own = self.session.level().module.as_ref().is_some_and(|m| m.header.ms_shipped);
        if raise.log && !is_own && !self.login_may(Permission::AlterTrace) {
            return Err(SqlError::new(
                &message::RAISERROR_LOG_PERMISSION,
                &[&"WITH LOG", &"RAISERROR"],
            )
            .into());
        }
        if severity > SEVERITY_LOGGED && !(raise.log && self.session.is_sysadmin()) {
            let message = &message::RAISERROR_SEVERITY_NEEDS_LOG;
            return Err(SqlError::new(message, &[&SEVERITY_LOGGED]).into());
        }
        let mut values = Vec::with_capacity(raise.arguments.len());
        for (at, argument) in raise.arguments.iter().enumerate() {
            let (value, ty) = self.value_of(program, step, frame, argument, None)?;
            values.push(substitution(&value, &ty, at + 1)?);
        }
        let arguments: Vec<PrintfArgument<'_>> = values.iter().map(Substitution::get).collect();
        let text = shortened(stored.print(&arguments)?);
        let severity = severity.min(25) as u8;
        let state = if state < 0 { 1 } else { state.min(255) as u8 };
        let error = SqlError::custom(number, severity, state, text);
        self.raised(program, step, error, raise)
    }

    fn raised(
        &mut self,
        program: &Program,
        step: &Step,
        error: SqlError,
        raise: &ast::RaiseError,
    ) -> Run<()> {
        if raise.log {
            self.session.instance.note(&error);
        }
        if error.severity() > 10 {
            let effect = if error.severity() >= 20 { Effect::Session } else { Effect::Nothing };
            return Err(Fault::new(error, effect));
        }
        let number = error.number();
        let mut error = error.at_line(step.line);
        if let Some(name) = program.name() {
            error = error.in_procedure(name);
        }
        self.inform(error).map_err(Fault::lost)?;
        if raise.no_wait {
            self.writer.flush(self.task).map_err(Fault::lost)?;
        }
        self.session.left.row_count = 0;
        self.done(command::NONE, None).map_err(Fault::lost)?;
        self.session.left.error = if raise.set_error { number } else { 0 };
        Ok(())
    }

    /// A message by its number, in the session's language if it is there. Errors 2732, 2758.
    fn stored_message(&self, number: i64) -> SqlResult<Stored> {
        if !(FIRST_NUMBER..=i64::from(i32::MAX)).contains(&number)
            || number == i64::from(USER_DEFINED)
        {
            let args: [&dyn std::fmt::Display; 3] = [&number, &FIRST_NUMBER, &i32::MAX];
            return Err(SqlError::new(&message::RAISERROR_NUMBER_RANGE, &args));
        }
        let number = number as i32;
        let master = self.session.instance.databases().master().current();
        if let Some(original) = master.server().message(number, US_ENGLISH.message_language) {
            let language = self.session.options.dates.language.message_language;
            let spoken = master.server().message(number, language);
            let spoken = spoken.filter(|spoken| spoken.language != original.language);
            return Ok(Stored {
                format: original.text.to_string(),
                translation: spoken.map(|spoken| spoken.text.to_string()),
                severity: original.severity,
            });
        }
        match message::Message::find(number) {
            Some(known) => {
                let format = known.text.to_owned();
                Ok(Stored { format, translation: None, severity: known.severity })
            }
            None => Err(SqlError::new(&message::RAISERROR_NUMBER_NOT_FOUND, &[&number])),
        }
    }

    /// An integer, or NULL.
    pub(crate) fn integer(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        value: &ast::Expr,
    ) -> Run<Option<i64>> {
        match self.value_of(program, step, frame, value, Some(SqlType::bigint()))?.0 {
            Value::Int(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// A string, or `None` for NULL.
    pub(crate) fn text(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        value: &ast::Expr,
    ) -> Run<Option<String>> {
        let (value, ty) = self.value_of(program, step, frame, value, None)?;
        Ok((!value.is_null()).then(|| display(value.as_ref(), &ty)))
    }
}

/// What `RAISERROR` prints.
struct Stored {
    format: String,
    /// The same in the session's language.
    translation: Option<String>,
    severity: u8,
}

impl Stored {
    fn print(&self, arguments: &[PrintfArgument<'_>]) -> SqlResult<String> {
        match &self.translation {
            Some(translation) => printf_translated(&self.format, translation, arguments),
            None => printf(&self.format, arguments),
        }
    }
}

/// An argument of `RAISERROR`.
enum Substitution {
    Null,
    Int(i32),
    BigInt(i64),
    Text(String),
}

impl Substitution {
    fn get(&self) -> PrintfArgument<'_> {
        match self {
            Substitution::Null => PrintfArgument::Null,
            Substitution::Int(v) => PrintfArgument::Int(*v),
            Substitution::BigInt(v) => PrintfArgument::BigInt(*v),
            Substitution::Text(v) => PrintfArgument::Text(v),
        }
    }
}

/// What `RAISERROR` sends of a text.
fn shortened(text: String) -> String {
    match text.chars().nth(RAISED) {
        Some(_) => text.chars().take(RAISED - 3).chain("...".chars()).collect(),
        None => text,
    }
}

/// A value as text, at least this many characters of a long one.
fn beginning(value: &Value, ty: &SqlType, chars: usize) -> String {
    // No character takes more bytes.
    let cut = |bytes: &[u8]| bytes.len().min(4 * chars);
    let value = match value.as_ref() {
        ValueRef::Chars(text) => ValueRef::Chars(&text[..cut(text)]),
        ValueRef::Unicode(text) => ValueRef::Unicode(&text[..cut(text)]),
        other => other,
    };
    display(value, ty)
}

/// Error 2748 for types that cannot be substituted.
fn substitution(value: &Value, ty: &SqlType, ordinal: usize) -> SqlResult<Substitution> {
    use TypeKind as K;
    Ok(match (value, ty.kind) {
        (Value::Null, _) => Substitution::Null,
        (Value::Int(v), K::TinyInt | K::SmallInt | K::Int) => Substitution::Int(*v as i32),
        (Value::Int(v), K::BigInt) => Substitution::BigInt(*v),
        (Value::Chars(_) | Value::Unicode(_), _) => {
            Substitution::Text(beginning(value, ty, RAISED))
        }
        _ => {
            let message = &message::RAISERROR_PARAMETER_TYPE;
            return Err(SqlError::new(message, &[&ty.kind, &ordinal]));
        }
    })
}
