//! All system procedures, and how they are found.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::ids::ObjectId;
use base::text::identifier::fold_identifier;

use super::{Builtin, Needs, SystemProcedure, administration, catalog};

/// The definition of a procedure in the lists of this module's neighbours.
pub(super) struct Entry {
    pub name: &'static str,
    pub text: &'static str,
    /// What takes the place of `$…$` in the text, beside the name and the shared parts.
    pub parts: &'static [(&'static str, &'static str)],
    pub needs: Needs,
    pub builtin: Option<Builtin>,
    pub internal: bool,
}

impl Entry {
    /// A procedure whose text says everything.
    pub const fn text(name: &'static str, text: &'static str) -> Entry {
        Entry { name, text, parts: &[], needs: Needs::Nothing, builtin: None, internal: false }
    }

    /// One of several that share a text.
    pub const fn variant(
        name: &'static str,
        text: &'static str,
        parts: &'static [(&'static str, &'static str)],
    ) -> Entry {
        Entry { name, text, parts, needs: Needs::Nothing, builtin: None, internal: false }
    }

    /// A procedure whose text only declares its parameters.
    pub const fn builtin(name: &'static str, text: &'static str, builtin: Builtin) -> Entry {
        Entry {
            name,
            text,
            parts: &[],
            needs: Needs::Nothing,
            builtin: Some(builtin),
            internal: false,
        }
    }

    /// As `builtin`, for other procedures to call.
    pub const fn internal(name: &'static str, text: &'static str, builtin: Builtin) -> Entry {
        Entry {
            name,
            text,
            parts: &[],
            needs: Needs::Nothing,
            builtin: Some(builtin),
            internal: true,
        }
    }

    /// The same entry, for other procedures to call.
    pub const fn hidden(self) -> Entry {
        Entry { internal: true, ..self }
    }

    /// The same entry with these parts.
    pub const fn with(self, parts: &'static [(&'static str, &'static str)]) -> Entry {
        Entry { parts, ..self }
    }

    /// The same entry with this requirement for callers.
    pub const fn needs(self, needs: Needs) -> Entry {
        Entry { needs, ..self }
    }

    /// The text with its parts put in.
    fn definition(&self) -> String {
        let shared = [
            ("$types$", include_str!("text/_types.sql")),
            ("$shape$", include_str!("text/_shape.sql")),
        ];
        // Parts may hold parts.
        let mut text = self.text.replace("$name$", self.name);
        for (place, part) in self.parts.iter().chain(&shared) {
            text = text.replace(place, part);
        }
        text
    }
}

/// Ids count down from here, in the order of [`all`]; those of system views are elsewhere.
const FIRST_ID: i32 = -900_000_000;

static ALL: LazyLock<Vec<SystemProcedure>> = LazyLock::new(|| {
    let entries = catalog::ENTRIES.iter().chain(administration::ENTRIES);
    let procedure = |(at, entry): (usize, &Entry)| SystemProcedure {
        id: ObjectId(FIRST_ID - at as i32),
        name: entry.name,
        definition: entry.definition().into(),
        needs: entry.needs,
        builtin: entry.builtin,
        internal: entry.internal,
    };
    entries.enumerate().map(procedure).collect()
});

static BY_NAME: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    ALL.iter().enumerate().map(|(at, p)| (fold_identifier(p.name).into_owned(), at)).collect()
});

/// All procedures, internal ones included.
pub fn all() -> impl Iterator<Item = &'static SystemProcedure> {
    ALL.iter()
}

/// A procedure by its name alone, in any case.
pub fn find(name: &str) -> Option<&'static SystemProcedure> {
    BY_NAME.get(&*fold_identifier(name)).map(|&at| &ALL[at])
}

/// A procedure by its id.
pub fn find_by_id(id: ObjectId) -> Option<&'static SystemProcedure> {
    ALL.get(usize::try_from(FIRST_ID.checked_sub(id.0)?).ok()?)
}
