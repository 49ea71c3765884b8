use super::*;
use crate::testing::TestServer;

#[test]
fn figures_follow_from_the_shape_of_a_tree() {
    let shape = TreeShape {
        levels: 2,
        leaf_pages: 20,
        placed_pages: 18,
        fragments: 4,
        extents: 5,
        extent_runs: 6,
        extent_breaks: 3,
        entries: 100,
        used_bytes: 80_000,
        leaf_bytes: 160_000,
    };
    let told = |read| {
        let lines = Figures::of(&shape).lines(read);
        lines.iter().map(|line| line.text().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        told(true),
        [
            "- Pages Scanned................................: 20",
            "- Extents Scanned..............................: 5",
            "- Extent Switches..............................: 5",
            "- Avg. Pages per Extent........................: 3.6",
            "- Scan Density [Best Count:Actual Count].......: 50.00% [3:6]",
            "- Logical Scan Fragmentation ..................: 16.67%",
            "- Extent Scan Fragmentation ...................: 50.00%",
            "- Avg. Bytes Free per Page.....................: 4000.0",
            "- Avg. Page Density (full).....................: 50.00%",
        ]
    );
    assert_eq!(told(false).len(), 4);
    let none = Figures::of(&TreeShape::default()).lines(true);
    assert_eq!(none[4].text(), "- Scan Density [Best Count:Actual Count].......: 100.00% [0:0]");
}

#[test]
fn sunk_trees_are_told_of_as_they_lie_in_the_file() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d");
    session
        .run("use d; create table t (id int primary key, k int, filler char(2000), index ik (k))");
    session.run("insert t select value, -value, 'x' from generate_series(1, 400)");
    server.sink();
    session.run("checkpoint");
    session.run(
        "create table #c (name sysname, id int, iname sysname null, iid int, lvl int, pages bigint, rows bigint,
             minimum int, maximum int, average float, forwarded bigint, extents bigint, switches bigint, free float,
             fullness float, density float, best bigint, actual bigint, logical float, of_extents float)",
    );
    session
        .run("insert #c exec ('dbcc showcontig (t) with tableresults, all_indexes, no_infomsgs')");
    let query = "select c.name, c.iname, c.iid, c.pages, c.rows,
              iif(c.average between 2000 and 2100, 1, 0), iif(c.extents between c.best and c.actual, 1, 0),
              iif(c.switches = c.actual - 1, 1, 0), iif(c.fullness between 60 and 100, 1, 0),
              iif(c.density = c.best * 100e0 / c.actual, 1, 0), iif(s.avg_fragmentation_in_percent = c.logical, 1, 0)
            from #c c join sys.dm_db_index_physical_stats(db_id(), object_id('t'), null, null, 'detailed') s
              on s.index_id = c.iid and s.page_count = c.pages where c.iid = 1";
    let told = session.run(query);
    assert!(told.contains("|1|134|400|1|1|1|1|1|1"), "{told}");
    let both = session.run("select count(*), sum(rows), count(minimum) from #c");
    assert!(both.contains("2|800|0"), "{both}");
    session.run("truncate table #c");
    session.run("insert #c exec ('dbcc showcontig (t) with tableresults, fast, no_infomsgs')");
    let fast = session
        .run("select pages, isnull(rows, -1), isnull(extents, -1), isnull(free, -1) from #c");
    assert!(fast.contains("134|-1|-1|-1"), "{fast}");
}
