//! Spatial indexes: after a power cut, and against the methods themselves.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, g geometry, h geography)
insert t select value, geometry::Point(value % 20 * 10, value / 20 * 10, 0), geography::Point(value / 20, value % 20, 4326)
    from generate_series(1, 400)
create spatial index by_g on t (g) with (bounding_box = (0, 0, 200, 200))
create spatial index by_h on t (h)";

fn at(x: u32, y: u32) -> String {
    format!("select id from t where g.STIntersects(geometry::Point({x}, {y}, 0)) = 1 order by id")
}

/// Rows and cells are those of the same transactions after a power cut, and go on.
#[test]
fn an_index_and_its_table_survive_a_power_cut_together() {
    let sim = SimEnv::new(29);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        let made = session.script(SETUP);
        assert_eq!(made.matches("Msg").count(), 0, "{made}");
        let change = "update t set g = 'POINT (55 55)' where id = 7";
        assert!(session.durable(change).is_some());
        assert!(session.durable("delete t where id = 8").is_some());
        session.run("begin tran update t set g = 'POINT (77 77)'");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run(&at(55, 55)), "id\n7\n(1 row)");
    for (x, y) in [(70, 0), (80, 0), (77, 77)] {
        assert_eq!(session.run(&at(x, y)), "id\n(0 rows)", "{x} {y}");
    }
    session.run("insert t values (8, 'POINT (66 66)', null)");
    assert_eq!(session.run(&at(66, 66)), "id\n8\n(1 row)");
    let shown = session.run(
        "select tessellation_scheme, bounding_box_xmax from sys.spatial_index_tessellations \
         order by index_id",
    );
    assert!(shown.contains("GEOMETRY_AUTO_GRID|200\nGEOGRAPHY_AUTO_GRID|NULL"), "{shown}");
    let checked = session.run("dbcc checktable (t)");
    assert!(checked.contains("There are 400 rows") && !checked.contains("Msg"), "{checked}");
}

/// A snapshot sees the cells of its rows.
#[test]
fn a_snapshot_finds_the_rows_that_it_sees() {
    let server = TestServer::new();
    let (mut reader, mut writer) = (server.session(), server.session());
    writer.script(SETUP);
    writer.run("alter database d set allow_snapshot_isolation on");
    reader.run("use d; set transaction isolation level snapshot; begin tran");
    assert_eq!(reader.run(&at(50, 0)), "id\n5\n(1 row)");
    writer.run("update t set g = 'POINT (55 55)' where id = 5");
    assert_eq!(reader.run(&at(50, 0)), "id\n5\n(1 row)");
    assert_eq!(reader.run(&at(55, 55)), "id\n(0 rows)");
    reader.run("commit");
    assert_eq!(reader.run(&at(55, 55)), "id\n5\n(1 row)");
}

/// What an index finds is what the method says of all rows, for shapes of many forms and places,
/// in and out of the bounding box.
#[test]
fn answers_with_and_without_an_index_agree() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.run(
        "delete t where id % 3 <> 0; \
         insert t select 1000 + value, geometry::Point(value * 37 % 300 - 50, value * 53 % 300 - 50, 0).STBuffer(value % 15), \
             null from generate_series(1, 20)",
    );
    let shapes = [
        ("LINESTRING (-10 -10, 250 130)", "STIntersects"),
        ("POLYGON ((33 33, 71 35, 68 90, 33 33))", "STContains"),
        ("POLYGON ((-500 -500, 500 -500, 500 500, -500 500, -500 -500))", "STIntersects"),
        ("POLYGON ((210 210, 260 210, 260 260, 210 260, 210 210))", "STOverlaps"),
        ("POLYGON ((0 0, 60 0, 60 60, 0 60, 0 0))", "STTouches"),
        ("MULTIPOINT ((30 10), (190 190))", "STIntersects"),
        ("POINT (30 10)", "STEquals"),
        ("GEOMETRYCOLLECTION EMPTY", "STEquals"),
    ];
    let mut asked = Vec::new();
    for (shape, method) in shapes {
        asked.push(format!("g.{method}('{shape}') = 1"));
        asked.push(format!("1 = cast('{shape}' as geometry).{method}(g)"));
        asked.push(format!("g.STDistance('{shape}') < 13.5"));
    }
    for (lat, long, metres) in [(3, 4, 250_000), (10, 10, 900_000), (-60, 170, 10)] {
        let point = format!("geography::Point({lat}, {long}, 4326)");
        asked.push(format!("{metres} >= h.STDistance({point})"));
    }
    let square = "POLYGON ((2 2, 7.5 2, 7.5 6.5, 2 6.5, 2 2))";
    asked.push(format!("h.STIntersects('{square}') = 1"));
    for condition in asked {
        let count = |hint: &str| {
            format!("select count(*) as n, sum(id) as ids from t {hint} where {condition}")
        };
        let (with, without) = (count(""), count("with (index (1))"));
        assert_eq!(session.run(&with), session.run(&without), "{condition}");
    }
}
