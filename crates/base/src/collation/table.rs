//! The collations that exist: names, numbers, wire forms.
//!
//! The collations of SQL Server before Windows' and some of Latin1_General, Cyrillic_General and
//! Greek are in `TABLE`, where looking one up costs an index; a collation's id is its place there.
//! All others follow from [`super::families`]. Ids are stored in catalogs, so entries are only ever
//! appended to both.

use super::families;
use super::rules::RuleSet;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::Collation;

/// What a collation does not distinguish, and what else there is to know about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollationFlags(u16);

impl CollationFlags {
    const IGNORE_CASE: u16 = 0x01;
    const IGNORE_ACCENT: u16 = 0x02;
    const IGNORE_KANA: u16 = 0x04;
    const IGNORE_WIDTH: u16 = 0x08;
    const BINARY: u16 = 0x10;
    const BINARY2: u16 = 0x20;
    const UTF8: u16 = 0x40;
    /// Not on the wire: characters beyond U+FFFF count as one.
    const SUPPLEMENTARY: u16 = 0x80;
    /// Not on the wire: variation selectors count.
    const VARIATIONS: u16 = 0x100;

    pub(super) const NOTHING: CollationFlags = CollationFlags(0);
    pub(super) const CI: CollationFlags = CollationFlags(CollationFlags::IGNORE_CASE);
    pub(super) const AI: CollationFlags = CollationFlags(CollationFlags::IGNORE_ACCENT);
    pub(super) const KI: CollationFlags = CollationFlags(CollationFlags::IGNORE_KANA);
    pub(super) const WI: CollationFlags = CollationFlags(CollationFlags::IGNORE_WIDTH);
    pub(super) const BIN: CollationFlags = CollationFlags(CollationFlags::BINARY);
    pub(super) const BIN2: CollationFlags = CollationFlags(CollationFlags::BINARY2);
    pub(super) const IN_UTF8: CollationFlags = CollationFlags(UTF8);
    pub(super) const WIDE_CHARACTERS: CollationFlags = CollationFlags(SC);
    pub(super) const TELLS_VARIATIONS: CollationFlags = CollationFlags(CollationFlags::VARIATIONS);

    pub(super) const fn with(self, more: CollationFlags) -> CollationFlags {
        CollationFlags(self.0 | more.0)
    }

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
    /// `VSS`: ideographs with different variation selectors are different.
    pub const fn tells_variations(self) -> bool {
        self.0 & CollationFlags::VARIATIONS != 0
    }
    /// The eight flag bits of the wire form.
    pub const fn wire_bits(self) -> u8 {
        (self.0 & 0x7F) as u8
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
    /// 0 for the first ones and the `SQL_` ones, 1 for `_90_`, 2 for `_100_`, 3 for `_140_`.
    pub version: u8,
    /// What it does not distinguish.
    pub flags: CollationFlags,
    /// The code page of char and varchar; 65001 for UTF-8, 0 if there is none.
    pub code_page: u16,
    /// How it orders; `None` for binary ones and for the weights of Latin1_General.
    pub(super) rules: Option<RuleSet>,
}

impl CollationInfo {
    /// Whether char and varchar cannot have the collation.
    pub const fn is_unicode_only(&self) -> bool {
        self.code_page == 0
    }

    /// Whether a dotted and a dotless i are two letters.
    pub(super) const fn is_turkic(&self) -> bool {
        // Turkish, and Azeri in Latin letters.
        self.lcid == 1055 || self.lcid == 1068
    }
}

const CI_AS: u16 = 0x0D;
const CI_AI: u16 = 0x0F;
const CS_AS: u16 = 0x0C;
const CS_AI: u16 = 0x0E;
const CI_AS_KS: u16 = 0x09;
const CI_AS_WS: u16 = 0x05;
const CI_AS_KS_WS: u16 = 0x01;
const CS_AS_KS_WS: u16 = 0x00;
const BIN: u16 = 0x10;
const BIN2: u16 = 0x20;
const UTF8: u16 = 0xC0;
const SC: u16 = 0x80;

const US: u32 = 0x0409;
const RUSSIAN: u32 = 0x0419;
const GREEK: u32 = 0x0408;

const fn sql(name: &'static str, sort_id: u8, flags: u16, code_page: u16) -> CollationInfo {
    let flags = CollationFlags(flags);
    CollationInfo { name, lcid: US, sort_id, version: 0, flags, code_page, rules: None }
}

/// One whose Unicode strings are ordered as by a family of Windows.
const fn sql_as(
    name: &'static str,
    sort_id: u8,
    flags: u16,
    code_page: u16,
    lcid: u32,
    rules: RuleSet,
) -> CollationInfo {
    let rules = Some(rules);
    CollationInfo { lcid, rules, ..sql(name, sort_id, flags, code_page) }
}

const fn windows(
    name: &'static str,
    lcid: u32,
    version: u8,
    flags: u16,
    code_page: u16,
) -> CollationInfo {
    let flags = CollationFlags(flags);
    CollationInfo { name, lcid, sort_id: 0, version, flags, code_page, rules: None }
}

/// The first collations; the id is the index plus 1. Append only, and no more than 127.
pub(super) static TABLE: &[CollationInfo] = &[
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
    CollationInfo { lcid: 1055, ..sql("SQL_Latin1_General_CP1254_CS_AS", 129, CS_AS, 1254) },
    CollationInfo { lcid: 1055, ..sql("SQL_Latin1_General_CP1254_CI_AS", 130, CI_AS, 1254) },
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
    sql("SQL_1xCompat_CP850_CI_AS", 49, CI_AS, 850),
    sql("SQL_AltDiction_CP850_CI_AI", 57, CI_AI, 850),
    sql("SQL_AltDiction_CP850_CI_AS", 61, CI_AS, 850),
    sql("SQL_AltDiction_CP850_CS_AS", 55, CS_AS, 850),
    sql("SQL_AltDiction_Pref_CP850_CI_AS", 56, CI_AS, 850),
    sql("SQL_AltDiction2_CP1253_CS_AS", 122, CS_AS, 1253),
    sql("SQL_MixDiction_CP1253_CS_AS", 120, CS_AS, 1253),
    sql("SQL_Latin1_General_Pref_CP1_CI_AS", 53, CI_AS, 1252),
    sql("SQL_Latin1_General_Pref_CP437_CI_AS", 33, CI_AS, 437),
    sql("SQL_Latin1_General_Pref_CP850_CI_AS", 43, CI_AS, 850),
    sql("SQL_EBCDIC037_CP1_CS_AS", 210, CS_AS, 1252),
    sql("SQL_EBCDIC280_CP1_CS_AS", 214, CS_AS, 1252),
    sql("SQL_EBCDIC285_CP1_CS_AS", 216, CS_AS, 1252),
    sql("SQL_EBCDIC1141_CP1_CS_AS", 218, CS_AS, 1252),
    sql_as("SQL_EBCDIC273_CP1_CS_AS", 211, CS_AS, 1252, 66567, RuleSet::GermanPhoneBook),
    sql_as("SQL_EBCDIC277_CP1_CS_AS", 212, CS_AS, 1252, 1030, RuleSet::Danish),
    sql_as("SQL_EBCDIC277_2_CP1_CS_AS", 219, CS_AS, 1252, 1030, RuleSet::Danish),
    sql_as("SQL_EBCDIC278_CP1_CS_AS", 213, CS_AS, 1252, 1053, RuleSet::Swedish),
    sql_as("SQL_EBCDIC284_CP1_CS_AS", 215, CS_AS, 1252, 3082, RuleSet::Spanish),
    sql_as("SQL_EBCDIC297_CP1_CS_AS", 217, CS_AS, 1252, 1036, RuleSet::Root),
    sql_as("SQL_Croatian_CP1250_CI_AS", 92, CI_AS, 1250, 1050, RuleSet::Croatian),
    sql_as("SQL_Croatian_CP1250_CS_AS", 91, CS_AS, 1250, 1050, RuleSet::Croatian),
    sql_as("SQL_Czech_CP1250_CI_AS", 84, CI_AS, 1250, 1029, RuleSet::Czech),
    sql_as("SQL_Czech_CP1250_CS_AS", 83, CS_AS, 1250, 1029, RuleSet::Czech),
    sql_as("SQL_Estonian_CP1257_CI_AS", 156, CI_AS, 1257, 1061, RuleSet::Estonian),
    sql_as("SQL_Estonian_CP1257_CS_AS", 155, CS_AS, 1257, 1061, RuleSet::Estonian),
    sql_as("SQL_Hungarian_CP1250_CI_AS", 86, CI_AS, 1250, 1038, RuleSet::Hungarian),
    sql_as("SQL_Hungarian_CP1250_CS_AS", 85, CS_AS, 1250, 1038, RuleSet::Hungarian),
    sql_as("SQL_Latvian_CP1257_CI_AS", 158, CI_AS, 1257, 1062, RuleSet::Latvian),
    sql_as("SQL_Latvian_CP1257_CS_AS", 157, CS_AS, 1257, 1062, RuleSet::Latvian),
    sql_as("SQL_Lithuanian_CP1257_CI_AS", 160, CI_AS, 1257, 1063, RuleSet::Lithuanian),
    sql_as("SQL_Lithuanian_CP1257_CS_AS", 159, CS_AS, 1257, 1063, RuleSet::Lithuanian),
    sql_as("SQL_Polish_CP1250_CI_AS", 88, CI_AS, 1250, 1045, RuleSet::Polish),
    sql_as("SQL_Polish_CP1250_CS_AS", 87, CS_AS, 1250, 1045, RuleSet::Polish),
    sql_as("SQL_Romanian_CP1250_CI_AS", 90, CI_AS, 1250, 1048, RuleSet::Romanian),
    sql_as("SQL_Romanian_CP1250_CS_AS", 89, CS_AS, 1250, 1048, RuleSet::Romanian),
    sql_as("SQL_Slovak_CP1250_CI_AS", 94, CI_AS, 1250, 1051, RuleSet::Slovak),
    sql_as("SQL_Slovak_CP1250_CS_AS", 93, CS_AS, 1250, 1051, RuleSet::Slovak),
    sql_as("SQL_Slovenian_CP1250_CI_AS", 96, CI_AS, 1250, 1060, RuleSet::Slovenian),
    sql_as("SQL_Slovenian_CP1250_CS_AS", 95, CS_AS, 1250, 1060, RuleSet::Slovenian),
    sql_as("SQL_Ukrainian_CP1251_CI_AS", 108, CI_AS, 1251, 1058, RuleSet::Ukrainian),
    sql_as("SQL_Ukrainian_CP1251_CS_AS", 107, CS_AS, 1251, 1058, RuleSet::Ukrainian),
    sql_as("SQL_Scandinavian_CP850_CI_AS", 60, CI_AS, 850, 1053, RuleSet::Swedish),
    sql_as("SQL_Scandinavian_CP850_CS_AS", 59, CS_AS, 850, 1053, RuleSet::Swedish),
    sql_as("SQL_Danish_Pref_CP1_CI_AS", 183, CI_AS, 1252, 1030, RuleSet::Danish),
    sql_as("SQL_Icelandic_Pref_CP1_CI_AS", 186, CI_AS, 1252, 1039, RuleSet::Icelandic),
    sql_as("SQL_Scandinavian_Pref_CP850_CI_AS", 58, CI_AS, 850, 1053, RuleSet::Swedish),
    sql_as("SQL_SwedishPhone_Pref_CP1_CI_AS", 184, CI_AS, 1252, 1053, RuleSet::Swedish),
    sql_as("SQL_SwedishStd_Pref_CP1_CI_AS", 185, CI_AS, 1252, 1053, RuleSet::Swedish),
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
        (1..=TABLE.len() as u16).chain(families::ids()).map(Collation)
    }

    /// Whether a collation has this id.
    pub fn exists(self) -> bool {
        self.first().or_else(|| families::info(self.0)).is_some()
    }

    #[inline]
    fn first(self) -> Option<&'static CollationInfo> {
        TABLE.get(usize::from(self.0).wrapping_sub(1))
    }

    /// The collation of this name, in any case. Error 448 when there is none.
    pub fn by_name(name: &str) -> SqlResult<Collation> {
        families::by_name(&name.to_ascii_lowercase())
            .ok_or_else(|| SqlError::new(&message::INVALID_COLLATION, &[&name]))
    }

    /// The collation if databases can have it. Error 453 for one without a code page.
    pub fn of_database(self) -> SqlResult<Collation> {
        match self.info().is_unicode_only() {
            true => Err(SqlError::new(&message::COLLATION_NOT_OF_DATABASES, &[&self.name()])),
            false => Ok(self),
        }
    }

    /// What the table says; for "none" and for numbers that do not exist, the default collation's.
    #[inline]
    pub fn info(self) -> &'static CollationInfo {
        match self.first() {
            Some(info) => info,
            None => families::info(self.0).unwrap_or(&TABLE[0]),
        }
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

    /// The collation that TDS's five bytes mean; the first of several that differ only in `SC` or
    /// `VSS`.
    pub fn from_tds(bytes: [u8; 5]) -> Option<Collation> {
        match bytes == Collation::DEFAULT.to_tds() {
            true => Some(Collation::DEFAULT),
            false => families::by_wire_form(bytes),
        }
    }

    /// The sentence that `sys.fn_helpcollations` shows.
    pub fn description(self) -> String {
        let info = self.info();
        let family = families::of(info).map_or("Latin1_General", |f| f.name);
        let mut text = family.replace('_', "-");
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
            if info.version == 3 {
                text.push_str(", variation selector ");
                text.push_str(if info.flags.tells_variations() {
                    "sensitive"
                } else {
                    "insensitive"
                });
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
