//! Sets of normalized keys: `DISTINCT`, distinct aggregates.

use base::SqlResult;
use engine::hot::key::KeyBuf;

use crate::interp::memory::{Charge, Grant, Memory, Piece};
use crate::interp::objects::hash_key;
use crate::interp::registers::Values;
use crate::ir::key::KeyShape;

/// See the module.
#[derive(Debug, Default)]
pub struct Set {
    memory: Memory,
    table: hashbrown::HashTable<(u64, Piece)>,
    key: KeyBuf,
    charge: Charge,
}

impl Set {
    /// Empties it.
    pub fn clear(&mut self, grant: &mut Grant) {
        self.memory.clear();
        self.table.clear();
        self.charge.release(grant);
    }

    /// Adds a key of values; whether it is new. Keys with different `group`s are different.
    pub fn add(
        &mut self,
        shape: &KeyShape,
        values: &Values<'_>,
        group: u32,
        grant: &mut Grant,
    ) -> SqlResult<bool> {
        shape.encode(values, &mut self.key);
        self.key.extend(&group.to_le_bytes());
        let hash = hash_key(&self.key);
        let Set { memory, table, key, charge } = self;
        if table.find(hash, |(h, p)| *h == hash && memory.get(*p) == &key[..]).is_some() {
            return Ok(false);
        }
        let piece = memory.keep(key);
        table.insert_unique(hash, (hash, piece), |(h, _)| *h);
        let entries = table.capacity() * size_of::<(u64, Piece)>();
        charge.settle(memory.allocated() + entries, grant)?;
        Ok(true)
    }
}
