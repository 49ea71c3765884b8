//! Cancelling, at any moment.

use std::io::Read;
use std::time::{Duration, Instant};

use tds::packet::PacketType;

use crate::support::{PATIENCE, Raw, TestServer, batch, wait_for_request, wait_until};
use crate::trace::lines;

/// Sends a batch, an attention when something else has been done, and returns all that is answered
/// to both.
fn cancelled(raw: &mut Raw, text: &str, between: impl FnOnce()) -> Vec<String> {
    raw.send(PacketType::SqlBatch, &batch(text));
    between();
    raw.send(PacketType::Attention, &[]);
    let began = Instant::now();
    let mut all = Vec::new();
    while !all.iter().any(|line: &String| line.starts_with("done") && line.contains("attention")) {
        all.extend(lines(&raw.answer().expect("the session lives on")));
    }
    // Long for a busy machine, and less than a computation takes that nothing ends.
    assert!(began.elapsed() < PATIENCE / 2, "{text} took {:?}", began.elapsed());
    all
}

fn is_alive(raw: &mut Raw) {
    raw.send(PacketType::SqlBatch, &batch("select 1 as a"));
    let answer = lines(&raw.answer().expect("the session lives on"));
    assert_eq!(answer, ["columns a", "row 1", "done select 1"]);
}

/// What is shown of a request that has begun.
const IS_AT_WORK: &str = "status in ('running', 'runnable', 'suspended')";

#[test]
fn with_nothing_running() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    raw.send(PacketType::Attention, &[]);
    assert_eq!(lines(&raw.answer().unwrap()), ["done attention"]);
    is_alive(&mut raw);
}

#[test]
fn of_a_loop_of_a_wait_and_of_a_query() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let (session, mut observer) = (raw.session(), server.connect());
    for text in [
        "declare @i int = 0; while 1 = 1 set @i = (@i + 1) % 100",
        "waitfor delay '00:10:00'",
        "select count_big(*) from sys.all_columns a, sys.all_columns b, sys.all_columns c",
    ] {
        let begins = || wait_for_request(&mut observer, session, IS_AT_WORK);
        let answer = cancelled(&mut raw, text, begins);
        assert_eq!(answer.last().unwrap(), "done attention", "{text}: {answer:?}");
        is_alive(&mut raw);
    }
}

/// A function that looked at all of a long value did so to the end, and no other session was
/// answered meanwhile.
#[test]
fn of_a_computation_on_one_value() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let (session, mut observer) = (raw.session(), server.connect());
    let long = "declare @v varchar(max) = replicate(cast('ab' as varchar(max)), 20000000);";
    for expression in [
        "patindex('%' + replicate('ab', 3990) + 'z%', @v + @v)",
        "charindex(replicate('ab', 3990) + 'z', @v + @v)",
        "len(reverse(translate(@v, 'ab', 'xy')))",
        "hashbytes('sha2_512', @v + upper(@v))",
    ] {
        let text = format!("{long} while 1 = 1 begin declare @n sql_variant = {expression} end");
        let begins = || wait_for_request(&mut observer, session, IS_AT_WORK);
        let answer = cancelled(&mut raw, &text, begins);
        assert_eq!(answer.last().unwrap(), "done attention", "{expression}: {answer:?}");
        is_alive(&mut raw);
    }
}

#[test]
fn in_the_same_breath_as_the_request() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    for _ in 0..20 {
        cancelled(&mut raw, "select 1 as a", || ());
        is_alive(&mut raw);
    }
}

#[test]
fn while_a_large_result_is_sent_to_a_client_that_does_not_read() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let text = "while 1 = 1 print replicate('x', 4000)";
    // So that what lies between the two is full; it is cancelled in any case.
    let fills = || std::thread::sleep(Duration::from_millis(500));
    let answer = cancelled(&mut raw, text, fills);
    assert_eq!(answer.last().unwrap(), "done attention");
    is_alive(&mut raw);
}

#[test]
fn a_client_that_leaves_takes_its_request_along() {
    let server = TestServer::new();
    for text in [
        "declare @i int = 0; while 1 = 1 set @i = (@i + 1) % 100",
        "waitfor delay '00:10:00'",
        "while 1 = 1 print replicate('x', 4000)",
    ] {
        let (mut raw, mut observer) = (Raw::login(&server), server.connect());
        let session = raw.session();
        raw.send(PacketType::SqlBatch, &batch(text));
        wait_for_request(&mut observer, session, IS_AT_WORK);
        if text.contains("print") {
            let mut some = [0; 1000];
            raw.stream.read_exact(&mut some).unwrap();
        }
    }
    wait_until("the sessions end", || server.running().server().connections() == 0);
}
