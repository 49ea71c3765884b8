//! `sp_addmessage` and `sp_dropmessage`.

use std::sync::Arc;

use base::datetime::Language;
use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::MessageDef;
use engine::catalog::{Definition, DefinitionKey};

use super::Arguments;
use crate::context::Context;

/// Users' messages have greater numbers.
const NUMBER_MIN: i64 = 50_000;

const ENGLISH: i16 = 1033;

/// `sp_addmessage`. Errors 15033, 15040, 15041, 15043, 15247, 15279, 15304.
pub fn add(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let number = arguments.int("@msgnum").unwrap_or_default();
    if number <= NUMBER_MIN {
        return Err(SqlError::new(&message::SP_MESSAGE_NUMBER, &[]));
    }
    let severity = arguments.int("@severity").unwrap_or_default();
    if !(1..=25).contains(&severity) {
        return Err(SqlError::new(&message::SP_MESSAGE_SEVERITY, &[]));
    }
    let said = arguments.text("@lang");
    let language = language(context, said.as_deref())?;
    let is = |name: &str, wanted: &str| {
        arguments.text(name).is_some_and(|given| given.eq_ignore_ascii_case(wanted))
    };
    let def = MessageDef {
        id: number as i32,
        language,
        severity: severity as u8,
        event_logged: is("@with_log", "true"),
        text: arguments.text("@msgtext").unwrap_or_default().into(),
    };
    let replaces = is("@replace", "replace");
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        let master = context.schema(DbId::MASTER)?;
        let known = |language| {
            let found = master.server().message(def.id, language);
            found.filter(|found| found.language == language)
        };
        if language != ENGLISH {
            let own = context.session.options.dates.language.name;
            let name = said.as_deref().unwrap_or(own);
            let Some(original) = known(ENGLISH) else {
                return Err(SqlError::new(&message::SP_MESSAGE_US_ENGLISH, &[&name]));
            };
            if original.severity != def.severity {
                let args: [&dyn std::fmt::Display; 2] = [&name, &original.severity];
                return Err(SqlError::new(&message::SP_MESSAGE_SEVERITY_DIFFERS, &args));
            }
        }
        if known(language).is_some() && !replaces {
            return Err(SqlError::new(&message::SP_MESSAGE_EXISTS, &[]));
        }
        context.change(DbId::MASTER, |task, part, edit| {
            edit.put(task, part, Definition::Message(Arc::new(def.clone())))
        })
    })?;
    Ok(0)
}

/// `sp_dropmessage`: in one language, or in all. Errors 15033, 15179, 15247.
pub fn drop(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let number = arguments.int("@msgnum").unwrap_or_default();
    let said = arguments.text("@lang");
    let only = match said.as_deref() {
        Some(name) if name.eq_ignore_ascii_case("all") => None,
        name => Some(language(context, name)?),
    };
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        let master = context.schema(DbId::MASTER)?;
        // Without the message in English there is none in any language.
        let all = only.is_none_or(|language| language == ENGLISH);
        let gone: Vec<DefinitionKey> = (master.server().messages())
            .filter(|m| i64::from(m.id) == number && (all || Some(m.language) == only))
            .map(|m| Definition::Message(m.clone()).key())
            .collect();
        if gone.is_empty() {
            return Err(SqlError::new(&message::SP_MESSAGE_UNKNOWN, &[&number]));
        }
        for key in gone {
            context.change(DbId::MASTER, |task, part, edit| edit.drop(task, part, key))?;
        }
        Ok(())
    })?;
    Ok(0)
}

/// The id of a language by its name, or of the session's. Error 15033.
fn language(context: &Context<'_>, name: Option<&str>) -> SqlResult<i16> {
    let language = match name {
        None => context.session.options.dates.language,
        Some(name) => Language::by_name(name)
            .ok_or_else(|| SqlError::new(&message::SP_LANGUAGE_UNKNOWN, &[&name]))?,
    };
    Ok(language.message_language)
}
