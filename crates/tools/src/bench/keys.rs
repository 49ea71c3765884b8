//! The orders in which loops visit the rows of a table: pseudo-random, and cheap enough in T-SQL
//! that they do not count. The first is for tables of a million rows, every row of which it visits
//! once.

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

/// Pseudo-random keys below `rows`, some of them more than once: what `SET @x = (@x * 1103515245 +
/// 12345) % 2147483648; SET @id = @x * {rows} / 2147483648` gives in T-SQL, where `@x` is a bigint
/// that is the seed at first.
pub fn spread(seed: u32, rows: u32) -> impl Iterator<Item = u32> {
    let mut x = u64::from(seed);
    std::iter::repeat_with(move || {
        x = (x * 1_103_515_245 + 12_345) % (1 << 31);
        (x * u64::from(rows) / (1 << 31)) as u32
    })
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

    #[test]
    fn spread_keys_are_all_over_the_table() {
        for rows in [1000, 5_000_000, 500_000_000] {
            let mut tenths = [0; 10];
            for key in spread(7, rows).take(10_000) {
                tenths[(u64::from(key) * 10 / u64::from(rows)) as usize] += 1;
            }
            assert!(tenths.iter().all(|share| (800..1200).contains(share)), "{tenths:?}");
        }
        assert_ne!(spread(1, 1 << 20).nth(5), spread(2, 1 << 20).nth(5));
    }
}
