use std::path::Path;

use super::settings::{SETTINGS, Setting, table};
use super::*;

fn from_file(text: &str) -> Result<Config, ConfigError> {
    let mut config = Config::default();
    file::apply(&mut config, "server.toml", text).map(|()| config)
}

#[test]
fn a_file_sets_what_it_names() {
    let config = from_file(
        "# a server\ndata = '/srv/data'\nlisten = ['0.0.0.0:1433', '[::1]:1500']\n\
         max_memory = \"2GB\"\nmax_connections = 1_000\nallow_local_trusted = true\n",
    )
    .unwrap();
    assert_eq!(config.data, Path::new("/srv/data"));
    assert_eq!(config.listen, ["0.0.0.0:1433", "[::1]:1500"]);
    assert_eq!(config.max_memory.bytes(0), 2 << 30);
    assert_eq!(config.max_connections, 1000);
    assert!(config.allow_local_trusted);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    for (text, line, part) in [
        ("data = 'd'\n\nmax_memroy = '1GB'\n", 3, "max_memroy"),
        ("packet_size = 100\n", 1, "512 to 32767"),
        ("data = 'd'\nlisten = 'nowhere'\n", 2, "nowhere"),
        ("data = 'd'\nencrypt = 'maybe'", 2, "off, on, required, strict"),
        ("data = 'd'\n[network]\npacket_size = 4096", 2, "network"),
        ("data = 'd'\nworkers = 1.5", 2, "workers"),
        ("data = 'd'\ndata = 'e'", 2, ""),
        ("data = ", 1, ""),
        ("log_ring_size = '3MB'", 1, "power of two"),
    ] {
        let error = from_file(text).unwrap_err();
        assert_eq!(error.place, format!("server.toml, line {line}"), "{text}: {error}");
        assert!(error.reason.contains(part), "{text}: {error}");
    }
}

#[test]
fn the_environment_beats_the_file() {
    let mut config = from_file("packet_size = 8000\nworkers = 3").unwrap();
    let variable = |name: &str| (name == "THERMOCLINE_PACKET_SIZE").then(|| "1024".to_string());
    config.read_environment(variable).unwrap();
    assert_eq!((config.packet_size, config.workers), (1024, Some(3)));
    let variable = |name: &str| (name == "THERMOCLINE_WORKERS").then(|| "none".to_string());
    let error = config.read_environment(variable).unwrap_err();
    assert_eq!(error.place, "THERMOCLINE_WORKERS");
}

#[test]
fn every_setting_takes_what_it_shows() {
    let defaults = Config::default();
    for setting in &SETTINGS {
        let shown = (setting.show)(&defaults);
        if !shown.is_empty() {
            let mut config = Config::default();
            (setting.set)(&mut config, &shown).unwrap();
            assert_eq!((setting.show)(&config), shown, "{}", setting.name);
        }
        assert!(Setting::find(setting.name).is_some_and(|found| std::ptr::eq(found, setting)));
    }
}

/// `THERMOCLINE_BLESS=1` writes the table anew.
#[test]
fn the_documentation_lists_the_settings() {
    const BEGIN: &str = "<!-- settings: begin -->\n";
    const END: &str = "<!-- settings: end -->";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operating/configuration.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (head, rest) = text.split_once(BEGIN).unwrap();
    let (listed, tail) = rest.split_once(END).unwrap();
    let table = table();
    if std::env::var_os("THERMOCLINE_BLESS").is_some() {
        std::fs::write(path, [head, BEGIN, &table, END, tail].concat()).unwrap();
    } else {
        assert_eq!(listed, table, "run the test with THERMOCLINE_BLESS=1");
    }
}
