//! Both sides of the protocol against each other, and against bytes from the specification.

mod golden;
mod hostile;
mod requests;
mod results;
mod samples;

use crate::packet::{MessageEvent, MessageReader, Side};
use crate::writer::MessageWriter;

/// The contents of the messages that are ready in `out`.
fn contents(side: Side, out: &MessageWriter) -> Vec<Vec<u8>> {
    let mut reader = MessageReader::new(side, usize::MAX);
    let mut input = out.ready();
    let mut messages = Vec::new();
    while let Some(event) = reader.feed(&mut input).unwrap() {
        match event {
            MessageEvent::Message { body, .. } => messages.push(body.to_vec()),
            MessageEvent::StreamStart { .. } => messages.push(Vec::new()),
            MessageEvent::StreamData(data) => messages.last_mut().unwrap().extend(data),
            MessageEvent::StreamEnd { .. } => {}
            MessageEvent::Ignored { .. } => panic!("{event:?}"),
        }
    }
    assert!(reader.is_between_messages());
    messages
}
