//! The documents that `EVENTDATA()` returns.

use base::datetime::civil::{Civil, DAYS_1900};
use base::value::DateTime;
use base::xml::{Sink, escape};
use base::{Pace, SqlResult};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::catalog::LOGON;
use engine::catalog::def::{LoginDef, PrincipalDef, PrincipalKind};
use ir::function::facts::StatementPace;

use super::{Context, Event, Principal};

/// Bytes of text that are escaped together.
const PIECE: usize = 8 << 10;

/// What a login is told by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logon {
    /// The session is one that its client uses anew.
    pub pooled: bool,
}

/// A text that is written element by element.
#[derive(Default)]
pub(super) struct Elements(String);

impl Sink for Elements {
    fn put(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.0.push_str(&String::from_utf8_lossy(bytes));
        Ok(())
    }
}

impl Elements {
    /// An element with a text; an empty one is written as such.
    pub fn add(mut self, name: &str, text: &str) -> Elements {
        self.put_element(name, text);
        self
    }

    fn put_element(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            self.0 += &format!("<{name}/>");
            return;
        }
        self.0 += &format!("<{name}>");
        // A string takes whatever is put.
        let _ = escape::text(&xml_text(text), self);
        self.0 += &format!("</{name}>");
    }

    /// An element with elements in it, each with one of these texts; nothing without any.
    pub fn list<'t>(
        mut self,
        name: &str,
        each: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Elements {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.0 += &format!("<{name}>");
            texts.for_each(|text| self.put_element(each, text));
            self.0 += &format!("</{name}>");
        }
        self
    }

    /// An element around others; nothing around nothing.
    pub fn around(mut self, name: &str, inner: Elements) -> Elements {
        if !inner.0.is_empty() {
            self.0 += &format!("<{name}>{}</{name}>", inner.0);
        }
        self
    }

    /// These elements, then others.
    pub fn followed_by(mut self, others: Elements) -> Elements {
        self.0 += &others.0;
        self
    }

    /// The text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// A text without the characters that a document cannot have.
fn xml_text(text: &str) -> std::borrow::Cow<'_, str> {
    let is_none = |c: char| {
        c < ' ' && !matches!(c, '\t' | '\n' | '\r') || ('\u{fffe}'..='\u{ffff}').contains(&c)
    };
    match text.contains(is_none) {
        true => text.replace(is_none, "?").into(),
        false => text.into(),
    }
}

/// The event of a login.
pub(super) fn logon_event() -> Event {
    Event {
        kind: &LOGON,
        database: None,
        named: None,
        facts: String::new(),
        principal: None,
        creates: None,
        encrypted: false,
    }
}

/// What all documents begin with.
fn beginning(context: &Context<'_>, kind: &str) -> Elements {
    let session = &context.session;
    Elements::default()
        .add("EventType", kind)
        .add("PostTime", &post_time(context.now()))
        .add("SPID", &session.id().0.to_string())
        .add("ServerName", &session.instance.facts().name)
        .add("LoginName", &session.identity.login().name)
}

/// The document about an event of the catalog. Error 701.
pub(super) fn of_event(context: &Context<'_>, event: &Event, command: &str) -> SqlResult<String> {
    // References take up to six times the room of what they stand for.
    context.runtime.grant.account().admit(command.len().saturating_mul(3))?;
    let mut out = beginning(context, event.kind.name);
    if let Some(database) = event.database {
        let user = context.user(database)?.id;
        let schema = context.schema(database)?;
        let user = schema.principals().get(user).map_or("dbo", |user| &user.name);
        let name = context.session.instance.database_name(database);
        out = out.add("UserName", user).add("DatabaseName", &name);
    } else if let Some(name) = &event.named {
        out = out.add("DatabaseName", name);
    }
    out.0 += &event.facts;
    out = principal(context, event, out)?;
    let settings = &context.session.options.settings;
    let on = |on: bool| if on { "ON" } else { "OFF" };
    out.0 += &format!(
        "<TSQLCommand><SetOptions ANSI_NULLS=\"{}\" ANSI_NULL_DEFAULT=\"{}\" ANSI_PADDING=\"{}\" \
         QUOTED_IDENTIFIER=\"{}\" ENCRYPTED=\"{}\"/><CommandText>",
        on(settings.ansi_nulls),
        on(settings.ansi_null_default_on),
        on(settings.ansi_padding),
        on(settings.quoted_identifier),
        if event.encrypted { "TRUE" } else { "FALSE" },
    );
    let command = if event.encrypted { "--ENCRYPTED--" } else { command };
    put_paced(&mut out, command, &StatementPace(context.task))?;
    out.0 += "</CommandText></TSQLCommand>";
    Ok(format!("<EVENT_INSTANCE>{}</EVENT_INSTANCE>", out.0))
}

/// A long text, while other sessions have their turn.
fn put_paced(out: &mut Elements, text: &str, pace: &dyn Pace) -> SqlResult<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = PIECE.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        escape::text(&xml_text(piece), out)?;
        pace.pace()?;
        rest = after;
    }
    Ok(())
}

/// What a document says of the principal that an event is about, where it is there.
fn principal(context: &Context<'_>, event: &Event, out: Elements) -> SqlResult<Elements> {
    Ok(match &event.principal {
        None => out,
        Some(Principal::Login(name)) => match context.master_schema().find_login(name) {
            Some(login) => of_login(out, login),
            None => out,
        },
        Some(Principal::User(name)) => {
            let Some(database) = event.database else { return Ok(out) };
            let schema = context.schema(database)?;
            let Some(user) = schema.find_principal(name) else { return Ok(out) };
            of_user(out, user)
        }
    })
}

/// A user or role.
pub(super) fn of_user(out: Elements, user: &PrincipalDef) -> Elements {
    let default_schema = user.default_schema.as_deref();
    let out = match user.kind {
        PrincipalKind::Role => out,
        _ => out.add("DefaultSchema", default_schema.unwrap_or("dbo")),
    };
    out.add("SID", &BASE64_STANDARD.encode(user.sid.as_deref().unwrap_or_default()))
}

/// A login or server role.
pub(super) fn of_login(out: Elements, login: &LoginDef) -> Elements {
    let out = match login.kind {
        PrincipalKind::Role => return out.add("SID", &BASE64_STANDARD.encode(&login.sid)),
        _ => out,
    };
    out.add("DefaultLanguage", login.default_language.as_deref().unwrap_or_default())
        .add("DefaultDatabase", login.default_database.as_deref().unwrap_or("master"))
        .add("LoginType", login_type(login.kind))
        .add("SID", &BASE64_STANDARD.encode(&login.sid))
}

fn login_type(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::WindowsUser => "Windows (NT) Login",
        _ => "SQL Login",
    }
}

/// The document about a login.
pub(super) fn of_logon(context: &Context<'_>, logon: &Logon) -> SqlResult<String> {
    let login = context.session.identity.original().clone();
    let connection = &context.session.entry.client.connection;
    let host = connection.client_address.as_deref().unwrap_or("<local machine>");
    let out = beginning(context, LOGON.name)
        .add("LoginType", login_type(login.kind))
        .add("SID", &BASE64_STANDARD.encode(&login.sid))
        .add("ClientHost", host)
        .add("IsPooled", if logon.pooled { "1" } else { "0" });
    Ok(format!("<EVENT_INSTANCE>{}</EVENT_INSTANCE>", out.finish()))
}

/// `2026-01-31T23:59:59.997`
fn post_time(at: DateTime) -> String {
    let Civil { year, month, day } = Civil::from_days(at.days + DAYS_1900);
    let seconds = at.ticks / 300;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let milliseconds = (at.ticks % 300 * 10 + 1) / 3;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}")
}

#[cfg(test)]
mod tests;
