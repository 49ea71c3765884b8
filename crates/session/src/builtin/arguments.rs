//! The parameters of a native procedure that runs.

use base::collation::codepage::{chars_to_string, unicode_to_string};
use base::{SqlType, Value, ValueRef};
use ir::operator::VarId;
use run::interp::Frame;

use crate::program::variables::Variables;

/// The parameters of a native procedure, by name and of the types that its text declares.
pub struct Arguments<'a> {
    variables: &'a Variables,
    frame: &'a mut Frame,
}

impl<'a> Arguments<'a> {
    /// Parameters that are kept in a frame.
    pub fn new(variables: &'a Variables, frame: &'a mut Frame) -> Arguments<'a> {
        Arguments { variables, frame }
    }

    fn place(&self, name: &str) -> (VarId, SqlType) {
        self.variables
            .find_scalar(name, u32::MAX)
            .expect("the procedure's text declares its parameters")
    }

    /// A parameter's value and type.
    pub fn get(&self, name: &str) -> (ValueRef<'_>, SqlType) {
        let (id, ty) = self.place(name);
        (self.frame.get(id), ty)
    }

    /// Whether a parameter is NULL.
    pub fn is_null(&self, name: &str) -> bool {
        self.get(name).0.is_null()
    }

    /// A string parameter; `None` for NULL.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.get(name) {
            (ValueRef::Unicode(bytes), _) => Some(unicode_to_string(bytes)),
            (ValueRef::Chars(bytes), ty) => Some(chars_to_string(ty.collation, bytes)),
            _ => None,
        }
    }

    /// An integer parameter; `None` for NULL.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name).0 {
            ValueRef::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Sets an output parameter to a value of its type.
    pub fn set(&mut self, name: &str, value: &Value) {
        let (id, _) = self.place(name);
        self.frame.set_owned(id, value);
    }
}
