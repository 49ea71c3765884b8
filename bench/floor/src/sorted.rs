//! A range index: keys in order, sixteen to a node, which is a line of the cache; over each level
//! of nodes one with the first key of each. Keys come in ascending order, as the numbers of rows
//! do.

/// Keys in a node.
const NODE_KEYS: usize = 16;

/// Rows by ascending keys.
#[derive(Default)]
pub struct SortedIndex {
    /// All keys; the first keys of their nodes; and so on up to a single node.
    levels: Vec<Vec<u32>>,
    rows: Vec<u64>,
}

impl SortedIndex {
    /// Puts a row after all others; its key must be the greatest.
    pub fn push(&mut self, key: u32, row: u64) {
        self.rows.push(row);
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        for level in 0.. {
            let keys = &mut self.levels[level];
            assert!(keys.last().is_none_or(|last| *last < key), "keys ascend");
            let begins_node = !keys.is_empty() && keys.len() % NODE_KEYS == 0;
            keys.push(key);
            if !begins_node {
                break;
            }
            if level + 1 == self.levels.len() {
                let first = self.levels[level][0];
                self.levels.push(vec![first]);
            }
        }
    }

    /// The row with this key.
    pub fn get(&self, key: u32) -> Option<u64> {
        let mut place = 0;
        for keys in self.levels.iter().rev() {
            let node = place * NODE_KEYS;
            let node_keys = &keys[node..keys.len().min(node + NODE_KEYS)];
            // Counting them all costs less than a jump that is guessed wrong.
            let not_greater = node_keys.iter().filter(|first| **first <= key).count();
            place = node + not_greater.checked_sub(1)?;
        }
        let is_it = self.levels.first().is_some_and(|keys| keys[place] == key);
        is_it.then(|| self.rows[place])
    }

    /// All rows in their order.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }
}

#[cfg(test)]
mod tests;
