use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn parse(arguments: &[&str]) -> Result<Options, clap::Error> {
    Line::try_parse_from([&["hot-set"], arguments].concat()).map(|line| line.options)
}

#[test]
fn options_have_defaults_and_limits() {
    let options = parse(&[]).unwrap();
    assert_eq!((options.rows, options.memory_mb, options.seconds), (20_000_000, 512, 30));
    assert_eq!((options.theta, options.indexes), (0.99, Indexes::One));
    assert_eq!(options.row_cache.kinds(), [TableKind::Disk, TableKind::Cached]);

    let options = parse(&["--indexes", "3", "--row-cache", "off", "--theta", "0"]).unwrap();
    assert_eq!((options.theta, options.indexes), (0.0, Indexes::Three));
    assert_eq!(options.row_cache.kinds(), [TableKind::Disk]);

    for wrong in [["--indexes", "2"], ["--theta", "3"], ["--theta", "x"], ["--seconds", "0"]] {
        assert!(parse(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn calls_take_about_a_tenth_of_a_second() {
    assert_eq!(next_count(256, Duration::from_millis(50)), 512);
    assert_eq!(next_count(256, Duration::from_micros(1)), 1024);
    assert_eq!(next_count(65_536, Duration::from_millis(1)), CALL_ROWS_MAX);
    assert_eq!(next_count(256, Duration::from_secs(10)), 64);
    assert_eq!(next_count(1000, Duration::from_millis(97)) % table::TURN, 0);
}
