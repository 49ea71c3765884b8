//! A real server on a real socket, as its clients see it.

mod attention;
mod crowd;
mod logins;
mod malformed;
mod support;
mod trace;
