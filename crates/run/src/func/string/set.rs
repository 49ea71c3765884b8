//! Sets of characters, for TRANSLATE and the TRIM family.

use std::collections::HashMap;

use base::collation::sort_key;
use base::pace::Stride;
use base::{Collation, Pace, SqlResult, ValueRef};

use super::{characters, same_character};

/// The characters of a string, to be found by what a collation takes for the same.
pub(super) struct CharacterSet<'v> {
    collation: Collation,
    members: Vec<ValueRef<'v>>,
    /// Where the first of equal members is, by the key of both. Made where there are many.
    by_key: Option<HashMap<Vec<u8>, usize>>,
    key: Vec<u8>,
}

/// Up to this many members are compared one after the other.
const FEW: usize = 8;

impl<'v> CharacterSet<'v> {
    pub fn new(
        text: ValueRef<'v>,
        collation: Collation,
        pace: &dyn Pace,
    ) -> SqlResult<CharacterSet<'v>> {
        let mut stride = Stride::new(pace);
        let mut members = Vec::new();
        for character in characters(text, collation) {
            stride.step(1)?;
            members.push(character);
        }
        let mut by_key = None;
        if members.len() > FEW {
            let mut keys = HashMap::new();
            for (at, member) in members.iter().enumerate() {
                stride.step(8)?;
                let mut key = Vec::new();
                sort_key(collation, *member, &mut key);
                keys.entry(key).or_insert(at);
            }
            by_key = Some(keys);
        }
        Ok(CharacterSet { collation, members, by_key, key: Vec::new() })
    }

    /// How many characters the string has.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The first member that is the same as a character.
    pub fn position(
        &mut self,
        character: ValueRef<'_>,
        stride: &mut Stride<'_>,
    ) -> SqlResult<Option<usize>> {
        let Some(keys) = &self.by_key else {
            let same = |member: &ValueRef<'_>| same_character(*member, character, self.collation);
            return Ok(self.members.iter().position(same));
        };
        stride.step(8)?;
        self.key.clear();
        sort_key(self.collation, character, &mut self.key);
        Ok(keys.get(&self.key).copied())
    }

    /// Whether a character is the same as a member.
    pub fn contains(
        &mut self,
        character: ValueRef<'_>,
        stride: &mut Stride<'_>,
    ) -> SqlResult<bool> {
        Ok(self.position(character, stride)?.is_some())
    }
}
