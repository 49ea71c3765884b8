//! Sessions of the server itself that load the tables of databases after a start, and what they
//! request.

use base::Value;
use base::ids::DbId;
use engine::recovery::LoadProgress;

use super::super::FillContext;
use super::super::cells::*;
use super::sessions::{INTERNAL_GROUP, end_of_request, options};
use crate::options::Options;

/// These sessions have these numbers; those of clients begin at 51.
const SESSIONS: std::ops::RangeInclusive<i16> = 20..=50;

/// A session that loads a database.
struct LoadingSession {
    number: i16,
    database: DbId,
    progress: LoadProgress,
}

/// The sessions; none for a session that does not see the server.
fn sessions(cx: &FillContext<'_>) -> Vec<LoadingSession> {
    if !cx.sees_server {
        return Vec::new();
    }
    let databases = cx.instance.databases().engine().databases();
    let loading = databases.iter().filter_map(|own| Some((own.id(), own.loading()?)));
    let session = |(number, (database, progress))| LoadingSession { number, database, progress };
    SESSIONS.zip(loading).map(session).collect()
}

/// Their rows of `sys.dm_exec_sessions`, which belong to the login with this sid.
pub fn push_sessions(cx: &mut FillContext<'_>, sa: &Value) {
    let now = cx.instance.env().clock().now_ns();
    for LoadingSession { number: session, database: id, progress } in sessions(cx) {
        let ms = int((now.saturating_sub(progress.began_ns) / 1_000_000) as i64);
        let began = utc(progress.began_utc);
        let who =
            [int(session), began.clone(), NULL, NULL, NULL, NULL, NULL, sa.clone(), text("sa")];
        let what = [
            NULL,
            NULL,
            text("background"),
            NULL,
            int(0),
            int(0),
            int(0),
            ms,
            int(0),
            began,
            NULL,
            int(0),
            int(0),
            int(0),
            bit(false),
        ];
        let done = int(i64::try_from(progress.done).unwrap_or(i64::MAX));
        let end = [
            int(0),
            done,
            int(0),
            sa.clone(),
            text("sa"),
            NULL,
            NULL,
            NULL,
            int(INTERNAL_GROUP),
            database(id),
            NULL,
            int(0),
            int(0),
            NULL,
        ];
        cx.push_parts(&[&who, &what, &options(&Options::default()), &end]);
    }
}

/// Their rows of `sys.dm_exec_requests`.
pub fn push_requests(cx: &mut FillContext<'_>, now: u64) {
    for LoadingSession { number: session, database: id, progress } in sessions(cx) {
        let ms = int((now.saturating_sub(progress.began_ns) / 1_000_000) as i64);
        let remaining = i64::try_from(progress.remaining_ms(now)).unwrap_or(i64::MAX);
        let start = [
            int(session),
            int(0),
            utc(progress.began_utc),
            text("background"),
            text("DB STARTUP"),
            NULL,
            NULL,
            NULL,
            NULL,
            database(id),
            int(1),
            NULL,
            int(0),
            NULL,
            int(0),
            text("MISCELLANEOUS"),
            text(""),
            int(0),
            int(0),
            int(0),
            NULL,
            Value::Float(progress.percent()),
            int(remaining),
            int(0),
        ];
        let middle = [ms, int(0), NULL, int(0), int(0), int(0)];
        let done = i64::try_from(progress.done).unwrap_or(i64::MAX);
        let end = end_of_request([int(0), int(done), int(0)], INTERNAL_GROUP);
        cx.push_parts(&[&start, &middle, &options(&Options::default()), &end]);
    }
}
