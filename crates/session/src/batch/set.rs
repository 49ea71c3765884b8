//! `SET` of options.

use std::sync::Arc;

use base::convert::{convert, display};
use base::datetime::{DateOrder, Language};
use base::types::conversion::{Convertibility, convertibility};
use base::{Arena, ConvertOptions, SqlError, SqlType, Value, ValueRef, message};
use engine::catalog::def::Permission;
use run::interp::Frame;
use tsql::ast::{self, SetOption, StatisticsKind, ValueOption};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::program::{Program, Step};
use crate::response::EnvironmentChange;

/// Bytes of `CONTEXT_INFO`.
const CONTEXT_INFO_LEN: usize = 128;
/// What `SET TEXTSIZE 0` means.
const TEXTSIZE_DEFAULT: i32 = 4096;

impl Context<'_> {
    /// `SET` of an option.
    pub(super) fn set_option(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        option: &SetOption,
        frame: &mut Frame,
    ) -> Run<()> {
        match option {
            SetOption::Switch { options, on } => {
                for option in options {
                    self.session.options.switch(*option, *on);
                }
            }
            SetOption::Value { option, value } => {
                self.set_value(program, step, *option, value, frame)?;
            }
            SetOption::Statistics { kinds, on } => {
                for kind in kinds {
                    match kind {
                        StatisticsKind::Io => self.session.options.statistics_io = *on,
                        StatisticsKind::Time => self.session.options.statistics_time = *on,
                        StatisticsKind::Profile => self.session.options.statistics_profile = *on,
                        StatisticsKind::Xml => self.session.options.statistics_xml = *on,
                    }
                }
            }
            SetOption::IdentityInsert { table, on } => self.identity_insert(table, *on)?,
            SetOption::Isolation(level) => self.session.options.isolation = *level,
            SetOption::Offsets { .. } => {}
        }
        // `SET` leaves counts alone, but for a success.
        self.done_setting()
    }

    fn set_value(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        option: ValueOption,
        value: &ast::Expr,
        frame: &mut Frame,
    ) -> Run<()> {
        let (value, ty) = self.option_value(program, step, value, frame)?;
        let text = if value.is_null() { String::new() } else { display(value.as_ref(), &ty) };
        let number = || text.trim().parse::<i64>().ok();
        let session = &mut *self.session;
        match option {
            ValueOption::ContextInfo => {
                // What becomes binary without being asked, does so here, too.
                let binary = SqlType::varbinary(CONTEXT_INFO_LEN as u16);
                let converts = ty.kind.is_binary()
                    || !ty.kind.is_character()
                        && convertibility(ty.kind, binary.kind) == Convertibility::Implicit;
                let arena = Arena::new();
                let options = ConvertOptions::default();
                let made = converts
                    .then(|| convert(value.as_ref(), &ty, &binary, &options, &arena))
                    .transpose()?;
                let Some(ValueRef::Bytes(bytes)) = made else {
                    let args: [&dyn std::fmt::Display; 2] = [&"SET CONTEXT_INFO", &"binary"];
                    return Err(SqlError::new(&message::SET_COMMAND_NEEDS_ARGUMENT, &args).into());
                };
                let mut info = bytes.to_vec();
                info.resize(CONTEXT_INFO_LEN, 0);
                session.context_info = Some(info.clone().into());
                session.entry.status().context_info = Some(info.into());
            }
            ValueOption::DateFirst => match number() {
                Some(day @ 1..=7) => session.options.dates.first_day = day as u8,
                _ => return Err(SqlError::new(&message::DATEFIRST_INVALID, &[&text]).into()),
            },
            ValueOption::DateFormat => match DateOrder::parse(&text) {
                Some(order) => session.options.dates.order = order,
                None => return Err(SqlError::new(&message::DATEFORMAT_INVALID, &[&text]).into()),
            },
            ValueOption::DeadlockPriority => {
                let named = [("LOW", -5), ("NORMAL", 0), ("HIGH", 5)];
                let name = named.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
                let priority = name.map(|(_, p)| *p).or_else(number);
                let Some(priority @ -10..=10) = priority else {
                    let args: [&dyn std::fmt::Display; 2] = [&-10, &10];
                    return Err(SqlError::new(&message::DEADLOCK_PRIORITY_INVALID, &args).into());
                };
                session.options.deadlock_priority = priority as i8;
                session.entry.owner.set_deadlock_priority(priority as i8);
            }
            ValueOption::FipsFlagger | ValueOption::QueryGovernorCostLimit => {}
            ValueOption::Language => self.set_language(&text, step.line)?,
            ValueOption::LockTimeout => {
                let timeout = number().and_then(|n| i32::try_from(n).ok()).unwrap_or(-1).max(-1);
                session.options.settings.lock_timeout = timeout;
                session.entry.owner.set_lock_timeout(i64::from(timeout));
            }
            ValueOption::RowCount => match number() {
                Some(limit) if limit >= 0 => session.options.row_limit = limit as u64,
                _ => return Err(SqlError::new(&message::SET_ROWCOUNT_INVALID, &[]).into()),
            },
            ValueOption::TextSize => {
                let size = match number().and_then(|n| i32::try_from(n).ok()) {
                    Some(0) => TEXTSIZE_DEFAULT,
                    Some(size) if size >= -1 => size,
                    _ => return Err(SqlError::new(&message::TEXTSIZE_INVALID, &[]).into()),
                };
                session.options.settings.textsize = size;
                self.writer.set_text_size(usize::try_from(size).unwrap_or(usize::MAX));
            }
        }
        Ok(())
    }

    /// A word or constant, or a variable's value.
    fn option_value(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        value: &ast::Expr,
        frame: &mut Frame,
    ) -> Run<(Value, SqlType)> {
        if let ast::ExprKind::Column(word) = &value.kind {
            let text = &word.column.name;
            let ty = SqlType::nvarchar(text.len().clamp(1, 4000) as u16, base::Collation::DEFAULT);
            return Ok((Value::unicode(text), ty));
        }
        self.value_of(program, step, frame, value, None)
    }

    /// `SET LANGUAGE`.
    fn set_language(&mut self, name: &str, line: u32) -> Run<()> {
        let Some(language) = Language::by_name(name) else {
            return Err(SqlError::new(&message::LANGUAGE_NOT_OFFICIAL, &[&name]).into());
        };
        let before = self.session.options.dates.language;
        self.session.options.set_language(language);
        let change = EnvironmentChange::Language(language, before);
        self.environment(&change).map_err(Fault::lost)?;
        let changed = SqlError::new(&message::CONTEXT_LANGUAGE_CHANGED, &[&language.name]);
        self.inform(changed.at_line(line)).map_err(Fault::lost)
    }

    /// `SET IDENTITY_INSERT`. Errors 1088, 8106, 8107.
    fn identity_insert(&mut self, name: &ast::ObjectName, on: bool) -> Run<()> {
        let missing = || SqlError::new(&message::CANNOT_FIND_OBJECT, &[&name.to_string()]);
        let Some((database, table)) = self.find_table(name)? else { return Err(missing().into()) };
        if table.identity_column().is_none() {
            let message = &message::IDENTITY_INSERT_NO_IDENTITY;
            return Err(SqlError::new(message, &[&name.to_string()]).into());
        }
        self.demand_on_object(database, table.id(), Permission::Alter)?;
        let this = (database, table.id());
        match self.session.identity_insert {
            _ if !on => {
                if self.session.identity_insert == Some(this) {
                    self.session.identity_insert = None;
                }
            }
            Some(other) if other != this && self.table_exists(other.0, other.1) => {
                let schema = self.schema(other.0)?;
                let held = schema.table(other.1).map(|t| t.header.name.clone());
                let instance = self.instance();
                let shown = instance.database_name(other.0);
                let held = held.unwrap_or_else(|| "".into());
                let args: [&dyn std::fmt::Display; 4] = [&shown, &"dbo", &held, &name.to_string()];
                return Err(SqlError::new(&message::IDENTITY_INSERT_BUSY, &args).into());
            }
            _ => self.session.identity_insert = Some(this),
        }
        Ok(())
    }

    fn table_exists(&self, database: base::ids::DbId, table: base::ids::ObjectId) -> bool {
        self.schema(database).is_ok_and(|schema| schema.table(table).is_some())
    }
}
