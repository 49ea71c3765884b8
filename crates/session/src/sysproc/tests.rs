//! Texts are read, and names found.

use tsql::ast::{Module, StatementKind};

use super::*;
use crate::testing::{TestServer, TestSession};

#[test]
fn every_text_is_one_create_procedure_of_its_name() {
    for procedure in all() {
        let text = &procedure.definition;
        let parts = ["$name$", "$types$", "$shape$", "$legacy$", "$extra$", "$scope$"];
        assert!(
            !parts.iter().any(|part| text.contains(part)),
            "{}: a part is missing",
            procedure.name
        );
        let batch = match tsql::parse_batch(text, tsql::ParseOptions { quoted_identifier: true }) {
            Ok(batch) => batch,
            Err(error) => panic!("{}: {error:?}", procedure.name),
        };
        assert_eq!(batch.statements.len(), 1, "{}", procedure.name);
        let StatementKind::Module(module) = &batch.statements[0].kind else {
            panic!("{}: {:?}", procedure.name, batch.statements[0].kind);
        };
        let Module::Procedure(create) = &module.module else { panic!("{}", procedure.name) };
        assert_eq!(&*create.name.name.name, procedure.name);
    }
}

#[test]
fn procedures_are_found_by_name_in_any_case_and_by_id() {
    let tables = find("SP_Tables").unwrap();
    assert_eq!(tables.name, "sp_tables");
    assert_eq!(find_by_id(tables.id).unwrap().name, "sp_tables");
    assert!(find("sp_nothing").is_none());
    assert!(find_by_id(ObjectId(0)).is_none());
    assert!(find_by_id(ObjectId(i32::MIN)).is_none());
}

const SCHEMA: &str = "
create table p (id int not null constraint PK_p primary key, name nvarchar(40) not null,
  price decimal(10, 2) null constraint DF_price default 1.5, made datetime2(3) null, v rowversion)
go
create table c (id int identity primary key, p int not null constraint FK_c references p (id)
  on delete cascade, note varchar(max) null, constraint CK_c check (id > 0))
go
create index IX_note on c (p desc) include (note)
go
create procedure q @a int = 1, @b nvarchar(10) output as select id, name from p where id = @a
go
create view w as select id, name from p
go
create trigger tr on p after insert as set nocount on";

/// Calls, one a line.
const CALLS: &str = r"
sp_datatype_info
sp_datatype_info_100 @ODBCVer = 3
sp_datatype_info_100 93, 3
sp_tables
sp_tables 'p'
sp_tables @table_type = '''TABLE'''
sp_tables '', '', '%'
sp_tables '', '%', ''
sp_columns 'p'
sp_columns_90 'p'
sp_columns_100 'p', 'dbo', @ODBCVer = 3
sp_columns_170 N'p'
sp_pkeys 'p'
sp_fkeys 'p'
sp_fkeys @fktable_name = 'c'
sp_statistics 'c'
sp_statistics_100 'c'
sp_special_columns 'p'
sp_special_columns_100 'p', @col_type = 'V'
sp_stored_procedures 'q'
sp_sproc_columns 'q'
sp_sproc_columns_100 'q'
sp_table_privileges 'p'
sp_column_privileges 'p'
sp_databases
sp_server_info
sp_tablecollations_100 '.[p]'
sp_help
sp_help 'p'
sp_help 'q'
sp_helpconstraint 'p'
sp_helpconstraint 'c'
sp_helpdb
sp_helpdb 'master'
sp_helpfile
sp_helpfilegroup
sp_helpindex 'c'
sp_helplanguage
sp_helplogins
sp_helprole
sp_helprolemember
sp_helpsort
sp_helpsrvrolemember
sp_helptext 'q'
sp_helptrigger 'p'
sp_helpuser
sp_depends 'p'
sp_depends 'w'
sp_lock
sp_spaceused
sp_spaceused 'p'
sp_who
sp_who2
xp_msver
sp_oledb_ro_usrname
xp_instance_regread 'a', 'b', 'c'
sp_addlogin 'l', 'p4ssw0rd!'
sp_defaultdb 'l', 'master'
sp_defaultlanguage 'l'
sp_password 'p4ssw0rd!', 'Qp4ssword!', 'l'
sp_grantdbaccess 'l', 'u'
sp_addrole 'r'
sp_addrolemember 'r', 'u'
sp_droprolemember 'r', 'u'
sp_droprole 'r'
sp_revokedbaccess 'u'
sp_adduser 'l'
sp_dropuser 'l'
sp_addsrvrolemember 'l', 'sysadmin'
sp_dropsrvrolemember 'l', 'sysadmin'
sp_droplogin 'l'
sp_dbcmptlevel
sp_recompile 'p'
sp_addtype 'ssn', 'varchar(11)', 'not null'
sp_droptype 'ssn'
sp_refreshview 'w'
sp_refreshsqlmodule 'q'
sp_tableoption 'p', 'text in row', 'on'
sp_indexoption 'p.PK_p', 'AllowRowLocks', 'on'
sp_MSforeachdb 'print ''?'''
sp_MSforeachtable 'print ''?'''
sp_addextendedproperty 'a', 'b', 'schema', 'dbo', 'table', 'p', 'column', 'id'
sp_updateextendedproperty 'a', 1, 'schema', 'dbo', 'table', 'p', 'column', 'id'
sp_dropextendedproperty 'a', 'schema', 'dbo', 'table', 'p', 'column', 'id'
sp_rename 'c.note', 'remark', 'COLUMN'
sp_rename 'dbo.c.IX_note', 'IX_remark', 'INDEX'
sp_rename 'CK_c', 'CK_d'
sp_rename 'w', 'w2'
sp_rename 'c', 'd'
sp_settriggerorder 'tr', 'first', 'INSERT'
sp_updatestats
sp_addmessage 50005, 16, N'no %s'
sp_addmessage 50005, 16, N'not %s', @replace = 'replace'
sp_dropmessage 50005
sp_getapplock 'x', 'Exclusive', 'Session'
sp_releaseapplock 'x', 'Session'
sp_set_session_context 'k', 1
sp_configure
sp_configure 'nested', 1
xp_create_subdir '/srv/new'
sp_describe_first_result_set N'select id, name from p'
sp_describe_first_result_set N'exec q 1, null'
sp_describe_undeclared_parameters N'select * from p where id = @x and name like @y'
sp_describe_undeclared_parameters N'exec q @x, @y output'
";

#[test]
fn every_procedure_can_be_called() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.script(SCHEMA), "");
    let mut failed = Vec::new();
    for call in CALLS.lines().filter(|line| !line.is_empty()) {
        let answer = session.run(&format!("exec {call}"));
        if let Some(error) = answer.lines().find(|line| line.starts_with("Msg ")) {
            failed.push(format!("{call}: {error}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A walk through the table of procedures by a user without grants.
#[test]
fn procedures_are_for_their_callers() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.script(SCHEMA), "");
    assert_eq!(session.run("create login nothing with password = 'Pwx-12345678'"), "");
    assert_eq!(session.run("create user nothing for login nothing"), "");
    session.run("execute as login = 'nothing'");
    for procedure in all().filter(|own| own.needs != Needs::Nothing && !own.internal) {
        let answer = session.run(&format!("exec {}", procedure.name));
        assert!(answer.contains("Msg 15247"), "{}: {answer}", procedure.name);
    }
}

#[test]
fn application_locks_are_held_and_given_back() {
    let server = TestServer::new();
    let mut session = server.session();
    let mut other = server.session();
    let take =
        "declare @r int; exec @r = sp_getapplock 'x', 'Exclusive', @LockTimeout = 0; print @r";
    let refused = session.run(take);
    assert!(refused.starts_with("Msg 15626,") && refused.ends_with("\n-999"), "{refused}");
    let last = |answer: String| answer.lines().last().unwrap_or_default().to_owned();
    assert_eq!(last(session.run(&format!("begin tran; {take}"))), "0");
    assert_eq!(last(other.run(&format!("begin tran; {take}; rollback"))), "-1");
    session.run("commit");
    assert_eq!(last(other.run(&format!("begin tran; {take}; rollback"))), "0");
    let release = session.run("exec sp_releaseapplock 'x', 'Session'");
    assert!(release.contains("because it is not currently held.") && release.ends_with("-999"));
}

#[test]
fn helpdb_names_the_filegroups_of_a_databases_files() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nalter database d add filegroup more\ngo\nalter database d add file (name = extra) to filegroup more");
    let told = session.run("exec sp_helpdb 'd'");
    let of = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(name)).expect("a row for the file");
        line.split('|').nth(3).expect("a column for the filegroup").to_owned()
    };
    assert_eq!([of("d|1"), of("d_log|"), of("extra|")], ["PRIMARY", "NULL", "more"], "{told}");
}

/// Partitions without pages made the sums warn that they had left NULLs out (8153).
#[test]
fn space_used_comes_without_a_warning() {
    let server = TestServer::new();
    let mut session = server.session();
    session
        .run("create database d; alter database d add filegroup f contains memory_optimized_data");
    session.run("alter database d add file (name = 'f', filename = 'f') to filegroup f");
    session.run("use d");
    session.run("create table t (id int not null primary key); insert t values (1)");
    session.run(
        "create table m (id int not null primary key nonclustered) with (memory_optimized = on)",
    );
    for what in ["", "'t'", "'m'", "@oneresultset = 1"] {
        let answer = session.run(&format!("exec sp_spaceused {what}"));
        assert!(answer.contains("reserved") && !answer.contains("Warning"), "{answer}");
    }
}

#[test]
fn space_used_may_come_in_one_result_set_with_that_of_checkpoint_files() {
    let server = TestServer::new();
    let mut session = server.session();
    let one = "database_name|database_size|unallocated space|reserved|data|index_size|unused";
    let of_checkpoints = "xtp_precreated|xtp_used|xtp_pending_truncation";
    session.run("create database d; use d");
    let all = "exec sp_spaceused @oneresultset = 1, @include_total_xtp_storage = 1";
    let lines = |answer: String| answer.lines().map(str::to_owned).collect::<Vec<_>>();
    let plain = lines(session.run("exec sp_spaceused @oneresultset = 1"));
    assert_eq!((plain.len(), &*plain[0]), (2, one), "{plain:?}");
    let without = lines(session.run(all));
    assert_eq!((without.len(), &*without[0]), (2, &*format!("{one}|{of_checkpoints}")));
    assert!(without[1].ends_with("|NULL|NULL|NULL"), "{without:?}");
    assert!(!session.run("exec sp_spaceused").contains(of_checkpoints));
    session.run("alter database d add filegroup f contains memory_optimized_data");
    session.run("alter database d add file (name = 'f', filename = 'f') to filegroup f");
    session.run(
        "create table m (id int not null primary key nonclustered) with (memory_optimized = on)",
    );
    session.run("insert m values (1); checkpoint");
    let shown = lines(session.run("exec sp_spaceused"));
    assert_eq!((shown.len(), &*shown[4]), (6, of_checkpoints), "{shown:?}");
    let sizes: Vec<&str> = shown[5].split('|').collect();
    assert!(sizes[0] == "0 KB" && sizes[1] != "0 KB", "{sizes:?}");
    assert!(lines(session.run(all))[1].ends_with(&shown[5]));
}

/// The columns of `sp_who2` by their names, of one session.
fn who2(session: &mut TestSession<'_>, spid: &str, column: &str) -> String {
    let answer = session.run("exec sp_who2");
    let mut lines = answer.lines();
    let place = lines.next().unwrap().split('|').position(|name| name == column).unwrap();
    let row = lines.find(|line| line.split('|').next().unwrap().trim() == spid).unwrap();
    row.split('|').nth(place).unwrap().to_owned()
}

#[test]
fn who2_shows_the_last_batch_without_its_year() {
    let server = TestServer::new();
    let (mut session, mut other) = (server.session(), server.session());
    let own = session.run("set nocount on; select @@spid");
    let own = own.lines().last().unwrap().to_owned();
    let began = session.run(
        "set nocount on
        select format(last_request_start_time, 'MM/dd HH:mm:ss') from sys.dm_exec_sessions where session_id = @@spid",
    );
    let began = began.lines().last().unwrap();
    assert_eq!(who2(&mut other, &own, "LastBatch"), began);
    assert_eq!(who2(&mut other, &own, "Status"), "sleeping");
    assert_eq!(who2(&mut session, &own, "Status"), "RUNNING");
}
