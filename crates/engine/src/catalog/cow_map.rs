//! An ordered map whose copies share what they have in common.
//!
//! Entries lie in sorted chunks behind a sorted list of chunks. A copy is two reference counts; a
//! change to a shared map copies one chunk and the list of chunks. With ten thousand entries that
//! is about 64 entries and 200 pointers, so a schema can be copied for every savepoint.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// Entries in a chunk at most; half of it after a split.
const CHUNK_MAX: usize = 64;

type Chunk<K, V> = Arc<Vec<(K, V)>>;

/// See the module's header. Keys are cloned when a shared chunk is changed, so they, like the
/// values, should be cheap to clone.
pub struct CowMap<K, V> {
    /// No chunk is empty; keys ascend within and across chunks.
    chunks: Arc<Vec<Chunk<K, V>>>,
    len: usize,
}

impl<K, V> Clone for CowMap<K, V> {
    fn clone(&self) -> Self {
        CowMap { chunks: Arc::clone(&self.chunks), len: self.len }
    }
}

impl<K, V> Default for CowMap<K, V> {
    fn default() -> Self {
        CowMap { chunks: Arc::new(Vec::new()), len: 0 }
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for CowMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len
            && (Arc::ptr_eq(&self.chunks, &other.chunks) || self.iter().eq(other.iter()))
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for CowMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K, V> CowMap<K, V> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.chunks.iter().flat_map(|chunk| chunk.iter().map(|(k, v)| (k, v)))
    }

    /// All values by ascending key.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, v)| v)
    }

    /// The entry with the highest key.
    pub fn last(&self) -> Option<(&K, &V)> {
        self.chunks.last().and_then(|chunk| chunk.last()).map(|(k, v)| (k, v))
    }
}

impl<K: Ord, V> CowMap<K, V> {
    /// The chunk that holds the key if any does. Only meaningful if there are chunks.
    fn chunk_of<Q: Ord + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.chunks.partition_point(|chunk| chunk[0].0.borrow() <= key).saturating_sub(1)
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(usize, usize)>
    where
        K: Borrow<Q>,
    {
        let at = self.chunk_of(key);
        let chunk = self.chunks.get(at)?;
        chunk.binary_search_by(|(k, _)| k.borrow().cmp(key)).ok().map(|slot| (at, slot))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).map(|(at, slot)| &self.chunks[at][slot].1)
    }

    /// Whether the key has a value.
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }

    /// The entries from this key on, ascending.
    pub fn range_from<'s>(
        &'s self,
        first: &K,
    ) -> impl Iterator<Item = (&'s K, &'s V)> + use<'s, K, V> {
        let at = self.chunk_of(first);
        let skipped = self.chunks.get(at).map_or(0, |c| c.partition_point(|(k, _)| k < first));
        self.chunks[at..].iter().flat_map(|c| c.iter()).skip(skipped).map(|(k, v)| (k, v))
    }
}

impl<K: Ord + Clone, V: Clone> CowMap<K, V> {
    /// Gives the key this value and returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let at = self.chunk_of(&key);
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            chunks.push(Arc::new(vec![(key, value)]));
            self.len = 1;
            return None;
        }
        let chunk = Arc::make_mut(&mut chunks[at]);
        match chunk.binary_search_by(|(k, _)| k.cmp(&key)) {
            Ok(slot) => Some(std::mem::replace(&mut chunk[slot].1, value)),
            Err(slot) => {
                chunk.insert(slot, (key, value));
                self.len += 1;
                if chunk.len() > CHUNK_MAX {
                    let upper = chunk.split_off(CHUNK_MAX / 2);
                    chunks.insert(at + 1, Arc::new(upper));
                }
                None
            }
        }
    }

    /// Removes the key and returns the value it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (at, slot) = self.find(key)?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = Arc::make_mut(&mut chunks[at]);
        let (_, value) = chunk.remove(slot);
        self.len -= 1;
        let left = chunk.len();
        if left == 0 {
            chunks.remove(at);
        } else if let Some(next) = chunks.get(at + 1) {
            // Neighbours that fit into half a chunk become one, so that there are never many more
            // chunks than entries need.
            if left + next.len() <= CHUNK_MAX / 2 {
                let next = chunks.remove(at + 1);
                Arc::make_mut(&mut chunks[at]).extend(next.iter().cloned());
            }
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests;
