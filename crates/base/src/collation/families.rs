//! The families of Windows collations, and the collations of each.
//!
//! A family's name, with a version of the rules, comes before what a collation of it does not
//! distinguish: `Japanese_XJIS_140` and `_CI_AS_KS_VSS`. Which suffixes there are follows from the
//! version alone.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::rules::RuleSet;
use super::table::{CollationFlags, CollationInfo, TABLE};
use crate::types::Collation;

/// A family of Windows collations.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) lcid: u32,
    /// The code page of char and varchar; 0 if there is none.
    code_page: u16,
    version: u8,
    /// How it orders; `None` for the weights of Latin1_General.
    rules: Option<RuleSet>,
}

const fn family(
    name: &'static str,
    lcid: u32,
    code_page: u16,
    version: u8,
    rules: RuleSet,
) -> Family {
    Family { name, lcid, code_page, version, rules: Some(rules) }
}

const fn latin(name: &'static str, lcid: u32, code_page: u16, version: u8) -> Family {
    Family { name, lcid, code_page, version, rules: None }
}

use RuleSet::*;

/// All families. Ids of collations follow from places here, so entries are only ever appended.
pub(super) static FAMILIES: &[Family] = &[
    latin("Latin1_General", 1033, 1252, 0),
    latin("Latin1_General_100", 1033, 1252, 2),
    latin("Cyrillic_General", 1049, 1251, 0),
    latin("Cyrillic_General_100", 1049, 1251, 2),
    latin("Greek", 1032, 1253, 0),
    latin("Greek_100", 1032, 1253, 2),
    family("Albanian", 1052, 1250, 0, Albanian),
    family("Arabic", 1025, 1256, 0, Arabic),
    family("Chinese_PRC", 2052, 936, 0, ChinesePinyin),
    family("Chinese_PRC_Stroke", 133124, 936, 0, ChineseStroke),
    family("Chinese_Taiwan_Bopomofo", 197636, 950, 0, ChineseBopomofo),
    family("Chinese_Taiwan_Stroke", 1028, 950, 0, ChineseStroke),
    family("Croatian", 1050, 1250, 0, Croatian),
    family("Czech", 1029, 1250, 0, Czech),
    family("Danish_Norwegian", 1030, 1252, 0, Danish),
    family("Estonian", 1061, 1257, 0, Estonian),
    family("Finnish_Swedish", 1053, 1252, 0, Swedish),
    family("French", 1036, 1252, 0, Root),
    family("Georgian_Modern_Sort", 66615, 1252, 0, Root),
    family("German_PhoneBook", 66567, 1252, 0, GermanPhoneBook),
    family("Hebrew", 1037, 1255, 0, Hebrew),
    family("Hungarian", 1038, 1250, 0, Hungarian),
    family("Hungarian_Technical", 66574, 1250, 0, Hungarian),
    family("Icelandic", 1039, 1252, 0, Icelandic),
    family("Japanese", 1041, 932, 0, Japanese),
    family("Japanese_Unicode", 66577, 932, 0, JapaneseRadicals),
    family("Korean_Wansung", 1042, 949, 0, Korean),
    family("Latvian", 1062, 1257, 0, Latvian),
    family("Lithuanian", 1063, 1257, 0, Lithuanian),
    family("Modern_Spanish", 3082, 1252, 0, Spanish),
    family("Polish", 1045, 1250, 0, Polish),
    family("Romanian", 1048, 1250, 0, Romanian),
    family("Slovak", 1051, 1250, 0, Slovak),
    family("Slovenian", 1060, 1250, 0, Slovenian),
    family("Thai", 1054, 874, 0, Thai),
    family("Traditional_Spanish", 1034, 1252, 0, TraditionalSpanish),
    family("Turkish", 1055, 1254, 0, Turkish),
    family("Ukrainian", 1058, 1251, 0, Ukrainian),
    family("Vietnamese", 1066, 1258, 0, Vietnamese),
    family("Chinese_Hong_Kong_Stroke_90", 3076, 950, 1, ChineseStroke),
    family("Chinese_PRC_90", 2052, 936, 1, ChinesePinyin),
    family("Chinese_PRC_Stroke_90", 133124, 936, 1, ChineseStroke),
    family("Chinese_Taiwan_Bopomofo_90", 197636, 950, 1, ChineseBopomofo),
    family("Chinese_Taiwan_Stroke_90", 1028, 950, 1, ChineseStroke),
    family("Divehi_90", 1125, 0, 1, Root),
    family("Indic_General_90", 1081, 0, 1, Hindi),
    family("Japanese_90", 1041, 932, 1, Japanese),
    family("Kazakh_90", 1087, 1251, 1, Kazakh),
    family("Korean_90", 1042, 949, 1, Korean),
    family("Macedonian_FYROM_90", 1071, 1251, 1, Macedonian),
    family("Syriac_90", 1114, 0, 1, Root),
    family("Tatar_90", 1092, 1251, 1, Root),
    family("Uzbek_Latin_90", 1091, 1254, 1, Uzbek),
    family("Albanian_100", 1052, 1250, 2, Albanian),
    family("Arabic_100", 1025, 1256, 2, Arabic),
    family("Assamese_100", 1101, 0, 2, Assamese),
    family("Azeri_Cyrillic_100", 2092, 1251, 2, Root),
    family("Azeri_Latin_100", 1068, 1254, 2, Azeri),
    family("Bashkir_100", 1133, 1251, 2, Root),
    family("Bengali_100", 1093, 0, 2, Bengali),
    family("Bosnian_Cyrillic_100", 8218, 1251, 2, Root),
    family("Bosnian_Latin_100", 5146, 1250, 2, Croatian),
    family("Breton_100", 1150, 1252, 2, Breton),
    family("Chinese_Simplified_Pinyin_100", 2052, 936, 2, ChinesePinyin),
    family("Chinese_Simplified_Stroke_Order_100", 133124, 936, 2, ChineseStroke),
    family("Chinese_Traditional_Bopomofo_100", 197636, 950, 2, ChineseBopomofo),
    family("Chinese_Traditional_Pinyin_100", 5124, 950, 2, ChinesePinyin),
    family("Chinese_Traditional_Stroke_Count_100", 1028, 950, 2, ChineseStroke),
    family("Chinese_Traditional_Stroke_Order_100", 136196, 950, 2, ChineseStroke),
    family("Corsican_100", 1155, 1252, 2, Root),
    family("Croatian_100", 1050, 1250, 2, Croatian),
    family("Czech_100", 1029, 1250, 2, Czech),
    family("Danish_Greenlandic_100", 1030, 1252, 2, Danish),
    family("Dari_100", 1164, 1256, 2, Persian),
    family("Divehi_100", 1125, 0, 2, Root),
    family("Estonian_100", 1061, 1257, 2, Estonian),
    family("Finnish_Swedish_100", 1053, 1252, 2, Swedish),
    family("French_100", 1036, 1252, 2, Root),
    family("Frisian_100", 1122, 1252, 2, Root),
    family("Georgian_Modern_Sort_100", 66615, 1252, 2, Root),
    family("German_PhoneBook_100", 66567, 1252, 2, GermanPhoneBook),
    family("Hebrew_100", 1037, 1255, 2, Hebrew),
    family("Hungarian_100", 1038, 1250, 2, Hungarian),
    family("Hungarian_Technical_100", 66574, 1250, 2, Hungarian),
    family("Icelandic_100", 1039, 1252, 2, Icelandic),
    family("Indic_General_100", 1081, 0, 2, Hindi),
    family("Japanese_Bushu_Kakusu_100", 263185, 932, 2, JapaneseRadicals),
    family("Japanese_XJIS_100", 1041, 932, 2, Japanese),
    family("Kazakh_100", 1087, 1251, 2, Kazakh),
    family("Khmer_100", 1107, 0, 2, Khmer),
    family("Korean_100", 1042, 949, 2, Korean),
    family("Lao_100", 1108, 0, 2, Lao),
    family("Latvian_100", 1062, 1257, 2, Latvian),
    family("Lithuanian_100", 1063, 1257, 2, Lithuanian),
    family("Macedonian_FYROM_100", 1071, 1251, 2, Macedonian),
    family("Maltese_100", 1082, 0, 2, Maltese),
    family("Maori_100", 1153, 0, 2, Root),
    family("Mapudungan_100", 1146, 1252, 2, Spanish),
    family("Modern_Spanish_100", 3082, 1252, 2, Spanish),
    family("Mohawk_100", 1148, 1252, 2, Root),
    family("Nepali_100", 1121, 0, 2, Hindi),
    family("Norwegian_100", 1044, 1252, 2, Norwegian),
    family("Pashto_100", 1123, 0, 2, Pashto),
    family("Persian_100", 1065, 1256, 2, Persian),
    family("Polish_100", 1045, 1250, 2, Polish),
    family("Romanian_100", 1048, 1250, 2, Romanian),
    family("Romansh_100", 1047, 1252, 2, Root),
    family("Sami_Norway_100", 1083, 1252, 2, Norwegian),
    family("Sami_Sweden_Finland_100", 2107, 1252, 2, Swedish),
    family("Serbian_Cyrillic_100", 3098, 1251, 2, Root),
    family("Serbian_Latin_100", 2074, 1250, 2, Croatian),
    family("Slovak_100", 1051, 1250, 2, Slovak),
    family("Slovenian_100", 1060, 1250, 2, Slovenian),
    family("Syriac_100", 1114, 0, 2, Root),
    family("Tamazight_100", 2143, 1252, 2, Root),
    family("Tatar_100", 1092, 1251, 2, Root),
    family("Thai_100", 1054, 874, 2, Thai),
    family("Tibetan_100", 1105, 0, 2, Root),
    family("Traditional_Spanish_100", 1034, 1252, 2, TraditionalSpanish),
    family("Turkish_100", 1055, 1254, 2, Turkish),
    family("Turkmen_100", 1090, 1250, 2, Turkmen),
    family("Uighur_100", 1152, 1256, 2, Uighur),
    family("Ukrainian_100", 1058, 1251, 2, Ukrainian),
    family("Upper_Sorbian_100", 1070, 1252, 2, UpperSorbian),
    family("Urdu_100", 1056, 1256, 2, Urdu),
    family("Uzbek_Latin_100", 1091, 1254, 2, Uzbek),
    family("Vietnamese_100", 1066, 1258, 2, Vietnamese),
    family("Welsh_100", 1106, 1252, 2, Welsh),
    family("Yakut_100", 1157, 1251, 2, Root),
    family("Japanese_Bushu_Kakusu_140", 263185, 932, 3, JapaneseRadicals),
    family("Japanese_XJIS_140", 1041, 932, 3, Japanese),
];

/// Ids below are those of [`TABLE`].
const FIRST_ID: u16 = 128;
/// Ids that a family has; not all of them are in use.
const IDS_OF_FAMILY: u16 = 72;

impl Family {
    /// The suffix, the flags and the code page of the collation in this place, if there is one.
    fn collation(&self, place: u16) -> Option<(String, CollationFlags, u16)> {
        use CollationFlags as F;
        let (has_supplementary, is_140) = (self.version >= 1, self.version == 3);
        let (group, at) = match place {
            0 => return Some(("_BIN".into(), F::BIN, self.code_page)),
            1 => return Some(("_BIN2".into(), F::BIN2, self.code_page)),
            66 if has_supplementary => {
                return Some(("_BIN2_UTF8".into(), F::BIN2.with(F::IN_UTF8), 65001));
            }
            2..66 => ((place - 2) / 16, (place - 2) % 16),
            _ => return None,
        };
        let (end, more, code_page) = match group {
            0 if is_140 => ("", F::WIDE_CHARACTERS, self.code_page),
            0 => ("", F::NOTHING, self.code_page),
            1 if is_140 => ("_VSS", F::WIDE_CHARACTERS.with(F::TELLS_VARIATIONS), self.code_page),
            1 if has_supplementary => ("_SC", F::WIDE_CHARACTERS, self.code_page),
            2 if is_140 => ("_UTF8", F::IN_UTF8, 65001),
            2 if has_supplementary => ("_SC_UTF8", F::IN_UTF8, 65001),
            3 if is_140 => ("_VSS_UTF8", F::IN_UTF8.with(F::TELLS_VARIATIONS), 65001),
            _ => return None,
        };
        let mut flags = more;
        let mut suffix = String::new();
        for (bit, ignoring, (yes, no)) in [
            (8, F::CI, ("_CI", "_CS")),
            (4, F::AI, ("_AI", "_AS")),
            (2, F::KI, ("", "_KS")),
            (1, F::WI, ("", "_WS")),
        ] {
            let ignores = at & bit == 0;
            suffix.push_str(if ignores { yes } else { no });
            if ignores {
                flags = flags.with(ignoring);
            }
        }
        Some((suffix + end, flags, code_page))
    }
}

/// The collations that are not in [`TABLE`], by their ids from [`FIRST_ID`] on.
static ALL: LazyLock<Vec<Option<CollationInfo>>> = LazyLock::new(|| {
    let known: HashSet<&str> = TABLE.iter().map(|info| info.name).collect();
    let mut all = Vec::with_capacity(FAMILIES.len() * usize::from(IDS_OF_FAMILY));
    for family in FAMILIES {
        for place in 0..IDS_OF_FAMILY {
            all.push(family.collation(place).and_then(|(suffix, flags, code_page)| {
                let name = format!("{}{suffix}", family.name);
                if known.contains(&*name) {
                    return None;
                }
                let rules = if flags.is_binary() { None } else { family.rules };
                let (lcid, version) = (family.lcid, family.version);
                // As many as there are names of collations, once.
                let name = Box::leak(name.into_boxed_str());
                Some(CollationInfo { name, lcid, sort_id: 0, version, flags, code_page, rules })
            }));
        }
    }
    all
});

/// What is known of a collation that is not in [`TABLE`].
#[cold]
pub(super) fn info(id: u16) -> Option<&'static CollationInfo> {
    // Columns that are no strings have none, and need no table.
    let place = id.checked_sub(FIRST_ID)?;
    ALL.get(usize::from(place))?.as_ref()
}

/// The ids of those that are not in [`TABLE`].
pub(super) fn ids() -> impl Iterator<Item = u16> {
    (FIRST_ID..).zip(ALL.iter()).filter_map(|(id, info)| info.is_some().then_some(id))
}

/// All collations by their names in lower case.
pub(super) fn by_name(lower: &str) -> Option<Collation> {
    static NAMES: LazyLock<HashMap<String, u16>> =
        LazyLock::new(|| Collation::all().map(|c| (c.name().to_ascii_lowercase(), c.0)).collect());
    NAMES.get(lower).map(|id| Collation(*id))
}

/// All collations by what TDS sends; of several that look alike, the first.
pub(super) fn by_wire_form(bytes: [u8; 5]) -> Option<Collation> {
    static FORMS: LazyLock<HashMap<[u8; 5], u16>> = LazyLock::new(|| {
        let mut forms = HashMap::new();
        for collation in Collation::all() {
            forms.entry(collation.to_tds()).or_insert(collation.0);
        }
        forms
    });
    FORMS.get(&bytes).map(|id| Collation(*id))
}

/// The family whose name a collation's begins with.
pub(super) fn of(info: &CollationInfo) -> Option<&'static Family> {
    let begins = |f: &&Family| {
        let rest = info.name.strip_prefix(f.name);
        info.sort_id == 0
            && info.version == f.version
            && rest.is_some_and(|r| ["_CI", "_CS", "_BIN"].iter().any(|s| r.starts_with(s)))
    };
    let language = |f: &&Family| info.sort_id != 0 && f.version == 0 && f.lcid == info.lcid;
    FAMILIES.iter().find(begins).or_else(|| FAMILIES.iter().find(language))
}
