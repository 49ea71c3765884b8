//! Statements within texts, as the views over executions show them.

/// Where a statement begins, and where its last character does: in bytes of UTF-16, as
/// `statement_start_offset` and `statement_end_offset` have it. The text that is shown has the
/// declarations of its parameters before it, if there are any.
pub fn offsets(text: &str, (start, end): (u32, u32), parameters: &str) -> (i32, i32) {
    let units = |part: &str| part.encode_utf16().count();
    let before = match parameters {
        "" => 0,
        parameters => units(parameters) + 2,
    };
    let start_units = before + text.get(..start as usize).map_or(0, units);
    let statement = text.get(start as usize..end as usize).unwrap_or_default();
    let last = statement.trim_end().char_indices().next_back().map_or(0, |(at, _)| at);
    let end_units = start_units + units(&statement[..last]);
    let byte = |units: usize| i32::try_from(units * 2).unwrap_or(i32::MAX);
    (byte(start_units), byte(end_units))
}

/// The same number for statements that differ in nothing but constants, white space and case.
pub fn shape_hash(text: &str) -> u64 {
    const PRIME: u64 = 0x0100_0000_01B3;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |c: char| hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(PRIME);
    let mut chars = text.chars().peekable();
    let mut in_word = false;
    while let Some(c) = chars.next() {
        if c == '\'' {
            while let Some(inside) = chars.next() {
                // A doubled quote is part of the string.
                if inside == '\'' && chars.next_if_eq(&'\'').is_none() {
                    break;
                }
            }
            add('?');
        } else if c.is_ascii_digit() && !in_word {
            while chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '.').is_some() {}
            add('?');
        } else if c.is_whitespace() {
            while chars.next_if(|c| c.is_whitespace()).is_some() {}
            add(' ');
        } else {
            c.to_lowercase().for_each(&mut add);
        }
        in_word = c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$');
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_cut_the_statement_out_of_the_text() {
        let text = "select 'ä€😀'; select 2 ";
        let place = |statement: &str| {
            let start = text.find(statement).unwrap();
            (start as u32, (start + statement.len()) as u32)
        };
        for (statement, parameters) in
            [("select 'ä€😀'", ""), ("select 2 ", ""), ("select 2 ", "@a int")]
        {
            let shown = match parameters {
                "" => text.to_owned(),
                parameters => format!("({parameters}){text}"),
            };
            let units: Vec<u16> = shown.encode_utf16().collect();
            let (start, end) = offsets(text, place(statement), parameters);
            // substring(text, start / 2 + 1, (end - start) / 2 + 1)
            let (from, count) = (start as usize / 2, (end - start) as usize / 2 + 1);
            let cut = String::from_utf16(&units[from..from + count]).unwrap();
            assert_eq!(cut, statement.trim_end());
        }
    }

    #[test]
    fn shapes_are_the_same_for_other_constants() {
        let shape = shape_hash("select a1 from t where b = 12.5 and c = N'x'");
        assert_eq!(shape, shape_hash("SELECT  a1 from T\nwhere b = 7 and c = N'it''s'"));
        assert_ne!(shape, shape_hash("select a2 from t where b = 12.5 and c = N'x'"));
    }
}
