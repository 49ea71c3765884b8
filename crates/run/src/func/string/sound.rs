//! How strings sound in English: SOUNDEX.

use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::text;

pub(super) fn types_of_soundex(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::varchar(5, call.collation), &[call.text(0)?]))
}

pub(super) fn soundex<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let code = code_of(&text(args[0], types.args[0].collation));
    Ok(ValueRef::Chars(ctx.arena.alloc_bytes(&code)))
}

/// The digit of a consonant; 0 for vowels, and for what is not a letter.
fn digit(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'B' | b'F' | b'P' | b'V' => b'1',
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => b'2',
        b'D' | b'T' => b'3',
        b'L' => b'4',
        b'M' | b'N' => b'5',
        b'R' => b'6',
        _ => b'0',
    }
}

/// The first letter and the digits of the three consonants after it. Equal neighbours count once,
/// with an H or W between them too; what is not a letter ends the word.
fn code_of(text: &str) -> [u8; 4] {
    let mut code = [b'0'; 4];
    let word = text.trim_start_matches(' ').as_bytes();
    let Some(first) = word.first().filter(|b| b.is_ascii_alphabetic()) else { return code };
    code[0] = first.to_ascii_uppercase();
    let mut last = digit(*first);
    let mut used = 1;
    for &letter in word[1..].iter().take_while(|b| b.is_ascii_alphabetic()) {
        if used == code.len() {
            break;
        }
        if matches!(letter.to_ascii_uppercase(), b'H' | b'W') {
            continue;
        }
        let next = digit(letter);
        if next != b'0' && next != last {
            code[used] = next;
            used += 1;
        }
        last = next;
    }
    code
}

pub(super) fn types_of_difference(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::int(), &[call.text(0)?, call.text(1)?]))
}

pub(super) fn difference<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let a = code_of(&text(args[0], types.args[0].collation));
    let b = code_of(&text(args[1], types.args[1].collation));
    Ok(ValueRef::Int(a.iter().zip(&b).filter(|(a, b)| a == b).count() as i64))
}
