//! Names.

use std::fmt;
use std::sync::Arc;

use super::Span;

/// One identifier.
#[derive(Clone)]
pub struct Ident {
    /// The name as written, without quotes; shared, so that plans can keep it.
    pub name: Arc<str>,
    /// Written as `[x]` or `"x"`.
    pub quoted: bool,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A variable or parameter.
#[derive(Clone)]
pub struct Variable {
    /// The name with its `@` (or `@@`, which users may declare too).
    pub name: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

/// The name of an object: `server.database.schema.name`, where everything but the last part may be
/// missing or, between dots, empty.
#[derive(Clone)]
pub struct ObjectName {
    /// The linked server.
    pub server: Option<Ident>,
    /// The database; the session's when missing.
    pub database: Option<Ident>,
    /// The schema; the default one when missing, so that `db..t` has a database but no schema.
    pub schema: Option<Ident>,
    /// The object.
    pub name: Ident,
    /// From the first part, or the first dot, to the last part.
    pub span: Span,
}

impl ObjectName {
    /// A name without qualification.
    pub fn bare(name: Ident) -> ObjectName {
        ObjectName { server: None, database: None, schema: None, span: name.span, name }
    }

    /// Whether the name has one part only.
    pub fn is_bare(&self) -> bool {
        self.schema.is_none() && self.database.is_none() && self.server.is_none()
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quoted {
            true => write!(f, "[{}]", self.name),
            false => f.write_str(&self.name),
        }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// As messages show it: the parts as written, without quotes.
impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.server, &self.database, &self.schema];
        for part in parts.into_iter().skip_while(|part| part.is_none()) {
            write!(f, "{}.", part.as_ref().map_or("", |part| &part.name))?;
        }
        f.write_str(&self.name.name)
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.server, &self.database, &self.schema];
        for part in parts.into_iter().skip_while(|part| part.is_none()) {
            if let Some(part) = part {
                write!(f, "{part:?}")?;
            }
            f.write_str(".")?;
        }
        write!(f, "{:?}", self.name)
    }
}
