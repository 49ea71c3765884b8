//! Into xml from strings and binaries, and back.

use encoding_rs::Encoding;

use super::{ConvertOptions, not_allowed, strings};
use crate::arena::{Arena, ArenaBuffer};
use crate::collation::codepage::{self, CodePage, code_page};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::Pace;
use crate::types::conversion::{Convertibility, convertibility};
use crate::types::{SqlType, TypeKind, XmlUse};
use crate::value::ValueRef;
use crate::xml::parse::{Declaration, Fault, declaration};
use crate::xml::{self, Document, ParseOptions};

/// Bytes in which a declaration is looked for.
const DECLARATION_MAX: usize = 1024;

const UTF16_MARK: &[u8] = &[0xFF, 0xFE];
const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// Converts to xml, or from it. Errors 529, 6354, 6355, 6358, those of [`xml::parse`] and those of
/// validation.
pub(super) fn convert_xml<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if from.kind == to.kind {
        return checked(value, from, to, options, arena);
    }
    if convertibility(from.kind, to.kind) == Convertibility::Never {
        return Err(not_allowed(from, to));
    }
    match to.kind {
        TypeKind::Xml => to_xml(value, from, to, options, arena),
        _ if to.kind.is_binary() => to_binary(value, to, options, arena),
        _ => to_string(value, from, to, options, arena),
    }
}

/// Checks an xml by the collection of its new type, unless the old type has the same. The errors of
/// validation.
fn checked<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let Some(wanted) = to.xml_use() else { return Ok(value) };
    let is_checked = from.xml_use().is_some_and(|own| {
        own.collection == wanted.collection && (own.is_document || !wanted.is_document)
    });
    if is_checked {
        return Ok(value);
    }
    let ValueRef::Chars(text) = value else { return Ok(value) };
    let document = xml::parse_value(text, arena.account(), options.pace)?;
    match validated(&document, wanted, options, arena)? {
        Some(changed) => written(&changed, text.len(), options.pace, arena),
        None => Ok(value),
    }
}

/// The document in canonical form with its defaults; `None` if it is so already. The errors of
/// validation.
fn validated(
    document: &Document,
    wanted: XmlUse,
    options: &ConvertOptions<'_>,
    arena: &Arena,
) -> SqlResult<Option<Document>> {
    let Some(collections) = options.collections else {
        return Err(SqlError::new(&message::COLLECTION_UNKNOWN, &[&wanted.collection]));
    };
    let collection = collections.collection(wanted.collection, options.pace)?;
    collection.validate(document, wanted.is_document, arena.account(), options.pace)
}

fn to_xml<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let style = options.style.unwrap_or(0);
    if !(0..=3).contains(&style) {
        return Err(SqlError::new(&message::XML_STYLE_INVALID, &[&style]));
    }
    let how = ParseOptions { preserve: style & 1 != 0, internal_subset: style & 2 != 0 };
    let document = {
        let text = match value {
            ValueRef::Unicode(bytes) => from_utf16(bytes, options.pace, arena)?,
            ValueRef::Chars(bytes) => from_chars(bytes, from, options, arena)?,
            ValueRef::Bytes(bytes) => from_bytes(bytes, options, arena)?,
            other => unreachable!("{other:?} is not a string or binary"),
        };
        xml::parse(text, how, arena.account(), options.pace)?
    };
    let document = match to.xml_use() {
        Some(wanted) => validated(&document, wanted, options, arena)?.unwrap_or(document),
        None => document,
    };
    written(&document, value.byte_len(), options.pace, arena)
}

/// The UTF-8 text of a string, or of a value of type xml, by the encoding that it declares or has.
/// Errors 9401, 9402.
pub fn xml_text<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    pace: &dyn Pace,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    let options = ConvertOptions { pace, ..ConvertOptions::default() };
    match value {
        ValueRef::Chars(text) if from.kind == TypeKind::Xml => Ok(text),
        ValueRef::Chars(bytes) => from_chars(bytes, from, &options, arena),
        ValueRef::Unicode(bytes) => from_utf16(bytes, pace, arena),
        other => unreachable!("{other:?} is not a string"),
    }
}

/// The canonical text of a document that took this many bytes.
fn written<'a>(
    document: &Document,
    bytes: usize,
    pace: &dyn Pace,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    arena.admit(bytes)?;
    let mut out = arena.buffer_of(bytes);
    xml::write(document, Document::ROOT, &mut out, pace)?;
    Ok(ValueRef::Chars(out.finish()))
}

/// UTF-16 text as UTF-8. Error 9402 if it declares an encoding of single bytes.
fn from_utf16<'a>(bytes: &[u8], pace: &dyn Pace, arena: &'a Arena) -> SqlResult<&'a [u8]> {
    let bytes = bytes.strip_prefix(UTF16_MARK).unwrap_or(bytes);
    arena.admit(bytes.len() / 2)?;
    let mut out = arena.buffer_of(bytes.len() / 2);
    for piece in codepage::pieces(SqlType::xml().collation, ValueRef::Unicode(bytes)) {
        pace.pace()?;
        out.admit(2 * piece.len())?;
        put_utf16(piece, &mut out);
    }
    let text = out.finish();
    let head = head(text);
    if let Some(Declaration { encoding: Some(name), end, .. }) = declared(head) {
        check_encoding(head, name, end, true)?;
    }
    Ok(text)
}

/// Appends UTF-16. Half a pair becomes a character that XML does not have either.
fn put_utf16(piece: &[u8], out: &mut ArenaBuffer<'_>) {
    for c in char::decode_utf16(codepage::units(piece)) {
        let c = c.unwrap_or('\u{FFFF}');
        out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Text of a code page as UTF-8; of another encoding if the text declares one.
fn from_chars<'a>(
    bytes: &'a [u8],
    from: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    let head = head(bytes);
    if let Some(Declaration { encoding: Some(name), end, .. }) = declared(head) {
        let encoding = check_encoding(head, name, end, false)?;
        return decoded(bytes, encoding, options.pace, arena);
    }
    if matches!(code_page(from.collation), CodePage::Utf8) {
        return Ok(bytes);
    }
    let utf8 = SqlType::varchar_max(SqlType::xml().collation);
    match strings::to_text(ValueRef::Chars(bytes), from, &utf8, options, arena)? {
        ValueRef::Chars(text) => Ok(text),
        other => unreachable!("{other:?} is not a varchar"),
    }
}

/// Bytes as UTF-8: by their mark, else by what they declare, else they are UTF-8.
fn from_bytes<'a>(
    bytes: &'a [u8],
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    if bytes.starts_with(UTF16_MARK) || bytes.starts_with(b"<\0") {
        return from_utf16(&bytes[..bytes.len() & !1], options.pace, arena);
    }
    if bytes.starts_with(&[0xFE, 0xFF]) {
        return decoded(&bytes[2..], encoding_rs::UTF_16BE, options.pace, arena);
    }
    if let Some(text) = bytes.strip_prefix(UTF8_MARK) {
        return Ok(text);
    }
    let head = head(bytes);
    if let Some(Declaration { encoding: Some(name), end, .. }) = declared(head) {
        let encoding = check_encoding(head, name, end, false)?;
        return decoded(bytes, encoding, options.pace, arena);
    }
    Ok(bytes)
}

/// The ASCII characters that a text begins with, as many as a declaration has.
fn head(bytes: &[u8]) -> &str {
    let ascii = bytes.iter().take(DECLARATION_MAX).take_while(|byte| byte.is_ascii()).count();
    std::str::from_utf8(&bytes[..ascii]).expect("ASCII is UTF-8")
}

/// What a text declares, if it is right; what is wrong is found when it is read.
fn declared(head: &str) -> Option<Declaration<'_>> {
    declaration(head).ok().flatten()
}

/// The encoding of this name, which must have units as wide as the text. Errors 9401, 9402.
fn check_encoding(
    head: &str,
    name: &str,
    end: usize,
    is_wide: bool,
) -> SqlResult<&'static Encoding> {
    let fault = |message| Err(Fault::At(message, end).error(&format!("{head}\n")));
    let wide_names = ["utf-16", "ucs-2", "iso-10646-ucs-2", "utf-16le"];
    let names_wide = wide_names.iter().any(|wide| wide.eq_ignore_ascii_case(name));
    match Encoding::for_label(name.as_bytes()) {
        _ if is_wide && names_wide => Ok(encoding_rs::UTF_16LE),
        _ if names_wide => fault(&message::XML_ENCODING_SWITCH),
        None => fault(&message::XML_ENCODING_UNKNOWN),
        Some(_) if is_wide => fault(&message::XML_ENCODING_SWITCH),
        Some(encoding) => Ok(encoding),
    }
}

/// Bytes of an encoding as UTF-8.
fn decoded<'a>(
    bytes: &'a [u8],
    encoding: &'static Encoding,
    pace: &dyn Pace,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    if encoding == encoding_rs::UTF_8 {
        return Ok(bytes);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    arena.admit(bytes.len())?;
    let mut out = arena.buffer_of(bytes.len());
    let mut piece = [0; 4096];
    let mut rest = bytes;
    loop {
        pace.pace()?;
        let (result, read, written, _) = decoder.decode_to_utf8(rest, &mut piece, true);
        out.try_extend(&piece[..written])?;
        rest = &rest[read..];
        if result == encoding_rs::CoderResult::InputEmpty {
            return Ok(out.finish());
        }
    }
}

/// A document as a string, which is never cut.
fn to_string<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let options = &ConvertOptions { style: None, ..*options };
    let lacks = |unit: u16| match code_page(to.collation) {
        CodePage::Single(page) => page.encode_exact(unit).is_none(),
        CodePage::Double(page) => page.encode(unit).is_none(),
        CodePage::Utf8 => false,
    };
    if let ValueRef::Chars(bytes) = value
        && !to.kind.is_unicode()
        && !matches!(code_page(to.collation), CodePage::Utf8)
        && !bytes.is_ascii()
    {
        for piece in codepage::pieces(from.collation, value) {
            options.pace.pace()?;
            let text = String::from_utf8_lossy(piece);
            if text.encode_utf16().any(lacks) {
                return Err(SqlError::new(&message::XML_TO_COLLATION, &[]));
            }
        }
    }
    let unbounded = match to.kind.is_unicode() {
        true => SqlType::nvarchar_max(to.collation),
        false => SqlType::varchar_max(to.collation),
    };
    let text = strings::to_text(value, from, &unbounded, options, arena)?;
    if text.byte_len() > to.byte_limit() {
        return Err(SqlError::new(&message::XML_TO_TEXT_SPACE, &[]));
    }
    strings::to_text(text, &unbounded, to, options, arena)
}

/// A document as UTF-16 with a byte order mark.
fn to_binary<'a>(
    value: ValueRef<'a>,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let length = UTF16_MARK.len() + 2 * value.byte_len();
    arena.admit(length)?;
    let mut out = arena.buffer_of(length);
    out.extend(UTF16_MARK);
    for piece in codepage::pieces(SqlType::xml().collation, value) {
        options.pace.pace()?;
        codepage::to_unicode(SqlType::xml().collation, piece, &mut out);
    }
    if out.len() > to.byte_limit() {
        return Err(SqlError::new(&message::XML_TO_TEXT_SPACE, &[]));
    }
    let from = SqlType::varbinary_max();
    super::binary::to_binary(ValueRef::Bytes(out.finish()), &from, to, options, arena)
}
