//! What runs units: the interpreter, the objects that it and machine code work with ([`interp`]),
//! and the bodies of the library's functions ([`func`]). It asks the session that a unit runs for
//! through [`interp::Host`].

pub mod func;
pub mod interp;
