//! What is left of a request that has panicked.

use base::message;

use crate::context::Context;
use crate::fault::contain::{Panicked, assertion_failed};
use crate::fault::{Effect, Fault};

impl Context<'_> {
    /// What is left of a request that panicked: the fault that ends its session.
    #[cold]
    pub(crate) fn after_panic(&mut self, panicked: &Panicked) -> Fault {
        let session = &mut *self.session;
        session.instance.note_panic(session.id(), panicked.text());
        while !session.left_for_call.is_empty() {
            let _ = session.end_visit(); // it ends where it began, if it can
        }
        session.native.clear();
        session.statements.clear();
        session.levels.truncate(1);
        session.reads.clear();
        session.left.handlers = 0;
        session.left.error = message::ASSERTION_FAILED.number;
        let error = assertion_failed().at_line(1);
        let _ = self.report(&error); // a client that is gone gets no message
        if self.session.transaction.is_open() {
            let _ = self.roll_back_all();
        }
        Fault { error, effect: Effect::Session, reported: true }
    }
}
