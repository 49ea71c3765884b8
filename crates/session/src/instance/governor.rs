//! The resource governor, as far as memory goes: how much of the server's memory for rows the
//! databases may use that are bound to a pool.
//!
//! A limit is a database's own; several that are bound to one pool share what it may use, and each
//! is left what the others do not use at the moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::ids::DbId;
use engine::catalog::Catalog;
use engine::catalog::def::ResourcePoolDef;

use super::Instance;

/// What a pool may use and does, as far as databases that are open are bound to it.
#[derive(Clone, Copy, Debug)]
pub struct PoolMemory {
    /// Bytes that it may use.
    pub limit: u64,
    /// Bytes of rows and indexes in the databases.
    pub used: u64,
    /// How often there was no memory for a row or a lock.
    pub refused: u64,
}

impl Instance {
    /// Whether the governor limits anything.
    pub fn is_governor_enabled(&self) -> bool {
        let master = self.databases().master().current();
        master.server().resource_pool(ResourcePoolDef::DEFAULT).is_some_and(|pool| pool.active)
    }

    /// Whether there are pools that databases may share.
    pub fn has_resource_pools(&self) -> bool {
        self.databases().master().current().server().resource_pools().next().is_some()
    }

    /// The pools, the predefined ones among them, by id.
    pub fn resource_pools(&self) -> Vec<Arc<ResourcePoolDef>> {
        let master = self.databases().master().current();
        let predefined =
            [(ResourcePoolDef::INTERNAL, "internal"), (ResourcePoolDef::DEFAULT, "default")];
        let mut pools: BTreeMap<i32, Arc<ResourcePoolDef>> = predefined
            .into_iter()
            .map(|(id, name)| (id, Arc::new(ResourcePoolDef::new(id, name))))
            .collect();
        pools.extend(master.server().resource_pools().map(|pool| (pool.id, pool.clone())));
        pools.into_values().collect()
    }

    /// Bytes that are this many per cent of the memory for rows.
    fn share(&self, percent: i32) -> u64 {
        let all = match self.host().pool.limit() {
            u64::MAX => self.facts().memory_bytes,
            limit => limit,
        };
        let percent = u64::try_from(percent).unwrap_or(100).min(100);
        (u128::from(all) * u128::from(percent) / 100) as u64
    }

    /// The databases that are bound to a pool and open.
    fn bound_to(&self, pool: i32) -> Vec<Arc<Catalog>> {
        let catalogs = self.databases().catalogs();
        let master = self.databases().master().current();
        let pool_of = |catalog: &Arc<Catalog>| {
            let def = master.server().database(catalog.database().id());
            def.map_or(0, |def| def.options.resource_pool)
        };
        catalogs.into_iter().filter(|catalog| pool_of(catalog) == pool).collect()
    }

    /// What a pool may use and does.
    pub fn pool_memory(&self, pool: &ResourcePoolDef) -> PoolMemory {
        // What the server's own limit refuses is refused in the default pool.
        let (bound, of_server) = match pool.id {
            ResourcePoolDef::DEFAULT => (self.bound_to(0), self.host().pool.refused()),
            id => (self.bound_to(id), 0),
        };
        let pools = || bound.iter().map(|own| own.database().manager().pool());
        let used = pools().map(|own| own.total()).sum();
        let refused = of_server + pools().map(|own| own.refused()).sum::<u64>();
        let percent = if pool.active { pool.memory_in_use } else { 100 };
        PoolMemory { limit: self.share(percent), used, refused }
    }

    /// The pool whose limit counts for a database: the one that it is bound to, if that is in use.
    pub fn pool_name(&self, database: DbId) -> Arc<str> {
        let bound = self.database_def(database).map_or(0, |def| def.options.resource_pool);
        let master = self.databases().master().current();
        let pool = master.server().resource_pool(bound).filter(|pool| pool.active);
        let pool = pool.filter(|_| bound >= ResourcePoolDef::FIRST && self.is_governor_enabled());
        pool.map_or_else(|| "default".into(), |pool| pool.name.clone())
    }

    /// Sets the limits of all databases: those of their pools, or the one that databases have.
    pub fn govern(&self) {
        let own_limit = self.databases().database_memory_limit();
        let is_enabled = self.is_governor_enabled();
        for catalog in self.bound_to(0) {
            catalog.database().manager().pool().set_limit(own_limit);
        }
        for pool in self.resource_pools().iter().filter(|pool| pool.id >= ResourcePoolDef::FIRST) {
            let bound = self.bound_to(pool.id);
            if bound.is_empty() {
                continue;
            }
            let PoolMemory { limit, used, .. } = self.pool_memory(pool);
            for catalog in bound {
                let memory = catalog.database().manager().pool();
                let limit = match is_enabled && pool.active {
                    true => limit.saturating_sub(used.saturating_sub(memory.total())),
                    false => own_limit,
                };
                memory.set_limit(limit.min(own_limit));
            }
        }
    }
}
