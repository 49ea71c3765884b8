//! Of which natively compiled modules runs are counted.
//!
//! Reading the clock would cost a short module a good part of what it takes, so that nothing is
//! counted until it is asked for: `sp_xtp_control_proc_exec_stats` for modules,
//! `sp_xtp_control_query_exec_stats` for their statements, of all of them or of single ones. A
//! restart forgets it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::ids::{DbId, ObjectId};
use engine::sync::plain::{Mutex, MutexGuard};

/// What is asked for.
#[derive(Default, Debug)]
pub struct Collection {
    modules: AtomicBool,
    all_statements: AtomicBool,
    /// Whether statements of any module are counted.
    any_statements: AtomicBool,
    /// The modules whose statements are counted whatever `all_statements` says.
    single: Mutex<HashSet<(DbId, ObjectId)>>,
}

impl Collection {
    /// Whether runs of modules are counted.
    #[inline]
    pub fn counts_modules(&self) -> bool {
        self.modules.load(Relaxed)
    }

    /// Counts runs of modules from now on, or does not.
    pub fn count_modules(&self, on: bool) {
        self.modules.store(on, Relaxed);
    }

    /// Whether runs of statements of any module are counted.
    #[inline]
    pub fn counts_statements(&self) -> bool {
        self.any_statements.load(Relaxed)
    }

    /// Whether runs of statements of all modules are counted.
    pub fn counts_all_statements(&self) -> bool {
        self.all_statements.load(Relaxed)
    }

    /// Whether runs of this module's statements are counted.
    pub fn counts_statements_of(&self, database: DbId, module: ObjectId) -> bool {
        self.counts_all_statements() || self.single().contains(&(database, module))
    }

    /// Counts runs of statements of all modules from now on, or only of those named by themselves.
    pub fn count_statements(&self, on: bool) {
        let single = self.single();
        self.all_statements.store(on, Relaxed);
        self.any_statements.store(on || !single.is_empty(), Relaxed);
    }

    /// Counts runs of a module's statements from now on, or does not.
    pub fn count_statements_of(&self, database: DbId, module: ObjectId, on: bool) {
        let mut single = self.single();
        match on {
            true => single.insert((database, module)),
            false => single.remove(&(database, module)),
        };
        let any = self.counts_all_statements() || !single.is_empty();
        self.any_statements.store(any, Relaxed);
    }

    fn single(&self) -> MutexGuard<'_, HashSet<(DbId, ObjectId)>> {
        self.single.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests;
