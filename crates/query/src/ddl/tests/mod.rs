//! Definitions from text to answers.

mod tables;
