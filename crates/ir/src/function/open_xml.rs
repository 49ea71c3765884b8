//! What the binder tells OPENXML of its columns, as constants among its arguments.

/// The number of arguments before those of columns: the handle, the pattern of rows, the flags.
pub const BEFORE_COLUMNS: usize = 3;

/// Columns that say nothing else are attributes, and so without any flag.
pub const ATTRIBUTES: i64 = 1;
/// Columns that say nothing else are elements; with [`ATTRIBUTES`], if there is no attribute.
pub const ELEMENTS: i64 = 2;
/// What columns have found is not in `@mp:xmltext`.
pub const UNCONSUMED: i64 = 8;

/// What a column is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum OpenValue {
    /// The text of a node.
    Text,
    /// Text that has to fit into a `sql_variant` (6625).
    Variant,
    /// A node as it is written.
    Xml,
}

/// A column of OPENXML. All are of type `nvarchar(max)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenColumn<'a> {
    /// What it is made of.
    pub value: OpenValue,
    /// Its name.
    pub name: &'a str,
    /// The local name of the attribute or element that it is, without a pattern.
    pub node: &'a str,
    /// Where it is found.
    pub pattern: Option<&'a str>,
}

impl<'a> OpenColumn<'a> {
    /// The constant.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.value as u8, u8::from(self.pattern.is_some())];
        for text in [self.name, self.node, self.pattern.unwrap_or_default()] {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }

    /// What a constant says. `None` if it is none.
    pub fn decode(bytes: &'a [u8]) -> Option<OpenColumn<'a>> {
        let (head, mut rest) = bytes.split_first_chunk::<2>()?;
        let mut text = || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (text, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            std::str::from_utf8(text).ok()
        };
        let values = [OpenValue::Text, OpenValue::Variant, OpenValue::Xml];
        let value = *values.get(usize::from(head[0]))?;
        let (name, node, pattern) = (text()?, text()?, text()?);
        Some(OpenColumn { value, name, node, pattern: (head[1] != 0).then_some(pattern) })
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenColumn, OpenValue};

    #[test]
    fn columns_are_read_as_they_were_written() {
        for value in [OpenValue::Text, OpenValue::Variant, OpenValue::Xml] {
            for pattern in [None, Some(""), Some("../@id")] {
                let column = OpenColumn { value, name: "a b", node: "a_x0020_b", pattern };
                assert_eq!(OpenColumn::decode(&column.encode()), Some(column));
            }
        }
        assert_eq!(OpenColumn::decode(&[9, 0, 0]), None);
    }
}
