//! Entry points for a fuzzer: every reader of this crate, on bytes that mean nothing.
//!
//! None of them may panic or take memory out of proportion to their input; what they return is of
//! no interest.
