//! The collations that exist: names, numbers, wire forms.
//!
//! A collation's id is its place in `TABLE`. Ids are stored in catalogs, so entries are only ever
//! appended.

use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::Collation;

/// What a collation does not distinguish, and what else there is to know about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollationFlags(u8);

impl CollationFlags {
    const IGNORE_CASE: u8 = 0x01;
    const IGNORE_ACCENT: u8 = 0x02;
    const IGNORE_KANA: u8 = 0x04;
    const IGNORE_WIDTH: u8 = 0x08;
    const BINARY: u8 = 0x10;
    const BINARY2: u8 = 0x20;
    const UTF8: u8 = 0x40;
    /// Not on the wire: characters beyond U+FFFF count as one.
    const SUPPLEMENTARY: u8 = 0x80;

    /// `CI`
    pub const fn ignores_case(self) -> bool {
        self.0 & CollationFlags::IGNORE_CASE != 0
    }
    /// `AI`
    pub const fn ignores_accents(self) -> bool {
        self.0 & CollationFlags::IGNORE_ACCENT != 0
    }
    /// Not `KS`: hiragana equals katakana.
    pub const fn ignores_kana(self) -> bool {
        self.0 & CollationFlags::IGNORE_KANA != 0
    }
    /// Not `WS`: full-width forms equal half-width ones.
    pub const fn ignores_width(self) -> bool {
        self.0 & CollationFlags::IGNORE_WIDTH != 0
    }
    /// `BIN` or `BIN2`: compared by code units.
    pub const fn is_binary(self) -> bool {
        self.0 & (CollationFlags::BINARY | CollationFlags::BINARY2) != 0
    }
    /// `UTF8`: char and varchar hold UTF-8.
    pub const fn is_utf8(self) -> bool {
        self.0 & CollationFlags::UTF8 != 0
    }
    /// `SC`, and every UTF-8 collation.
    pub const fn supplementary(self) -> bool {
        self.0 & CollationFlags::SUPPLEMENTARY != 0
    }
    /// The eight flag bits of the wire form.
    pub const fn wire_bits(self) -> u8 {
        self.0 & !CollationFlags::SUPPLEMENTARY
    }
    /// `COLLATIONPROPERTY(…, 'ComparisonStyle')`: Windows' comparison flags.
    pub const fn comparison_style(self) -> i32 {
        let mut style = 0;
        if self.ignores_case() {
            style |= 0x1;
        }
        if self.ignores_accents() {
            style |= 0x2;
        }
        if self.ignores_kana() {
            style |= 0x1_0000;
        }
        if self.ignores_width() {
            style |= 0x2_0000;
        }
        style
    }
}

/// One collation.
#[derive(Clone, Copy, Debug)]
pub struct CollationInfo {
    /// Its name, as `COLLATE` takes it in any case.
    pub name: &'static str,
    /// The Windows locale id.
    pub lcid: u32,
    /// The SQL Server sort order of the old `SQL_` collations; 0 for Windows collations.
    pub sort_id: u8,
    /// 0 for the first ones and the `SQL_` ones, 2 for `_100_`.
    pub version: u8,
    /// What it does not distinguish.
    pub flags: CollationFlags,
    /// The code page of char and varchar; 65001 for UTF-8.
    pub code_page: u16,
}

const CI_AS: u8 = 0x0D;
const CI_AI: u8 = 0x0F;
const CS_AS: u8 = 0x0C;
const CS_AI: u8 = 0x0E;
const CI_AS_KS: u8 = 0x09;
const CI_AS_WS: u8 = 0x05;
const CI_AS_KS_WS: u8 = 0x01;
const CS_AS_KS_WS: u8 = 0x00;
const BIN: u8 = 0x10;
const BIN2: u8 = 0x20;
const UTF8: u8 = 0xC0;
const SC: u8 = 0x80;

const US: u32 = 0x0409;
const RUSSIAN: u32 = 0x0419;
const GREEK: u32 = 0x0408;

const fn sql(name: &'static str, sort_id: u8, flags: u8, code_page: u16) -> CollationInfo {
    let flags = CollationFlags(flags);
    CollationInfo { name, lcid: US, sort_id, version: 0, flags, code_page }
}

const fn windows(
    name: &'static str,
    lcid: u32,
    version: u8,
    flags: u8,
    code_page: u16,
) -> CollationInfo {
    CollationInfo { name, lcid, sort_id: 0, version, flags: CollationFlags(flags), code_page }
}

/// Every collation; the id is the index plus 1. Append only.
static TABLE: &[CollationInfo] = &[
    sql("SQL_Latin1_General_CP1_CI_AS", 52, CI_AS, 1252),
    sql("SQL_Latin1_General_CP1_CS_AS", 51, CS_AS, 1252),
    sql("SQL_Latin1_General_CP1_CI_AI", 54, CI_AI, 1252),
    windows("Latin1_General_CI_AS", US, 0, CI_AS, 1252),
    windows("Latin1_General_CI_AI", US, 0, CI_AI, 1252),
    windows("Latin1_General_CS_AS", US, 0, CS_AS, 1252),
    windows("Latin1_General_CS_AI", US, 0, CS_AI, 1252),
    windows("Latin1_General_BIN", US, 0, BIN, 1252),
    windows("Latin1_General_BIN2", US, 0, BIN2, 1252),
    windows("Latin1_General_100_CI_AS", US, 2, CI_AS, 1252),
    windows("Latin1_General_100_CI_AI", US, 2, CI_AI, 1252),
    windows("Latin1_General_100_CS_AS", US, 2, CS_AS, 1252),
    windows("Latin1_General_100_CS_AI", US, 2, CS_AI, 1252),
    windows("Latin1_General_100_BIN", US, 2, BIN, 1252),
    windows("Latin1_General_100_BIN2", US, 2, BIN2, 1252),
    windows("Latin1_General_100_CI_AS_SC", US, 2, CI_AS | SC, 1252),
    windows("Latin1_General_100_CI_AI_SC", US, 2, CI_AI | SC, 1252),
    windows("Latin1_General_100_CS_AS_SC", US, 2, CS_AS | SC, 1252),
    windows("Latin1_General_100_CS_AI_SC", US, 2, CS_AI | SC, 1252),
    windows("Latin1_General_100_CI_AS_SC_UTF8", US, 2, CI_AS | UTF8, 65001),
    windows("Latin1_General_100_CI_AI_SC_UTF8", US, 2, CI_AI | UTF8, 65001),
    windows("Latin1_General_100_CS_AS_SC_UTF8", US, 2, CS_AS | UTF8, 65001),
    windows("Latin1_General_100_CS_AI_SC_UTF8", US, 2, CS_AI | UTF8, 65001),
    windows("Latin1_General_100_BIN2_UTF8", US, 2, BIN2 | UTF8, 65001),
    windows("Latin1_General_CI_AS_KS", US, 0, CI_AS_KS, 1252),
    windows("Latin1_General_CI_AS_WS", US, 0, CI_AS_WS, 1252),
    windows("Latin1_General_CI_AS_KS_WS", US, 0, CI_AS_KS_WS, 1252),
    windows("Latin1_General_CS_AS_KS_WS", US, 0, CS_AS_KS_WS, 1252),
    windows("Latin1_General_100_CI_AS_KS_WS", US, 2, CI_AS_KS_WS, 1252),
    windows("Latin1_General_100_CS_AS_KS_WS", US, 2, CS_AS_KS_WS, 1252),
    windows("Latin1_General_100_CI_AS_KS_WS_SC", US, 2, CI_AS_KS_WS | SC, 1252),
    windows("Latin1_General_100_CS_AS_KS_WS_SC", US, 2, CS_AS_KS_WS | SC, 1252),
    windows("Latin1_General_100_CI_AS_KS_WS_SC_UTF8", US, 2, CI_AS_KS_WS | UTF8, 65001),
    windows("Latin1_General_100_CS_AS_KS_WS_SC_UTF8", US, 2, CS_AS_KS_WS | UTF8, 65001),
    sql("SQL_Latin1_General_CP437_CS_AS", 31, CS_AS, 437),
    sql("SQL_Latin1_General_CP437_CI_AS", 32, CI_AS, 437),
    sql("SQL_Latin1_General_CP437_CI_AI", 34, CI_AI, 437),
    sql("SQL_Latin1_General_CP437_BIN", 30, BIN, 437),
    sql("SQL_Latin1_General_CP437_BIN2", 30, BIN2, 437),
    sql("SQL_Latin1_General_CP850_CS_AS", 41, CS_AS, 850),
    sql("SQL_Latin1_General_CP850_CI_AS", 42, CI_AS, 850),
    sql("SQL_Latin1_General_CP850_CI_AI", 44, CI_AI, 850),
    sql("SQL_Latin1_General_CP850_BIN", 40, BIN, 850),
    sql("SQL_Latin1_General_CP850_BIN2", 40, BIN2, 850),
    sql("SQL_Latin1_General_CP1250_CS_AS", 81, CS_AS, 1250),
    sql("SQL_Latin1_General_CP1250_CI_AS", 82, CI_AS, 1250),
    sql("SQL_Latin1_General_CP1251_CS_AS", 105, CS_AS, 1251),
    sql("SQL_Latin1_General_CP1251_CI_AS", 106, CI_AS, 1251),
    sql("SQL_Latin1_General_CP1253_CS_AS", 113, CS_AS, 1253),
    sql("SQL_Latin1_General_CP1253_CI_AS", 114, CI_AS, 1253),
    sql("SQL_Latin1_General_CP1253_CI_AI", 124, CI_AI, 1253),
    sql("SQL_Latin1_General_CP1254_CS_AS", 129, CS_AS, 1254),
    sql("SQL_Latin1_General_CP1254_CI_AS", 130, CI_AS, 1254),
    sql("SQL_Latin1_General_CP1255_CS_AS", 137, CS_AS, 1255),
    sql("SQL_Latin1_General_CP1255_CI_AS", 138, CI_AS, 1255),
    sql("SQL_Latin1_General_CP1256_CS_AS", 145, CS_AS, 1256),
    sql("SQL_Latin1_General_CP1256_CI_AS", 146, CI_AS, 1256),
    sql("SQL_Latin1_General_CP1257_CS_AS", 153, CS_AS, 1257),
    sql("SQL_Latin1_General_CP1257_CI_AS", 154, CI_AS, 1257),
    windows("Cyrillic_General_CI_AS", RUSSIAN, 0, CI_AS, 1251),
    windows("Cyrillic_General_CS_AS", RUSSIAN, 0, CS_AS, 1251),
    windows("Cyrillic_General_BIN2", RUSSIAN, 0, BIN2, 1251),
    windows("Cyrillic_General_100_CI_AS", RUSSIAN, 2, CI_AS, 1251),
    windows("Cyrillic_General_100_CI_AS_SC_UTF8", RUSSIAN, 2, CI_AS | UTF8, 65001),
    windows("Greek_CI_AS", GREEK, 0, CI_AS, 1253),
    windows("Greek_100_CI_AS", GREEK, 2, CI_AS, 1253),
];

impl Collation {
    /// `SQL_Latin1_General_CP1_CI_AS`, the server's default.
    pub const DEFAULT: Collation = Collation(1);
    /// `Latin1_General_BIN2`.
    pub const LATIN1_BIN2: Collation = Collation(9);
    /// `Latin1_General_100_BIN2_UTF8`.
    pub const LATIN1_BIN2_UTF8: Collation = Collation(24);

    /// Every collation.
    pub fn all() -> impl Iterator<Item = Collation> {
        (1..=TABLE.len() as u16).map(Collation)
    }

    /// The collation of this name, in any case. Error 448 when there is none.
    pub fn by_name(name: &str) -> SqlResult<Collation> {
        Collation::all()
            .find(|c| c.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| SqlError::new(&message::INVALID_COLLATION, &[&name]))
    }

    /// What the table says; for "none" and for numbers that do not exist, the default collation's.
    #[inline]
    pub fn info(self) -> &'static CollationInfo {
        TABLE.get(usize::from(self.0).wrapping_sub(1)).unwrap_or(&TABLE[0])
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether char and varchar hold UTF-8.
    pub fn is_utf8(self) -> bool {
        self.info().flags.is_utf8()
    }

    /// The five bytes that TDS sends: locale, flags and version as a little-endian `u32`, then the
    /// sort id.
    pub fn to_tds(self) -> [u8; 5] {
        let info = self.info();
        let bits =
            info.lcid | u32::from(info.flags.wire_bits()) << 20 | u32::from(info.version) << 28;
        let [a, b, c, d] = bits.to_le_bytes();
        [a, b, c, d, info.sort_id]
    }

    /// The collation that TDS's five bytes mean; the first of several that differ only in `SC`.
    pub fn from_tds(bytes: [u8; 5]) -> Option<Collation> {
        Collation::all().find(|c| c.to_tds() == bytes)
    }

    /// The sentence that `sys.fn_helpcollations` shows.
    pub fn description(self) -> String {
        let info = self.info();
        let family = match (info.lcid, info.version) {
            (RUSSIAN, 0) => "Cyrillic-General",
            (RUSSIAN, _) => "Cyrillic-General-100",
            (GREEK, 0) => "Greek",
            (GREEK, _) => "Greek-100",
            (_, 0) => "Latin1-General",
            _ => "Latin1-General-100",
        };
        let mut text = String::from(family);
        if info.flags.0 & CollationFlags::BINARY2 != 0 {
            text.push_str(", binary code point comparison sort");
        } else if info.flags.is_binary() {
            text.push_str(", binary sort");
        } else {
            for (name, insensitive) in [
                ("case", info.flags.ignores_case()),
                ("accent", info.flags.ignores_accents()),
                ("kanatype", info.flags.ignores_kana()),
                ("width", info.flags.ignores_width()),
            ] {
                text.push_str(", ");
                text.push_str(name);
                text.push_str(if insensitive { "-insensitive" } else { "-sensitive" });
            }
            if info.flags.supplementary() {
                text.push_str(", supplementary characters");
            }
        }
        if info.flags.is_utf8() {
            text.push_str(", UTF8");
        }
        if info.sort_id != 0 {
            text.push_str(&format!(
                " for Unicode Data, SQL Server Sort Order {} on Code Page {} for non-Unicode Data",
                info.sort_id, info.code_page
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests;
