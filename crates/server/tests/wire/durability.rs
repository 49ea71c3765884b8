//! What was acknowledged survives the end of the process.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir};

fn count(connection: &mut Connection, text: &str) -> u64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(count) => count.unsigned_abs(),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn acknowledged_inserts_survive_a_kill() {
    const WRITERS: u64 = 4;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.execute("create table t (writer int not null, n int not null)").unwrap();
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for (writer, counter) in acknowledged.iter().enumerate() {
            let options = server.options();
            scope.spawn(move || {
                let Ok(mut connection) = Connection::connect(&options) else { return };
                for n in 1_u64.. {
                    let text = format!("insert t values ({writer}, {n})");
                    if connection.execute(&text).is_err() {
                        return;
                    }
                    counter.store(n, SeqCst);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        server.kill();
    });
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    for (writer, counter) in acknowledged.iter().enumerate() {
        let promised = counter.load(SeqCst);
        assert!(promised > 0, "there was time for some");
        let kept =
            count(&mut connection, &format!("select count(*) from t where writer = {writer}"));
        let last = count(&mut connection, &format!("select max(n) from t where writer = {writer}"));
        assert!(kept == last, "rows are kept in order");
        // The last one may have been written and not acknowledged.
        assert!(kept == promised || kept == promised + 1, "{promised} promised, {kept} kept");
    }
}
