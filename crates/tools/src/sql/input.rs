//! Script files: bytes of some encoding.

use std::io::{self, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Reads a script; `-` is the standard input stream.
///
/// # Errors
/// When the file cannot be read.
pub fn read_script(path: &Path, code_page: Option<u32>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(path)?;
    }
    Ok(decode(bytes, code_page))
}

/// A script's text: a byte order mark says what it is; otherwise it is UTF-8, and if it is not that
/// either, of the named code page or Windows's western one.
pub fn decode(bytes: Vec<u8>, code_page: Option<u32>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    if let Some(encoding) = code_page.and_then(encoding).filter(|e| *e != UTF_8) {
        return encoding.decode_without_bom_handling(&bytes).0.into_owned();
    }
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => WINDOWS_1252.decode_without_bom_handling(error.as_bytes()).0.into_owned(),
    }
}

/// The encoding that Windows numbers so.
fn encoding(code_page: u32) -> Option<&'static Encoding> {
    let label = match code_page {
        65001 => "utf-8",
        1200 => "utf-16le",
        1201 => "utf-16be",
        932 => "shift_jis",
        936 | 54936 => "gb18030",
        949 => "euc-kr",
        950 => "big5",
        874 => "windows-874",
        866 => "ibm866",
        20866 => "koi8-r",
        28591..=28605 => {
            return Encoding::for_label(format!("iso-8859-{}", code_page - 28590).as_bytes());
        }
        1250..=1258 => return Encoding::for_label(format!("windows-{code_page}").as_bytes()),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests;
