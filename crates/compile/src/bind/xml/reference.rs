//! Addresses that `AUTO` writes for binary values: `dbobject/table[@key='1']/@column`.

use base::{SqlError, message};
use ir::function::xml::RowShape;

use super::declared::attribute;
use super::shape::is_binary;
use crate::bind::context::BindResult;
use crate::bind::scope::OutCol;
use crate::bind::select::Tables;

/// The address of a value.
pub(super) struct Reference {
    /// The columns that hold the table's key, by their places.
    pub keys: Vec<usize>,
    /// What is written before the first key, and after each.
    texts: Vec<String>,
}

/// The address of a column's values. Errors 6830 to 6832.
pub(super) fn of(columns: &[OutCol], tables: &Tables, at: usize) -> BindResult<Reference> {
    let column = &columns[at];
    let name = column.name.as_deref().unwrap_or_default();
    let source = |at: usize| tables.shown.get(at).copied().flatten();
    let Some((base, own)) = column.base.as_ref().zip(source(at)) else {
        return Err(SqlError::new(&message::FOR_XML_BINARY_TABLE, &[&name]).into());
    };
    let table = &base.table;
    let no_key = || SqlError::new(&message::FOR_XML_BINARY_KEY, &[&name]);
    let index = table.primary_key().ok_or_else(no_key)?;
    let mut keys = Vec::with_capacity(index.key.len());
    let mut texts = vec![format!("dbobject/{}[", attribute(&table.header.name))];
    for key in &index.key {
        let ordinal = table.column_ordinal(key.column).ok_or_else(no_key)?;
        let shows = |place: &usize| {
            let base = columns[*place].base.as_ref();
            source(*place) == Some(own) && base.is_some_and(|base| base.ordinal == ordinal)
        };
        let place = (0..columns.len()).find(shows).ok_or_else(no_key)?;
        if is_binary(&columns[place]) {
            return Err(SqlError::new(&message::FOR_XML_BINARY_KEY_BINARY, &[]).into());
        }
        let last = texts.last_mut().expect("there is one more than keys");
        if !keys.is_empty() {
            last.push_str("%20and%20");
        }
        last.push_str(&format!("@{}='", attribute(&table.columns[ordinal].name)));
        keys.push(place);
        texts.push("'".to_owned());
    }
    let last = texts.last_mut().expect("there is one more than keys");
    last.push_str(&format!("]/@{}", attribute(&table.columns[base.ordinal].name)));
    Ok(Reference { keys, texts })
}

impl Reference {
    /// Adds the address to a row's text.
    pub fn write(&self, shape: &mut RowShape, name: &str, is_attribute: bool) {
        let (first, after) = self.texts.split_first().expect("there is one more than keys");
        match is_attribute {
            true => shape.reference(&format!(" {name}=\"{first}"), true),
            false => shape.reference(first, false),
        }
        for (at, text) in after.iter().enumerate() {
            let ends = is_attribute && at + 1 == after.len();
            shape.key(&format!("{text}{}", if ends { "\"" } else { "" }), is_attribute);
        }
    }
}
