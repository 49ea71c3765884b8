//! Sensitivity classifications: restarts and backups.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int primary key, mail varchar(50), pay money)
go
add sensitivity classification to t.mail with (label = 'Internal', information_type = 'Contact', rank = low)
add sensitivity classification to t.pay with (label = 'Secret')";

const SHOWN: &str = "select col_name(major_id, minor_id) c, label, information_type t, rank_desc r
    from sys.sensitivity_classifications order by 1";

#[test]
fn classifications_outlive_a_power_cut() {
    let sim = SimEnv::new(41);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        assert!(session.durable("exec sp_rename 't.mail', 'address', 'COLUMN'").is_some());
        session.run("begin tran drop sensitivity classification from t.pay");
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let expected = "c|label|t|r\naddress|Internal|Contact|LOW\npay|Secret|NULL|NULL\n(2 rows)";
    assert_eq!(session.run(SHOWN), expected);
}

#[test]
fn classifications_are_in_backups() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.run("use master");
    session.run("backup database d to disk = 'd.bak'");
    session.run("restore database e from disk = 'd.bak'");
    session.run("use e");
    let expected = "c|label|t|r\nmail|Internal|Contact|LOW\npay|Secret|NULL|NULL\n(2 rows)";
    assert_eq!(session.run(SHOWN), expected);
}
