//! Named row caches (`sp_cacheconfig`), the databases that use them, and what row caching takes
//! there.

use std::sync::Arc;

use engine::catalog::def::{DatabaseDef, DatabaseState, RowCacheDef};
use engine::cold::rowcache::CacheStats;

use super::Instance;

/// A database's use of a row cache; or a row cache that no database uses, or row caching of a
/// database that uses none.
#[derive(Clone, Debug)]
pub struct RowCacheUse {
    /// The row cache.
    pub cache: Option<Arc<RowCacheDef>>,
    /// The database.
    pub database: Option<Arc<DatabaseDef>>,
    /// What row caching takes there, if rows of its tables are cached.
    pub stats: Option<CacheStats>,
}

impl RowCacheUse {
    /// Whether the database is there to use it.
    pub fn is_active(&self) -> bool {
        self.database.as_ref().is_some_and(|def| def.options.state == DatabaseState::Online)
    }
}

impl Instance {
    /// A named row cache.
    pub fn row_cache(&self, name: &str) -> Option<Arc<RowCacheDef>> {
        self.databases().master().current().server().row_cache(name).cloned()
    }

    /// The databases that use a row cache, by id.
    pub fn users_of_row_cache(&self, name: &str) -> Vec<Arc<DatabaseDef>> {
        let master = self.databases().master().current();
        let uses = |def: &&Arc<DatabaseDef>| {
            def.options.row_cache.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        master.server().databases().iter().filter(uses).cloned().collect()
    }

    /// The named row caches by id, each with every database that uses it; then the databases
    /// without one whose rows are cached.
    pub fn row_cache_uses(&self) -> Vec<RowCacheUse> {
        let master = self.databases().master().current();
        let stats = |def: &DatabaseDef| self.catalog(def.id).ok()?.database().row_cache_stats();
        let mut uses = Vec::new();
        for cache in master.server().row_caches() {
            let users = self.users_of_row_cache(&cache.name);
            if users.is_empty() {
                uses.push(RowCacheUse { cache: Some(cache.clone()), database: None, stats: None });
            }
            uses.extend(users.into_iter().map(|def| RowCacheUse {
                cache: Some(cache.clone()),
                stats: stats(&def),
                database: Some(def),
            }));
        }
        for def in master.server().databases().iter() {
            let named = def.options.row_cache.as_ref();
            if named.is_some_and(|name| master.server().row_cache(name).is_some()) {
                continue;
            }
            if let Some(own) = stats(def) {
                let database = Some(def.clone());
                uses.push(RowCacheUse { cache: None, database, stats: Some(own) });
            }
        }
        uses
    }
}
