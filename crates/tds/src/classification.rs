//! `DATACLASSIFICATION`: of which classified columns the columns of a result are made.

use base::types::Classification;

use crate::columns::Column;
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::token;
use crate::writer::{MessageWriter, PutBytes};

/// The newest version of the feature; from it on there are ranks.
pub const CLASSIFICATION_VERSION: u8 = 2;

/// The number that stands for no label, and for no type of information.
const NO_INDEX: u16 = u16::MAX;
/// The number that stands for no rank.
const NO_RANK: i32 = -1;

/// A name and an id.
type Named = (String, String);

/// What is said about a result.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResultClassification {
    /// The labels that occur in it, as name and id.
    pub labels: Vec<Named>,
    /// The types of information.
    pub information_types: Vec<Named>,
    /// The highest rank, from version 2 on; -1 if there is none.
    pub rank: Option<i32>,
    /// For each column of the result what its sources are.
    pub columns: Vec<Vec<SourceClassification>>,
}

/// What is said about a source of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceClassification {
    /// The place of its label in [`ResultClassification::labels`].
    pub label: Option<u16>,
    /// The place of its type of information.
    pub information_type: Option<u16>,
    /// Its rank, from version 2 on; -1 if it has none.
    pub rank: Option<i32>,
}

impl ResultClassification {
    /// What is said about a result with these columns; `None` if nothing is.
    pub fn of(columns: &[Column], version: u8) -> Option<ResultClassification> {
        if version == 0 || columns.iter().all(|column| column.classified.is_none()) {
            return None;
        }
        let has_ranks = version >= CLASSIFICATION_VERSION;
        let mut whole = ResultClassification {
            rank: has_ranks.then_some(NO_RANK),
            ..ResultClassification::default()
        };
        for column in columns {
            let sources = column.classified.as_deref().unwrap_or_default();
            let sources = &sources[..sources.len().min(usize::from(u16::MAX))];
            let sources = sources.iter().map(|source| whole.source(source, has_ranks)).collect();
            whole.columns.push(sources);
        }
        Some(whole)
    }

    fn source(&mut self, of: &Classification, has_ranks: bool) -> SourceClassification {
        let rank = has_ranks.then(|| of.rank.unwrap_or(NO_RANK));
        self.rank = self.rank.max(rank);
        SourceClassification {
            label: place(&mut self.labels, of.label.as_deref(), of.label_id.as_deref()),
            information_type: place(
                &mut self.information_types,
                of.information_type.as_deref(),
                of.information_type_id.as_deref(),
            ),
            rank,
        }
    }

    /// Writes the token.
    pub fn write(&self, out: &mut MessageWriter) {
        out.put_u8(token::DATACLASSIFICATION);
        for names in [&self.labels, &self.information_types] {
            out.put_u16(names.len() as u16);
            for (name, id) in names {
                out.put_b_varchar(name);
                out.put_b_varchar(id);
            }
        }
        let put_rank = |out: &mut MessageWriter, rank: Option<i32>| {
            rank.iter().for_each(|rank| out.put(&rank.to_le_bytes()));
        };
        put_rank(out, self.rank);
        out.put_u16(self.columns.len() as u16);
        for sources in &self.columns {
            out.put_u16(sources.len() as u16);
            for source in sources {
                out.put_u16(source.label.unwrap_or(NO_INDEX));
                out.put_u16(source.information_type.unwrap_or(NO_INDEX));
                put_rank(out, source.rank);
            }
        }
        out.seal();
    }

    /// Reads the token after its first byte, in the form of a version.
    ///
    /// # Errors
    /// [`ProtocolError::Truncated`] when it goes on after the end of `r`.
    pub fn read(
        r: &mut ByteReader<'_>,
        version: u8,
    ) -> Result<ResultClassification, ProtocolError> {
        let has_ranks = version >= CLASSIFICATION_VERSION;
        let rank = |r: &mut ByteReader<'_>| -> Result<Option<i32>, ProtocolError> {
            if has_ranks { r.i32().map(Some) } else { Ok(None) }
        };
        let names = |r: &mut ByteReader<'_>| -> Result<Vec<Named>, ProtocolError> {
            let mut names = Vec::new();
            for _ in 0..r.u16()? {
                names.push((r.b_varchar()?.to_text(), r.b_varchar()?.to_text()));
            }
            Ok(names)
        };
        let index = |index: u16| Some(index).filter(|index| *index != NO_INDEX);
        let (labels, information_types) = (names(r)?, names(r)?);
        let mut whole =
            ResultClassification { labels, information_types, rank: rank(r)?, columns: Vec::new() };
        for _ in 0..r.u16()? {
            let mut sources = Vec::new();
            for _ in 0..r.u16()? {
                sources.push(SourceClassification {
                    label: index(r.u16()?),
                    information_type: index(r.u16()?),
                    rank: rank(r)?,
                });
            }
            whole.columns.push(sources);
        }
        Ok(whole)
    }
}

/// The place of a name with its id in a list to which it is added; `None` if neither is given.
fn place(names: &mut Vec<Named>, name: Option<&str>, id: Option<&str>) -> Option<u16> {
    if name.is_none() && id.is_none() {
        return None;
    }
    let own = (name.unwrap_or_default(), id.unwrap_or_default());
    let found = names.iter().position(|(name, id)| (&**name, &**id) == own);
    // A list is no longer than its count says; what has no room in it is not named.
    let room = names.len() < usize::from(NO_INDEX);
    if found.is_none() && room {
        names.push((own.0.to_owned(), own.1.to_owned()));
        return Some((names.len() - 1) as u16);
    }
    found.map(|at| at as u16)
}

#[cfg(test)]
mod tests;
