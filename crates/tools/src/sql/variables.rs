//! Scripting variables: `:setvar`, `-v`, the environment, and those by which sqlcmd itself is
//! governed.

use std::collections::BTreeMap;

/// The variables that a script sees. Names of upper and lower case are the same.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Variables {
    /// By name in upper case: name as written, value.
    values: BTreeMap<String, (String, String)>,
}

impl Variables {
    /// Those that govern sqlcmd itself.
    pub const OWN: [&'static str; 16] = [
        "SQLCMDUSER",
        "SQLCMDSERVER",
        "SQLCMDWORKSTATION",
        "SQLCMDDBNAME",
        "SQLCMDLOGINTIMEOUT",
        "SQLCMDSTATTIMEOUT",
        "SQLCMDHEADERS",
        "SQLCMDCOLSEP",
        "SQLCMDCOLWIDTH",
        "SQLCMDPACKETSIZE",
        "SQLCMDERRORLEVEL",
        "SQLCMDMAXVARTYPEWIDTH",
        "SQLCMDMAXFIXEDTYPEWIDTH",
        "SQLCMDEDITOR",
        "SQLCMDINI",
        "SQLCMDUSEAAD",
    ];
    /// Those that a script cannot change.
    const READ_ONLY: [&'static str; 6] = [
        "SQLCMDUSER",
        "SQLCMDSERVER",
        "SQLCMDWORKSTATION",
        "SQLCMDDBNAME",
        "SQLCMDPACKETSIZE",
        "SQLCMDINI",
    ];

    /// Sets a variable for a script.
    ///
    /// # Errors
    /// Says what is wrong with the name.
    pub fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        if !is_name(name) {
            return Err(format!("'{name}' is not a name of a scripting variable."));
        }
        if Variables::READ_ONLY.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return Err(format!("The scripting variable: '{name}' is read-only."));
        }
        self.set_own(name, value);
        Ok(())
    }

    /// Sets any variable.
    pub fn set_own(&mut self, name: &str, value: String) {
        self.values.insert(name.to_uppercase(), (name.to_owned(), value));
    }

    /// Takes a variable away.
    pub fn remove(&mut self, name: &str) {
        self.values.remove(&name.to_uppercase());
    }

    /// A variable's value; where there is none, the environment's.
    pub fn get(&self, name: &str) -> Option<String> {
        match self.values.get(&name.to_uppercase()) {
            Some((_, value)) => Some(value.clone()),
            None => std::env::var(name).ok(),
        }
    }

    /// The value of one of sqlcmd's own variables; empty when it has none.
    pub fn own(&self, name: &str) -> &str {
        self.values.get(name).map_or("", |(_, value)| value)
    }

    /// The number that one of sqlcmd's own variables has.
    pub fn own_number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.own(name).trim().parse().ok()
    }

    /// All of them, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.values().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(|c: char| c.is_whitespace() || matches!(c, '$' | '(' | ')' | '"' | '\''))
}

#[cfg(test)]
mod tests;
