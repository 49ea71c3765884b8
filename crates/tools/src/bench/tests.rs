use clap::CommandFactory;

use super::Options;

#[test]
fn the_readme_lists_the_benchmarks() {
    let readme = include_str!("../../../../README.md");
    let row = readme.lines().find(|line| line.starts_with("| `bench`")).unwrap();
    for bench in Options::command().get_subcommands() {
        assert!(row.contains(&format!("`{}`", bench.get_name())), "{}", bench.get_name());
    }
}
