//! Trees back to text, in the form that SQL Server gives to what it keeps: the definitions of
//! defaults, checks, computed columns and index filters.
//!
//! That form is made from the tree, not from what was typed. Names are in brackets, functions of
//! the library in lower case, numbers in parentheses; `BETWEEN` and `IN` become comparisons (the
//! list backwards), `CAST` becomes `CONVERT`, `YEAR(d)` becomes `datepart(year,d)`, `IIF` becomes
//! `case`; parentheses stand where an operand binds no tighter than its operator, and nowhere else:
//!
//! ```text
//! CHECK (Price > 0 AND Kind IN ('a', 'b'))    ([Price]>(0) AND ([Kind]='b' OR [Kind]='a'))
//! DEFAULT -1                                  ((-1))
//! AS a + b + c                                (([a]+[b])+[c])
//! ```
//!
//! What is printed can be read again, and prints the same. Hints and `FOR` clauses of subqueries,
//! which no such definition can contain, are left out.

mod expr;
mod query;

use crate::ast::{Condition, Expr, ObjectName, Query};

/// A scalar expression, without outer parentheses.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.out
}

/// A condition, without outer parentheses.
pub fn condition(condition: &Condition) -> String {
    let mut printer = Printer::default();
    printer.condition(condition);
    printer.out
}

/// An object's name, each part in brackets.
pub fn object_name(name: &ObjectName) -> String {
    let mut printer = Printer::default();
    printer.name(name);
    printer.out
}

/// A query, on one line.
pub fn query(query: &Query) -> String {
    let mut printer = Printer::default();
    printer.query(query);
    printer.out
}

/// What `sys.default_constraints` and `sys.computed_columns` show as `definition`.
pub fn expression_definition(expr: &Expr) -> String {
    format!("({})", expression(expr))
}

/// What `sys.check_constraints` shows as `definition`.
pub fn check_definition(check: &Condition) -> String {
    format!("({})", condition(check))
}

/// What `sys.indexes` shows as `filter_definition`, where `IN` stays.
pub fn filter_definition(filter: &Condition) -> String {
    let mut printer = Printer { keep_in: true, ..Printer::default() };
    printer.condition(filter);
    format!("({})", printer.out)
}

/// A tree on its way to text.
#[derive(Default)]
struct Printer {
    out: String,
    /// `IN` stays instead of becoming comparisons.
    keep_in: bool,
}

impl Printer {
    /// Text as it is.
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Items with a separator between them.
    fn list<T>(&mut self, items: &[T], between: &str, mut item: impl FnMut(&mut Printer, &T)) {
        for (i, one) in items.iter().enumerate() {
            if i > 0 {
                self.put(between);
            }
            item(self, one);
        }
    }

    /// What a part prints, apart from the rest.
    fn apart(&self, part: impl FnOnce(&mut Printer)) -> String {
        let mut printer = Printer { out: String::new(), keep_in: self.keep_in };
        part(&mut printer);
        printer.out
    }
}

#[cfg(test)]
mod tests;
