//! `thermocline init`

use std::sync::Arc;

use clap::{ArgMatches, Command};
use engine::wait::ThreadTimer;
use env::Env;

use super::{Failure, options, sa_password};
use crate::certificate::Tls;
use crate::startup;

pub fn command() -> Command {
    let about = "Initialise a data directory: system databases, the login sa, a certificate";
    let wanted = ["data", "collation", "log_segment_size", "log_ring_size", "server_name"];
    options::add(Command::new("init").about(about), |s| wanted.contains(&s.name))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let config = options::config(matches)?;
    let env = Env::real();
    let host = startup::host(&env, &config, Arc::new(ThreadTimer::new()));
    let given = sa_password(matches);
    let was_given = given.is_some();
    let dir = config.data.display();
    match startup::initialise(&env, &config, &host, given)? {
        None => println!("{dir} holds data already; nothing was changed."),
        Some(password) => {
            Tls::load(&env, &config).map_err(startup::StartError::from)?;
            println!("{dir} is initialised.");
            if !was_given {
                println!("The password of sa is: {password}");
                println!("It is not shown again.");
            }
            println!("Start the server with: thermocline serve --data {dir}");
        }
    }
    Ok(())
}
