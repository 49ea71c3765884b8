//! A real server on a real socket, as its clients see it.

mod attention;
mod crowd;
mod durability;
mod logins;
mod malformed;
mod requests;
mod support;
mod trace;
