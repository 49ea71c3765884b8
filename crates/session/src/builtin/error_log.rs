//! `xp_readerrorlog`, `xp_enumerrorlogs`, `sp_readerrorlog`, `sp_enumerrorlogs`: what is in the
//! error log.

use base::datetime::civil::{Civil, DAYS_1900};
use base::value::DateTime;
use base::{Collation, SqlError, SqlResult, SqlType, Value, ValueRef, message};
use engine::catalog::def::{Permission, PrincipalId};

use super::Arguments;
use super::rows::{ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::instance::error_log::{Archive, Entry, entries};

/// The error log, of two that tools ask for; there is no agent.
const SERVER: i64 = 1;
const AGENT: i64 = 2;

/// The file server role whose members may read the error log.
const SECURITY_ADMIN: PrincipalId = PrincipalId(4);

const ENTRY: [RowsetColumn; 3] = [
    column("LogDate", SqlType::datetime(), true),
    column("ProcessInfo", SqlType::nvarchar(12, Collation::DEFAULT), true),
    column("Text", SqlType::nvarchar_max(Collation::DEFAULT), true),
];

const ARCHIVE: [RowsetColumn; 3] = [
    column("Archive #", SqlType::int(), true),
    column("Date", SqlType::nvarchar(24, Collation::DEFAULT), true),
    column("Log File Size (Byte)", SqlType::int(), true),
];

/// `sp_readerrorlog`. Error 15003 for others than security administrators.
pub fn read_as_administrator(
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    demand_role(context)?;
    let kind = arguments.int("@p2").unwrap_or(SERVER);
    let wanted =
        Wanted { texts: [arguments.text("@p3"), arguments.text("@p4")], ..Wanted::default() };
    send(context, arguments.int("@p1").unwrap_or(0), kind, &wanted)
}

/// `xp_readerrorlog`. Errors 229, 22001, 22004.
pub fn read(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    demand_execute(context, "xp_readerrorlog")?;
    let moment = |name: &str| match arguments.get(name).0 {
        ValueRef::DateTime(moment) => Some(moment),
        _ => None,
    };
    let wanted = Wanted {
        from: moment("@p5"),
        to: moment("@p6"),
        newest_first: arguments.text("@p7").is_some_and(|o| o.eq_ignore_ascii_case("desc")),
        texts: [arguments.text("@p3"), arguments.text("@p4")],
    };
    let kind = arguments.int("@p2").unwrap_or(SERVER);
    send(context, arguments.int("@p1").unwrap_or(0), kind, &wanted)
}

/// `sp_enumerrorlogs`. Error 15003.
pub fn list_as_administrator(
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    demand_role(context)?;
    send_archives(context, arguments)
}

/// `xp_enumerrorlogs`. Errors 229, 22001.
pub fn list(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    demand_execute(context, "xp_enumerrorlogs")?;
    send_archives(context, arguments)
}

/// Which entries of a file are wanted, and in which order.
#[derive(Default)]
struct Wanted {
    /// What their text must contain, in any case.
    texts: [Option<String>; 2],
    from: Option<DateTime>,
    to: Option<DateTime>,
    newest_first: bool,
}

impl Wanted {
    fn of(&self, all: Vec<Entry>) -> Vec<Entry> {
        let texts: Vec<String> = self.texts.iter().flatten().map(|t| t.to_lowercase()).collect();
        let moment = |at: DateTime| (at.days, at.ticks);
        let mut found = all;
        found.retain(|entry| {
            let text = entry.text.to_lowercase();
            texts.iter().all(|wanted| text.contains(&**wanted))
                && self.from.is_none_or(|from| moment(from) <= moment(entry.at))
                && self.to.is_none_or(|to| moment(entry.at) <= moment(to))
        });
        if self.newest_first {
            found.reverse();
        }
        found
    }
}

fn send(context: &mut Context<'_>, number: i64, kind: i64, wanted: &Wanted) -> SqlResult<i32> {
    let text_of = match (kind, u32::try_from(number)) {
        (SERVER, Ok(number)) => {
            context.off_load(move |instance, _| instance.error_log_files()?.read(number))
        }
        (AGENT, Ok(_)) => None,
        _ => return Err(invalid_parameter()),
    };
    let Some(text_of) = text_of else { return Err(not_found("xp_readerrorlog")) };
    let rows: Vec<Vec<Value>> = wanted
        .of(entries(&text_of))
        .into_iter()
        .map(|e| vec![Value::DateTime(e.at), text(Some(&e.process)), text(Some(&e.text))])
        .collect();
    ResultSet::new(&ENTRY).send(context, &rows)?;
    Ok(0)
}

fn send_archives(context: &mut Context<'_>, arguments: &Arguments<'_>) -> SqlResult<i32> {
    let archives = match arguments.int("@p1").unwrap_or(SERVER) {
        SERVER => context
            .off_load(|instance, _| instance.error_log_files().map(|files| files.archives()))
            .unwrap_or_default(),
        AGENT => Vec::new(),
        _ => return Err(invalid_parameter()),
    };
    let row = |archive: &Archive| {
        let Civil { year, month, day } = Civil::from_days(archive.written.days + DAYS_1900);
        let minutes = archive.written.ticks / 18_000;
        let date =
            format!("{month:02}/{day:02}/{year:04}  {:02}:{:02}", minutes / 60, minutes % 60);
        let size = i32::try_from(archive.size_bytes).unwrap_or(i32::MAX);
        vec![int(archive.number), text(Some(&date)), int(size)]
    };
    let rows: Vec<Vec<Value>> = archives.iter().map(row).collect();
    ResultSet::new(&ARCHIVE).send(context, &rows)?;
    Ok(0)
}

/// Error 15003 unless the session's login is a security administrator.
fn demand_role(context: &Context<'_>) -> SqlResult<()> {
    match is_security_administrator(context) {
        true => Ok(()),
        false => Err(SqlError::new(&message::SP_ONLY_DBO_ROLE, &[&"securityadmin"])),
    }
}

/// Error 229 unless the session's login is a security administrator or may see the server's state.
fn demand_execute(context: &Context<'_>, procedure: &str) -> SqlResult<()> {
    if is_security_administrator(context) || context.login_may(Permission::ViewServerState) {
        return Ok(());
    }
    let args: [&dyn std::fmt::Display; 4] =
        [&"EXECUTE", &procedure, &"mssqlsystemresource", &"sys"];
    Err(SqlError::new(&message::OBJECT_PERMISSION_DENIED, &args))
}

fn is_security_administrator(context: &Context<'_>) -> bool {
    let master = context.session.instance.databases().master().current();
    let login = context.session.identity.login().id;
    context.session.is_sysadmin() || master.server().is_member(login, SECURITY_ADMIN)
}

fn invalid_parameter() -> SqlError {
    let text = "Error executing extended stored procedure: Invalid Parameter";
    SqlError::custom(22001, 16, 1, text.to_owned())
}

fn not_found(procedure: &str) -> SqlError {
    let text =
        format!("{procedure}() returned error 2, 'The system cannot find the file specified.'");
    SqlError::custom(22004, 16, 1, text)
}
