//! Collations over restarts.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d collate Hungarian_100_CI_AS
go
alter database d add filegroup m contains memory_optimized_data
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
use d
go
create table cold (n nvarchar(20) collate Traditional_Spanish_100_CI_AS primary key,
  j varchar(20) collate Japanese_XJIS_140_CI_AS_KS_VSS)
create unique index j on cold (j)
create table hot (n nvarchar(20) collate Danish_Norwegian_CI_AS not null primary key nonclustered)
  with (memory_optimized = on)
create table Cukor (a int)
go
insert cold values (N'dama', N'い'), (N'chico', N'あ'), (N'cuba', N'ア'), (N'llama', N'亜'), (N'lugar', N'ん')
insert hot values (N'Aarhus'), (N'zoo'), (N'ærlig'), (N'øl')";

/// Indexes are in their order, and rows found by their keys, in trees and after recovery.
#[test]
fn orders_and_keys_survive_restarts() {
    let sim = SimEnv::new(17);
    let check = |server: &TestServer| {
        let mut session = server.session();
        session.run("use d");
        let spanish = session.run("select n from cold order by n");
        assert_eq!(spanish, "n\ncuba\nchico\ndama\nlugar\nllama\n(5 rows)");
        let found = session.run("select n from cold where n >= N'CH' and n < N'M' order by n desc");
        assert_eq!(found, "n\nllama\nlugar\ndama\nchico\n(4 rows)");
        let kana = session.run("select n from cold where j = N'ア'");
        assert_eq!(kana, "n\ncuba\n(1 row)");
        let danish = session.run("select n from hot order by n");
        assert_eq!(danish, "n\nzoo\nærlig\nøl\nAarhus\n(4 rows)");
        assert_eq!(session.run("select n from hot where n = N'ÅRHUS'"), "n\nAarhus\n(1 row)");
        let twice = session.run("insert hot values (N'århus')");
        assert!(twice.starts_with("Msg 2627, "), "{twice}");
        let twice = session.run("insert cold values (N'CHICO', N'x')");
        assert!(twice.starts_with("Msg 2627, "), "{twice}");
        assert_eq!(session.run("select count(*) as n from CUKOR"), "n\n0\n(1 row)");
        let about = session.run("select collation_name from sys.databases where name = 'd'");
        assert_eq!(about, "collation_name\nHungarian_100_CI_AS\n(1 row)");
    };
    {
        let server = TestServer::on(&sim);
        let answer = server.session().script(SETUP);
        assert!(!answer.contains("Msg "), "{answer}");
        check(&server);
        assert!(server.session().durable("use d delete cold where n = N'none'").is_some());
    }
    sim.fs().power_off();
    sim.fs().power_on();
    {
        let server = TestServer::on(&sim);
        check(&server);
        server.sink();
        server.session().script("use d\ngo\ncheckpoint\ngo\ncheckpoint");
        check(&server);
    }
    sim.fs().power_off();
    sim.fs().power_on();
    check(&TestServer::on(&sim));
}
