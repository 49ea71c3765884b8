//! What an evaluation costs: it lets other sessions have their turn, and asks for memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use base::account::{Account, UNASKED};
use base::error::SqlResult;
use base::pace::{Pace, STRIDE};
use base::xml::{Document, NodeId, NodeKind};

/// Counts the work of one evaluation.
pub(crate) struct Meter<'r> {
    /// What it keeps is charged to this.
    pub account: &'r Arc<Account>,
    pace: &'r dyn Pace,
    /// How much may be looked at before the pace is asked.
    left: Cell<usize>,
}

impl<'r> Meter<'r> {
    pub fn new(account: &'r Arc<Account>, pace: &'r dyn Pace) -> Meter<'r> {
        Meter { account, pace, left: Cell::new(STRIDE) }
    }

    /// How other sessions have their turn.
    pub fn pace(&self) -> &'r dyn Pace {
        self.pace
    }

    /// Counts work, and lets others have their turn.
    pub fn work(&self, amount: usize) -> SqlResult<()> {
        match self.left.get().checked_sub(amount) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(STRIDE);
                self.pace.pace()
            }
        }
    }

    /// Error 701 for a value that the account has no room for.
    pub fn admit(&self, bytes: usize) -> SqlResult<()> {
        match bytes > UNASKED {
            true => self.account.admit(bytes),
            false => Ok(()),
        }
    }

    /// All text below an element or the root; the own text of other nodes.
    pub fn string_value(&self, document: &'r Document, node: NodeId) -> SqlResult<Cow<'r, str>> {
        if !matches!(document.kind(node), NodeKind::Root | NodeKind::Element) {
            let text = document.value(node);
            self.work(text.len().min(STRIDE))?;
            return Ok(Cow::Borrowed(text));
        }
        let (mut first, mut pieces, mut bytes) = ("", 0_usize, 0);
        self.each_text(document, node, |text| {
            if pieces == 0 {
                first = text;
            }
            pieces += 1;
            bytes += text.len();
        })?;
        if pieces < 2 {
            return Ok(Cow::Borrowed(first));
        }
        self.admit(bytes)?;
        let mut all = String::with_capacity(bytes);
        self.each_text(document, node, |text| all.push_str(text))?;
        Ok(Cow::Owned(all))
    }

    /// Calls back for each text below a node. Nodes that are none cost as well.
    fn each_text(
        &self,
        document: &'r Document,
        node: NodeId,
        mut visit: impl FnMut(&'r str),
    ) -> SqlResult<()> {
        for at in document.subtree(node) {
            self.work(1)?;
            if document.kind(at) == NodeKind::Text {
                let text = document.value(at);
                self.work(text.len().min(STRIDE))?;
                visit(text);
            }
        }
        Ok(())
    }
}
