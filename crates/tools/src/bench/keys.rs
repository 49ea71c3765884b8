//! The order in which loops visit the rows of a table: pseudo-random, every row once in a million steps, and
//! cheap enough in T-SQL that it does not count.

/// Rows of a table whose keys are visited: 0 up to this.
pub const ROWS: u32 = 1_000_000;

/// The statement that steps from a key to the next; of full period, and within the range of int.
pub const STEP: &str = "SET @Key = (@Key * 2141 + 12347) % 1000000;";

/// The numbers from 0 to one less than [`ROWS`], as `n` of `numbers`, to fill a table from.
pub const NUMBERS: &str =
    "(SELECT CAST(value AS bigint) AS n FROM GENERATE_SERIES(0, 999999)) AS numbers";

/// What [`STEP`] does.
pub fn step(key: u32) -> u32 {
    (key * 2141 + 12347) % ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_visited_once() {
        let mut seen = vec![false; ROWS as usize];
        let mut key = 0;
        for _ in 0..ROWS {
            key = step(key);
            assert!(key.checked_mul(2141).and_then(|k| i32::try_from(k + 12347).ok()).is_some());
            assert!(!std::mem::replace(&mut seen[key as usize], true), "{key} comes again");
        }
        assert_eq!(key, 0);
    }
}
