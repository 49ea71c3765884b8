use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn parse(arguments: &[&str]) -> Result<Options, clap::Error> {
    Line::try_parse_from([&["row-cache"], arguments].concat()).map(|line| line.options)
}

#[test]
fn kinds_and_parts_are_lists() {
    use TableKind::{Cached, Disk, Inmem};
    let options = parse(&[]).unwrap();
    assert_eq!((options.connections, options.rows_per_call), (250, 10));
    assert_eq!((options.disk_table_memory_mb, options.row_store_mb), (1, 1024));
    assert_eq!(options.kinds, [Disk, Cached, Inmem]);
    assert_eq!(options.parts.len(), 5);

    let options = parse(&["--kinds", "inmem,disk", "--parts", "join"]).unwrap();
    assert_eq!(options.kinds, [Inmem, Disk]);
    assert_eq!(options.parts, [Part::Join]);

    for wrong in [["--kinds", "tape"], ["--rows-per-call", "0"], ["--join-rows", "19999"]] {
        assert!(parse(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn ratios_are_run_by_run() {
    let mut figures = Figures::new("row-cache");
    for (cached, disk) in [(6.0, 2.0), (9.0, 2.0)] {
        figures.add("disk_mixed_per_s", "1/s", disk);
        figures.add("cached_mixed_per_s", "1/s", cached);
    }
    add_ratios(&mut figures);
    assert_eq!(figures.values("cached_to_disk_mixed_per_s"), [3.0, 4.5]);
    assert!(figures.values("cached_to_inmem_mixed_per_s").is_empty());
    assert_eq!(figures.into_all().len(), 3);
}

#[test]
fn as_many_outer_rows_as_published_find_a_row() {
    let [matching, of] = MATCHING;
    let count = (0..OUTER_ROWS).filter(|id| id % of < matching).count();
    assert_eq!(count as i64, JOINED_ROWS);
}
