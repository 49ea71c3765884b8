use super::*;

#[test]
fn the_command_line_is_consistent() {
    command().debug_assert();
}

#[test]
fn the_readme_lists_the_commands() {
    let readme = include_str!("../../../../README.md");
    let rows: Vec<&str> = readme.lines().filter(|line| line.starts_with("| `")).collect();
    for command in command().get_subcommands() {
        let cell = format!("`{}`", command.get_name());
        let is_listed = |row: &&str| row.split(" | ").next().is_some_and(|c| c.contains(&cell));
        assert!(rows.iter().any(is_listed), "{cell}");
    }
}

#[test]
fn flags_beat_everything() {
    let args = ["thermocline", "serve", "--data", "d", "--packet-size", "8000"];
    let matches = command().try_get_matches_from(args).unwrap();
    let (_, matches) = matches.subcommand().unwrap();
    let config = options::config(matches).unwrap();
    assert_eq!(config.data, std::env::current_dir().unwrap().join("d"));
    assert_eq!(config.packet_size, 8000);
    let args = ["thermocline", "serve", "--packet-size", "1"];
    let matches = command().try_get_matches_from(args).unwrap();
    let error = options::config(matches.subcommand().unwrap().1).unwrap_err();
    assert_eq!(error.place, "--packet-size");
}
