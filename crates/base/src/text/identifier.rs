//! Names of objects, columns, variables.

use std::borrow::Cow;

/// A name in the form under which names of a case-insensitive catalog are looked up: lower case,
/// trailing blanks dropped. Borrowed when nothing has to change.
pub fn fold_identifier(name: &str) -> Cow<'_, str> {
    let name = name.trim_end_matches(' ');
    if name.is_ascii() {
        return match name.bytes().any(|b| b.is_ascii_uppercase()) {
            true => Cow::Owned(name.to_ascii_lowercase()),
            false => Cow::Borrowed(name),
        };
    }
    Cow::Owned(name.chars().map(|c| crate::collation::case::Case::Lower.of(c)).collect())
}

/// Whether two names are the same in a case-insensitive catalog. Consistent with
/// [`fold_identifier`].
pub fn same_identifier(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_end_matches(' '), b.trim_end_matches(' '));
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    fold_identifier(a) == fold_identifier(b)
}

/// `QUOTENAME(name)`: in brackets, closing brackets doubled.
pub fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

#[cfg(test)]
mod tests;
