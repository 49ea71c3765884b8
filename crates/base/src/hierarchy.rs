//! `hierarchyid`: a node of a tree as the path that leads to it from the root.
//!
//! # Form
//!
//! A path is a list of levels, and a level is a list of labels: `/1/2.5/` is the node `2.5` below
//! the node `1`. Labels with points stand between those without, so that there is always room for
//! one more child.
//!
//! Bytes are those of MS-SSCLRT, "HierarchyId structure": labels follow each other bit by bit, each
//! in the pattern whose range it is in, and the last byte is filled up with zeros. A pattern's last
//! bit is 1 if its label ends the level; a label before a point is stored one higher, with a 0.
//!
//! # Invariants
//!
//! * O1: the order of the bytes is that of the tree, parents before their children.
//! * O2: the bits of a node begin with those of its ancestors, and with those of no other node.
//! * O3: a path has one form, whose last set bit is its last one. Two paths are equal if their
//!   bytes are.

use std::fmt;

use crate::clr;
use crate::error::{SqlError, SqlResult};

/// Bytes that a value has at most.
pub const BYTES_MAX: usize = 892;

/// UTF-16 units that a value has at most as a text.
pub const UNITS_MAX: usize = 4000;

/// Of a text that is no path, this much is shown.
const SHOWN_MAX: usize = 1000;

/// A range of labels and the bits that they are stored as.
struct Pattern {
    least: i64,
    most: i64,
    /// `0` and `1` are bits, `x` is a bit of the label less `least`, the highest one first. The bit
    /// that says whether the level ends comes after them.
    bits: &'static [u8],
    /// How many bits tell the pattern from all others.
    prefix: usize,
}

const fn pattern(least: i64, most: i64, prefix: usize, bits: &'static str) -> Pattern {
    Pattern { least, most, bits: bits.as_bytes(), prefix }
}

/// By rising labels, and so by rising bits (O1).
const PATTERNS: [Pattern; 13] = [
    pattern(
        -281_479_271_682_120,
        -4_294_971_465,
        6,
        "000100xxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxx",
    ),
    pattern(-4_294_971_464, -4169, 6, "000101xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxx"),
    pattern(-4168, -73, 6, "000110xxxxx0xxx0x1xxx"),
    pattern(-72, -9, 4, "0010xx0x1xxx"),
    pattern(-8, -1, 5, "00111xxx"),
    pattern(0, 3, 2, "01xx"),
    pattern(4, 7, 3, "100xx"),
    pattern(8, 15, 3, "101xxx"),
    pattern(16, 79, 3, "110xx0x1xxx"),
    pattern(80, 1103, 4, "1110xxx0xxx0x1xxx"),
    pattern(1104, 5199, 5, "11110xxxxx0xxx0x1xxx"),
    pattern(5200, 4_294_972_495, 6, "111110xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxx"),
    pattern(
        4_294_972_496,
        281_479_271_683_151,
        6,
        "111111xxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxx",
    ),
];

/// More ones in a row than a pattern has anywhere.
const ONES: usize = 24;

/// A label of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Label {
    value: i64,
    ends_level: bool,
}

/// A path as its labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path(Vec<Label>);

/// Bits from the first one of a value on.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&self, at: usize) -> Option<bool> {
        let byte = self.bytes.get(at / 8)?;
        Some(byte >> (7 - at % 8) & 1 == 1)
    }

    /// The next label. `None` if the bits are none.
    fn label(&mut self) -> Option<Label> {
        let has_prefix = |pattern: &&Pattern| {
            (0..pattern.prefix).all(|at| self.bit(self.at + at) == Some(pattern.bits[at] == b'1'))
        };
        let pattern = PATTERNS.iter().find(has_prefix)?;
        let mut offset = 0i64;
        for wanted in pattern.bits {
            let bit = self.bit(self.at)?;
            self.at += 1;
            match wanted {
                b'x' => offset = offset << 1 | i64::from(bit),
                fixed if bit != (*fixed == b'1') => return None,
                _ => {}
            }
        }
        let ends_level = self.bit(self.at)?;
        self.at += 1;
        let value = pattern.least + offset - i64::from(!ends_level);
        Some(Label { value, ends_level })
    }

    /// Whether nothing follows but zeros that fill up the last byte.
    fn is_at_end(&self) -> bool {
        let left = 8 * self.bytes.len() - self.at;
        left == 0
            || left < 8 && (self.at..8 * self.bytes.len()).all(|at| self.bit(at) == Some(false))
    }
}

/// Writes bits.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    len: usize,
}

impl BitWriter {
    fn put(&mut self, bit: bool) {
        if self.len % 8 == 0 {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (7 - self.len % 8);
        }
        self.len += 1;
    }

    /// Writes a label. `None` if it is too small or too large to be one.
    fn label(&mut self, label: Label) -> Option<()> {
        let value = label.value.checked_add(i64::from(!label.ends_level))?;
        let pattern = PATTERNS.iter().find(|p| (p.least..=p.most).contains(&value))?;
        let offset = value - pattern.least;
        let mut left = pattern.bits.iter().filter(|bit| **bit == b'x').count();
        for bit in pattern.bits {
            let bit = match bit {
                b'x' => {
                    left -= 1;
                    offset >> left & 1 == 1
                }
                fixed => *fixed == b'1',
            };
            self.put(bit);
        }
        self.put(label.ends_level);
        Some(())
    }
}

impl Path {
    /// The path that a text writes. `None` if it writes none.
    fn parse(text: &str) -> Option<Path> {
        let inner = text.strip_prefix('/')?;
        let mut path = Path::default();
        if inner.is_empty() {
            return Some(path);
        }
        for level in inner.strip_suffix('/')?.split('/') {
            let mut labels = level.split('.').peekable();
            while let Some(label) = labels.next() {
                let ends_level = labels.peek().is_none();
                path.0.push(Label { value: number(label)?, ends_level });
            }
        }
        Some(path)
    }

    /// The path that bytes are. `None` if they are none.
    fn decode(bytes: &[u8]) -> Option<Path> {
        if bytes.len() > BYTES_MAX {
            return None;
        }
        let mut bits = Bits { bytes, at: 0 };
        let mut labels = Vec::new();
        while !bits.is_at_end() {
            labels.push(bits.label()?);
        }
        let is_whole = labels.last().is_none_or(|label: &Label| label.ends_level);
        // Zeros that fill up a byte follow a label, so that there is never a byte of them (O3).
        let is_short = bits.at.div_ceil(8) == bytes.len();
        (is_whole && is_short).then_some(Path(labels))
    }

    /// The bytes. `None` if there are too many, or a label is beyond all patterns.
    fn encode(&self) -> Option<Vec<u8>> {
        let mut out = BitWriter::default();
        for label in &self.0 {
            out.label(*label)?;
            if out.bytes.len() > BYTES_MAX {
                return None;
            }
        }
        Some(out.bytes)
    }

    fn level_count(&self) -> usize {
        self.0.iter().filter(|label| label.ends_level).count()
    }

    /// The labels below this many levels.
    fn below(&self, levels: usize) -> &[Label] {
        let mut at = 0;
        for _ in 0..levels {
            at += self.0[at..].iter().take_while(|label| !label.ends_level).count() + 1;
        }
        &self.0[at..]
    }

    fn begins_with(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }
}

/// A label, without superfluous zeros and signs.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_short = digits == "0" && digits.len() == text.len() || !digits.starts_with('0');
    let value = (is_plain && is_short).then(|| text.parse().ok())??;
    let range = PATTERNS[0].least..=PATTERNS[PATTERNS.len() - 1].most;
    range.contains(&value).then_some(value)
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/")?;
        for label in &self.0 {
            write!(f, "{}{}", label.value, if label.ends_level { '/' } else { '.' })?;
        }
        Ok(())
    }
}

/// The type's name, as messages have it.
const ROUTINE: &str = "hierarchyid";

/// Error 6522 with an exception of the type itself.
#[cold]
fn failed(text: &dyn fmt::Display, method: &str) -> SqlError {
    let method = format!("Microsoft.SqlServer.Types.SqlHierarchyId.{method}");
    clr::exception(ROUTINE, "Microsoft.SqlServer.Types.HierarchyIdException", text, &method)
}

/// Error 6522 (24000): bytes are no node.
#[cold]
fn bad_bytes() -> SqlError {
    let text = "24000: SqlHierarchyId operation failed because HierarchyId object was constructed \
                from an invalid binary string.";
    failed(&text, "Read(BinaryReader r)")
}

/// Error 6522: a node has more bytes than a value may have.
#[cold]
fn too_long() -> SqlError {
    let class = "System.Data.SqlTypes.SqlTypeException";
    let text = "The buffer is insufficient. Read or write operation failed.";
    let method = "Microsoft.SqlServer.Types.SqlHierarchyId.Write(BinaryWriter w)";
    clr::exception(ROUTINE, class, &text, &method)
}

fn path(bytes: &[u8]) -> SqlResult<Path> {
    Path::decode(bytes).ok_or_else(bad_bytes)
}

fn bytes(path: &Path) -> SqlResult<Vec<u8>> {
    path.encode().ok_or_else(too_long)
}

/// The node that a text writes. Error 6522 (24001).
pub fn parse(text: &str) -> SqlResult<Vec<u8>> {
    match Path::parse(text) {
        Some(path) => bytes(&path),
        None => {
            let shown: String = text.chars().take(SHOWN_MAX).collect();
            let text = format!(
                "24001: SqlHierarchyId.Parse failed because the input string '{shown}' is not a \
                 valid string representation of a SqlHierarchyId node."
            );
            Err(failed(&text, "Parse(SqlString input)"))
        }
    }
}

/// The text of a node. Error 6522 (24000).
pub fn text(node: &[u8]) -> SqlResult<String> {
    Ok(path(node)?.to_string())
}

/// Error 6522 (24000) unless the bytes are a node.
pub fn check(node: &[u8]) -> SqlResult<()> {
    path(node).map(|_| ())
}

/// How many levels a node is below the root. Error 6522 (24000).
pub fn level(node: &[u8]) -> SqlResult<usize> {
    let mut bits = Bits { bytes: node, at: 0 };
    let mut levels = 0;
    while !bits.is_at_end() {
        levels += usize::from(bits.label().ok_or_else(bad_bytes)?.ends_level);
    }
    Ok(levels)
}

/// The node that is `up` levels above; `None` if the root is nearer. Errors 6522 (24000, 24011).
pub fn ancestor(node: &[u8], up: i64) -> SqlResult<Option<Vec<u8>>> {
    let Ok(up) = usize::try_from(up) else {
        let text = "24011: SqlHierarchyId.GetAncestor failed because 'n' was negative.";
        return Err(failed(&text, "GetAncestor(Int32 n)"));
    };
    let path = path(node)?;
    let Some(kept) = path.level_count().checked_sub(up) else { return Ok(None) };
    let labels = path.0.len() - path.below(kept).len();
    bytes(&Path(path.0[..labels].to_vec())).map(Some)
}

/// Whether a node is another one or below it.
pub fn is_descendant(node: &[u8], of: &[u8]) -> bool {
    let Some((last, whole)) = of.split_last() else { return true };
    let Some((begin, rest)) = node.split_at_checked(whole.len()) else { return false };
    // After the last set bit there are zeros in the ancestor alone (O2, O3).
    let mask = u8::MAX << last.trailing_zeros().min(7);
    begin == whole && rest.first().is_some_and(|byte| byte & mask == *last)
}

/// A bound that is above all descendants of a node and below what follows them (O1, O2).
pub fn descendant_limit(node: &[u8]) -> Vec<u8> {
    let mut limit = node.to_vec();
    if let Some(last) = limit.last_mut() {
        *last |= !(u8::MAX << last.trailing_zeros().min(7));
    }
    limit.resize(node.len() + ONES / 8, u8::MAX);
    limit
}

/// A child of a node between two of its children, of which either may be missing. Errors 6522
/// (24000, 24008, 24009).
pub fn descendant(node: &[u8], first: Option<&[u8]>, last: Option<&[u8]>) -> SqlResult<Vec<u8>> {
    const METHOD: &str = "GetDescendant(SqlHierarchyId child1, SqlHierarchyId child2)";
    let parent = path(node)?;
    let levels = parent.level_count();
    let child = |name: &str, child: Option<&[u8]>| -> SqlResult<Option<Path>> {
        let Some(child) = child else { return Ok(None) };
        let child = path(child)?;
        if child.level_count() == levels + 1 && child.begins_with(&parent) {
            return Ok(Some(child));
        }
        let text = format!(
            "24008: SqlHierarchyId.GetDescendant failed because '{name}' must be a child of \
             'this'.  '{name}' was '{child}' and 'this' was '{parent}'."
        );
        Err(failed(&text, METHOD))
    };
    let (first, last) = (child("child1", first)?, child("child2", last)?);
    let values = |child: &Path| child.below(levels).iter().map(|label| label.value).collect();
    let (before, after): (Option<Vec<i64>>, Option<Vec<i64>>) =
        (first.as_ref().map(values), last.as_ref().map(values));
    let made = match (before, after) {
        (None, None) => vec![1],
        (Some(before), None) => moved(before, 1),
        (None, Some(after)) => moved(after, -1),
        (Some(before), Some(after)) if before < after => between(&before, &after),
        _ => {
            let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
            let text = format!(
                "24009: SqlHierarchyId.GetDescendant failed because 'child1' must be less than \
                 'child2'.  'child1' was '{first}' and 'child2' was '{last}'."
            );
            return Err(failed(&text, METHOD));
        }
    };
    let mut labels = parent.0;
    let count = made.len();
    let label = |(at, value)| Label { value, ends_level: at + 1 == count };
    labels.extend(made.into_iter().enumerate().map(label));
    bytes(&Path(labels))
}

/// Labels with the last one moved.
fn moved(mut labels: Vec<i64>, by: i64) -> Vec<i64> {
    if let Some(last) = labels.last_mut() {
        *last += by;
    }
    labels
}

/// Labels between two lists of labels, of which the first is the lesser one.
fn between(before: &[i64], after: &[i64]) -> Vec<i64> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let begin = |count: usize| before[..count].to_vec();
    match (before.get(same), after.get(same)) {
        (Some(a), Some(b)) if a + 1 < *b => moved(begin(same + 1), 1),
        // There is none between the labels, but after what follows the lesser one.
        (Some(_), Some(_)) if before.len() > same + 1 => moved(begin(same + 2), 1),
        (Some(_), Some(_)) => {
            let mut labels = begin(same + 1);
            labels.push(after.get(same + 1).map_or(1, |label| label - 1));
            labels
        }
        (_, next) => {
            let mut labels = begin(same);
            labels.push(next.map_or(1, |label| label - 1));
            labels
        }
    }
}

/// A node that is as far below a new ancestor as it is below the old one. Errors 6522 (24000,
/// 24010).
pub fn reparented(node: &[u8], old: &[u8], new: &[u8]) -> SqlResult<Vec<u8>> {
    let (path, old, new) = (path(node)?, path(old)?, path(new)?);
    if !path.begins_with(&old) {
        let text = format!(
            "24010: SqlHierarchyId.GetReparentedValue failed because 'oldRoot' was not an \
             ancestor node of 'this'.  'oldRoot' was '{old}', and 'this' was '{path}'."
        );
        let method = "GetReparentedValue(SqlHierarchyId oldRoot, SqlHierarchyId newRoot)";
        return Err(failed(&text, method));
    }
    let mut labels = new.0;
    labels.extend_from_slice(&path.0[old.0.len()..]);
    bytes(&Path(labels))
}

#[cfg(test)]
mod tests;
