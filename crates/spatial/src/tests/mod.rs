//! What users see: values of SQL Server's documentation and of its own answers.

use std::sync::Arc;

use base::account::Account;
use base::pace::Unpaced;

use crate::{Kind, Result, Shape, Space, Work};

mod globe;
mod plane;
mod random;

/// Calls a function with work that nothing limits.
pub(crate) fn with_work<T>(call: impl FnOnce(&Work<'_>) -> T) -> T {
    let account: Arc<Account> = Account::new(1 << 30, "default");
    call(&Work::new(&Unpaced, &account))
}

/// A geometry of well-known text.
pub(crate) fn flat(text: &str) -> Shape {
    with_work(|work| Shape::parse(Space::Planar, text, work)).expect(text)
}

/// A geography of well-known text.
pub(crate) fn round(text: &str) -> Shape {
    with_work(|work| Shape::parse(Space::Geographic, text, work)).expect(text)
}

/// A shape as `ToString` shows it.
pub(crate) fn text(shape: &Shape) -> String {
    with_work(|work| shape.to_text_zm(work)).expect("a shape has a text")
}

/// The text of a computed shape.
pub(crate) fn shown(compute: impl FnOnce(&Work<'_>) -> Result<Shape>) -> String {
    with_work(|work| compute(work).map(|shape| text(&shape))).unwrap_or_else(|e| e.to_string())
}

pub(crate) fn fault(space: Space, input: &str, kind: Option<Kind>) -> String {
    let srid = if space == Space::Planar { 0 } else { 4326 };
    match with_work(|work| Shape::from_text(space, input, kind, srid, work)) {
        Ok(shape) => format!("no error: {}", text(&shape)),
        Err(error) => error.to_string(),
    }
}
