//! `DBCC INPUTBUFFER`, `OPENTRAN`, `USEROPTIONS`.

use std::sync::Arc;

use base::convert::{ConvertOptions, display};
use base::datetime::DateOrder;
use base::ids::{DbId, SessionId};
use base::{Collation, SqlError, SqlType, Value, message};
use engine::catalog::def::Permission;
use tsql::ast::{self, IsolationLevel, Literal};

use super::{Shown, has_option};
use crate::builtin::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::fault::Run;
use crate::instance::sessions::{SessionEntry, TransactionStatus};

const fn nvarchar(units: u16) -> SqlType {
    SqlType::nvarchar(units, Collation::DEFAULT)
}

impl Context<'_> {
    /// `INPUTBUFFER`: what a session has sent last. Errors 7955, 2571.
    pub(super) fn input_buffer(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        const COLUMNS: [RowsetColumn; 3] = [
            column("EventType", nvarchar(30), true),
            column("Parameters", SqlType::smallint(), true),
            column("EventInfo", nvarchar(4000), true),
        ];
        let id = match dbcc.arguments.first().map(|argument| &argument.kind) {
            Some(ast::ExprKind::Literal(Literal::Integer(id))) => *id,
            _ => return Err(SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&1]).into()),
        };
        let own = i32::from(self.session.id().0) == id;
        if !own && !self.login_may(Permission::ViewServerState) {
            let login = self.session.identity.login().name.clone();
            let args: [Shown; 2] = [&login, &"INPUTBUFFER"];
            return Err(SqlError::new(&message::DBCC_PERMISSION, &args).into());
        }
        let session = i16::try_from(id).ok().map(SessionId);
        let entry = session.and_then(|id| self.session.instance.sessions.get(id));
        let Some(entry) = entry else {
            return Err(SqlError::new(&message::DBCC_INVALID_SPID, &[&id]).into());
        };
        let last: String = entry.status().last_text.chars().take(4000).collect();
        let row = match last.is_empty() {
            true => vec![text(Some("No Event")), Value::Null, Value::Null],
            false => vec![text(Some("Language Event")), int(0), text(Some(&last))],
        };
        Ok(ResultSet::new(&COLUMNS).send(self, &[row])?)
    }

    /// `OPENTRAN`: the oldest transaction in a database. Errors 2520, 2571.
    pub(super) fn open_transaction(&mut self, dbcc: &ast::Dbcc) -> Run<()> {
        let database = self.dbcc_database(dbcc.arguments.first())?;
        self.demand_owner(database, "OPENTRAN")?;
        let Some((entry, transaction)) = self.oldest_transaction(database)? else {
            return match super::informs(dbcc) {
                true => self.tell(SqlError::new(&message::DBCC_NO_OPEN_TRANSACTIONS, &[])),
                false => Ok(()),
            };
        };
        let shown = self.shown_transaction(&entry, &transaction)?;
        if has_option(dbcc, "TABLERESULTS") {
            const COLUMNS: [RowsetColumn; 2] = [column("", NAME, true), column("", NAME, true)];
            const NAMES: [&str; 6] = [
                "OLDACT_SPID",
                "OLDACT_UID",
                "OLDACT_NAME",
                "OLDACT_LSN",
                "OLDACT_STARTTIME",
                "OLDACT_SID",
            ];
            let row = |(name, value): (&str, &String)| vec![text(Some(name)), text(Some(value))];
            let rows: Vec<Vec<Value>> = NAMES.into_iter().zip(&shown).map(row).collect();
            return Ok(ResultSet::new(&COLUMNS).send(self, &rows)?);
        }
        let name = self.session.instance.database_name(database);
        self.tell(SqlError::new(&message::DBCC_TRANSACTION_INFORMATION, &[&name]))?;
        self.tell(SqlError::new(&message::DBCC_OLDEST_TRANSACTION, &[&"\n"]))?;
        let lines = [
            &message::DBCC_TRANSACTION_SPID,
            &message::DBCC_TRANSACTION_UID,
            &message::DBCC_TRANSACTION_NAME,
            &message::DBCC_TRANSACTION_LSN,
            &message::DBCC_TRANSACTION_START,
            &message::DBCC_TRANSACTION_SID,
        ];
        for (line, value) in lines.into_iter().zip(&shown) {
            self.tell(SqlError::new(line, &[value]))?;
        }
        Ok(())
    }

    /// The transaction in a database that was begun first, and its session.
    fn oldest_transaction(
        &self,
        database: DbId,
    ) -> Run<Option<(Arc<SessionEntry>, TransactionStatus)>> {
        let sessions = self.session.instance.sessions.all();
        let catalog = self.catalog(database)?;
        let parts = catalog.database().manager().transactions();
        let open = parts.iter().filter_map(|part| {
            let entry = sessions.iter().find(|entry| entry.owner.id() == part.owner)?;
            let transaction = entry.status().transaction.clone()?;
            Some((entry.clone(), transaction))
        });
        Ok(open.min_by_key(|(_, transaction)| (transaction.began_utc, transaction.id)))
    }

    /// Session, user, name, place in the log, beginning and login of a transaction. Nothing of it
    /// is in the log before its commit.
    fn shown_transaction(
        &self,
        entry: &SessionEntry,
        transaction: &TransactionStatus,
    ) -> Run<[String; 6]> {
        const STYLE: i32 = 109;
        let sid = hex(&entry.status().original_login.sid);
        let began = crate::sysview::cells::utc(transaction.began_utc);
        let options = ConvertOptions { style: Some(STYLE), ..ConvertOptions::default() };
        let arena = base::Arena::new();
        let (from, to) = (SqlType::datetime(), nvarchar(30));
        let began = base::convert(began.as_ref(), &from, &to, &options, &arena)?;
        let name = match &*transaction.name {
            "" => "user_transaction",
            name => name,
        };
        Ok([
            entry.id.0.to_string(),
            "-1".to_owned(),
            name.to_owned(),
            "(0:0:0)".to_owned(),
            display(began, &to),
            sid,
        ])
    }

    /// `USEROPTIONS`: what is set. Switches that are off are left out.
    pub(super) fn user_options(&mut self) -> Run<()> {
        const COLUMNS: [RowsetColumn; 2] =
            [column("Set Option", NAME, true), column("Value", nvarchar(46), true)];
        let options = &self.session.options;
        let (settings, dates) = (&options.settings, &options.dates);
        let order = match dates.order {
            DateOrder::Mdy => "mdy",
            DateOrder::Dmy => "dmy",
            DateOrder::Ymd => "ymd",
            DateOrder::Ydm => "ydm",
            DateOrder::Myd => "myd",
            DateOrder::Dym => "dym",
        };
        let mut set: Vec<(&str, String)> = vec![
            ("textsize", settings.textsize.to_string()),
            ("language", dates.language.name.to_owned()),
            ("dateformat", order.to_owned()),
            ("datefirst", dates.first_day.to_string()),
            ("lock_timeout", settings.lock_timeout.to_string()),
        ];
        if options.row_limit > 0 {
            set.push(("rowcount", options.row_limit.to_string()));
        }
        let switches = [
            ("implicit_transactions", settings.implicit_transactions),
            ("cursor_close_on_commit", settings.cursor_close_on_commit),
            ("quoted_identifier", settings.quoted_identifier),
            ("arithabort", settings.arithabort),
            ("arithignore", settings.arithignore),
            ("nocount", settings.nocount),
            ("ansi_null_dflt_on", settings.ansi_null_default_on),
            ("ansi_null_dflt_off", settings.ansi_null_default_off),
            ("ansi_warnings", settings.ansi_warnings),
            ("ansi_padding", settings.ansi_padding),
            ("ansi_nulls", settings.ansi_nulls),
            ("concat_null_yields_null", settings.concat_null_yields_null),
            ("numeric_roundabort", settings.numeric_roundabort),
            ("xact_abort", settings.xact_abort),
        ];
        let on = switches.into_iter().filter(|(_, on)| *on);
        set.extend(on.map(|(name, _)| (name, "SET".to_owned())));
        set.push(("isolation level", self.isolation_shown()?.to_owned()));
        let row = |(name, value): &(&str, String)| vec![text(Some(name)), text(Some(value))];
        let rows: Vec<Vec<Value>> = set.iter().map(row).collect();
        Ok(ResultSet::new(&COLUMNS).send(self, &rows)?)
    }

    fn isolation_shown(&self) -> Run<&'static str> {
        let instance = self.instance();
        let access = self.session.access(self.database())?;
        let row_versions = access.with_def(&instance, |def| def.options.read_committed_snapshot);
        Ok(match self.session.options.isolation {
            IsolationLevel::ReadUncommitted => "read uncommitted",
            IsolationLevel::ReadCommitted if row_versions => "read committed snapshot",
            IsolationLevel::StatementSnapshot => "read committed snapshot",
            IsolationLevel::ReadCommitted => "read committed",
            IsolationLevel::RepeatableRead => "repeatable read",
            IsolationLevel::Snapshot => "snapshot",
            IsolationLevel::Serializable => "serializable",
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
