//! The settings as flags.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use env::Env;

use crate::config::settings::{SETTINGS, Setting};
use crate::config::{Config, ConfigError};

/// Adds `--config`, `--sa-password` and a flag for each setting that `wanted` names.
pub fn add(mut command: Command, wanted: impl Fn(&Setting) -> bool) -> Command {
    let defaults = Config::default();
    command = command
        .arg(
            Arg::new("config")
                .long("config")
                .short('c')
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .env("THERMOCLINE_CONFIG")
                .hide_env_values(true)
                .help("A configuration file (TOML): one line `setting = value` each."),
        )
        .arg(
            Arg::new("sa-password")
                .long("sa-password")
                .value_name("PASSWORD")
                .help(
                    "The password of sa, if the data directory is initialised now. Better given in \
                     THERMOCLINE_SA_PASSWORD, where other users do not see it. Default: one is made \
                     up and shown.",
                ),
        );
    for setting in SETTINGS.iter().filter(|setting| wanted(setting)) {
        let default = (setting.show)(&defaults);
        let mut help = setting.help.replace('`', "'");
        if !default.is_empty() {
            help = format!("{help} [default: {default}]");
        }
        let arg = Arg::new(setting.name)
            .long(setting.flag())
            .value_name(setting.value)
            .help(format!("{help} [env: {}]", setting.variable()));
        command = command.arg(arg);
    }
    command
        .after_help("A flag beats the environment, which beats the file, which beats the default.")
}

/// What file, environment and flags say together.
///
/// # Errors
/// The first mistake, and where it is.
pub fn config(matches: &ArgMatches) -> Result<Config, ConfigError> {
    let mut config = Config::default();
    if let Some(file) = matches.get_one::<PathBuf>("config") {
        config.read_file(&Env::real(), file)?;
    }
    config.read_environment(|name| std::env::var(name).ok())?;
    for setting in &SETTINGS {
        let given = matches.try_get_one::<String>(setting.name).ok().flatten();
        if let Some(text) = given {
            (setting.set)(&mut config, text)
                .map_err(|reason| ConfigError { place: format!("--{}", setting.flag()), reason })?;
        }
    }
    config.settle_paths()?;
    Ok(config)
}
