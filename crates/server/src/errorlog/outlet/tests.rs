use std::sync::mpsc::{Receiver, Sender};

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

/// Keeps what is written, unless it is full.
#[derive(Default)]
struct Page {
    text: String,
    is_full: bool,
}

impl Target for Page {
    fn write(&mut self, text: &str) -> bool {
        if !self.is_full {
            self.text.push_str(text);
        }
        !self.is_full
    }
}

#[test]
fn what_could_not_be_written_is_counted() {
    let outlet = Outlet::start("test", Page::default());
    outlet.put("one\n".into());
    outlet.call(PATIENCE, |page| page.is_full = true).unwrap();
    outlet.put("two\n".into());
    outlet.put("three\n".into());
    outlet.call(PATIENCE, |page| page.is_full = false).unwrap();
    outlet.put("four\n".into());
    let text = outlet.call(PATIENCE, |page| page.text.clone()).unwrap();
    assert_eq!(text, format!("one\n{}four\n", missing_lines(2)));
}

/// Waits for leave before each line.
struct Stuck(Receiver<()>, Sender<String>);

impl Target for Stuck {
    fn write(&mut self, text: &str) -> bool {
        let _ = self.0.recv();
        self.1.send(text.to_owned()).is_ok()
    }
}

#[test]
fn a_target_that_is_stuck_stops_no_caller() {
    let (leave, wait) = channel();
    let (written, lines) = channel();
    let outlet = Outlet::start("test", Stuck(wait, written));
    for n in 0..3 * WAITING_MAX {
        outlet.put(format!("{n}\n"));
    }
    assert_eq!(outlet.call(Duration::from_millis(1), |_| ()), None, "no caller waits for ever");
    drop(leave); // from here on it does not wait
    outlet.flush(PATIENCE);
    outlet.put("last\n".into());
    outlet.flush(PATIENCE);
    // When the thread takes the first line, which may be late, one more has room.
    let (mut kept, mut next) = (0, 0);
    for line in lines.try_iter() {
        if let Some(notice) = line.strip_prefix("\t[") {
            next += notice.split(' ').next().unwrap().parse::<usize>().unwrap();
        } else if line == "last\n" {
            assert_eq!(next, 3 * WAITING_MAX, "all are written or counted");
        } else {
            assert_eq!(line, format!("{next}\n"));
            (kept, next) = (kept + 1, next + 1);
        }
    }
    assert!((WAITING_MAX..=WAITING_MAX + 1).contains(&kept), "{kept}");
}
