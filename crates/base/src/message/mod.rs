//! The catalogue of messages: number, severity, default state and text, in SQL Server's words
//! where applications match on them.
//!
//! A text holds `%s` for each argument. The entries lie in one file per subsystem; constants are
//! named after what went wrong. `sys.messages` lists [`ALL`].

mod backup;
mod binder;
mod bulk;
mod clr;
mod constraint;
mod conversion;
mod cursor;
mod database;
mod ddl;
mod execution;
mod json;
mod mask;
mod memory_optimized;
mod module;
mod parser;
mod policy;
mod printf;
mod procedure;
mod security;
mod server;
mod spatial;
mod temporal;
mod tracking;
mod transaction;
mod view;
mod xml;
mod xml_schema;

use std::fmt;
use std::sync::LazyLock;

pub use backup::*;
pub use binder::*;
pub use bulk::*;
pub use clr::*;
pub use constraint::*;
pub use conversion::*;
pub use cursor::*;
pub use database::*;
pub use ddl::*;
pub use execution::*;
pub use json::*;
pub use mask::*;
pub use memory_optimized::*;
pub use module::*;
pub use parser::*;
pub use policy::*;
pub use printf::{PrintfArgument, printf, printf_translated};
pub use procedure::*;
pub use security::*;
pub use server::*;
pub use spatial::*;
pub use temporal::*;
pub use tracking::*;
pub use transaction::*;
pub use view::*;
pub use xml::*;
pub use xml_schema::*;

/// One entry of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The number that applications look at.
    pub number: i32,
    /// 10 and below: information; 16: the user's mistake; 20 and above: the connection ends.
    pub severity: u8,
    /// The state sent when the raiser has no reason to choose another.
    pub state: u8,
    /// The text, with `%s` for each argument.
    pub text: &'static str,
}

impl Message {
    /// The text with its placeholders filled in; missing arguments print as nothing.
    pub fn format(&self, args: &[&dyn fmt::Display]) -> String {
        let mut out = String::with_capacity(self.text.len() + 16 * args.len());
        let mut parts = self.text.split("%s");
        out.push_str(parts.next().unwrap_or_default());
        for (i, part) in parts.enumerate() {
            if let Some(arg) = args.get(i) {
                out.push_str(&arg.to_string());
            }
            out.push_str(part);
        }
        out
    }

    /// The catalogue's entry for a number, if it has one.
    pub fn find(number: i32) -> Option<&'static Message> {
        static BY_NUMBER: LazyLock<Vec<&'static Message>> = LazyLock::new(|| {
            let mut sorted: Vec<&Message> = ALL.iter().collect();
            sorted.sort_by_key(|m| m.number);
            sorted
        });
        let at = BY_NUMBER.binary_search_by_key(&number, |m| m.number).ok()?;
        Some(BY_NUMBER[at])
    }
}

macro_rules! messages {
    ($($name:ident = $number:literal, $severity:literal, $state:literal, $text:literal;)*) => {
        $(
            #[doc = concat!("Message ", $number, ": `", $text, "`")]
            pub const $name: super::Message = super::Message {
                number: $number,
                severity: $severity,
                state: $state,
                text: $text,
            };
        )*

        /// The entries of this file.
        pub(super) const LIST: &[super::Message] = &[$($name),*];
    };
}
use messages;

const PARTS: [&[Message]; 26] = [
    parser::LIST,
    binder::LIST,
    conversion::LIST,
    execution::LIST,
    json::LIST,
    module::LIST,
    ddl::LIST,
    constraint::LIST,
    transaction::LIST,
    view::LIST,
    xml::LIST,
    xml_schema::LIST,
    memory_optimized::LIST,
    database::LIST,
    security::LIST,
    server::LIST,
    spatial::LIST,
    temporal::LIST,
    policy::LIST,
    mask::LIST,
    tracking::LIST,
    cursor::LIST,
    bulk::LIST,
    clr::LIST,
    backup::LIST,
    procedure::LIST,
];

const COUNT: usize = {
    let mut count = 0;
    let mut part = 0;
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
};

/// Every message of the catalogue, by subsystem.
pub static ALL: &[Message] = &{
    let mut all = [parser::LIST[0]; COUNT];
    let mut at = 0;
    let mut part = 0;
    while part < PARTS.len() {
        let mut i = 0;
        while i < PARTS[part].len() {
            all[at] = PARTS[part][i];
            at += 1;
            i += 1;
        }
        part += 1;
    }
    all
};

#[cfg(test)]
mod tests;
