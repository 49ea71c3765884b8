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
mod tests;
