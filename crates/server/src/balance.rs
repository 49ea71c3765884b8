//! Keeps the memory of the process at `max server memory`: when rows, plans, statements and the log
//! take more, pages are evicted; and writers to disk tables that write more than can leave memory
//! are slowed down. On a thread of its own, since statements that take memory may keep all workers
//! busy.

use std::sync::Arc;
use std::time::Duration;

use crate::periodic::Periodic;
use crate::server::Server;

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// In how many turns values are looked at once.
const TURNS: u32 = 50;

/// How many bytes of values must have been freed to make the walk worth its time after which the
/// allocator gives back what is free. Without it, much of that stays until the next allocation.
const WORTH_GIVING_BACK: usize = 64 << 20;

/// Balances memory until the result is dropped.
pub fn start(server: &Arc<Server>) -> Periodic {
    let server = server.clone();
    Periodic::start("memory", INTERVAL, |ticks| {
        let balance = move || {
            let (mut turn, mut most) = (0, 0);
            for () in ticks {
                turn = (turn + 1) % TURNS;
                let values = server.instance.value_bytes();
                most = values.max(most);
                let is_less = turn == 0 && most - values > WORTH_GIVING_BACK;
                if server.instance.share_memory() || is_less {
                    most = values;
                    engine::hot::heap::give_back();
                    env::memory::give_back();
                }
                let databases = server.instance.databases().engine().databases();
                databases.iter().for_each(|database| database.pace_writers());
            }
        };
        engine::critical::thread("memory", balance)()
    })
}
