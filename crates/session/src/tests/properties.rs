//! `fn_listextendedproperty`.

use crate::testing::TestServer;

#[test]
fn properties_are_listed_by_level() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d\ngo\nuse d\ngo\n\
         create table t (a int not null primary key, b int)\ngo\n\
         exec sp_addextendedproperty 'about', N'a table', 'SCHEMA', 'dbo', 'TABLE', 't'\n\
         exec sp_addextendedproperty 'about', N'a column', 'SCHEMA', 'dbo', 'TABLE', 't', 'COLUMN', 'b'\n\
         exec sp_addextendedproperty 'owner', 7",
    );
    let mut list = |levels: &str| {
        session
            .run(&format!("select * from fn_listextendedproperty({levels})"))
            .replace('\n', " / ")
    };
    let heading = "objtype|objname|name|value";
    assert_eq!(
        list("default, default, default, default, default, default, default"),
        format!("{heading} / NULL|NULL|owner|7 / (1 row)")
    );
    assert_eq!(
        list("'about', 'schema', 'dbo', 'table', default, null, null"),
        format!("{heading} / TABLE|t|about|a table / (1 row)")
    );
    assert_eq!(
        list("null, 'SCHEMA', 'dbo', 'TABLE', 't', 'COLUMN', default"),
        format!("{heading} / COLUMN|b|about|a column / (1 row)")
    );
    assert_eq!(
        list("'other', 'SCHEMA', 'dbo', 'TABLE', 't', null, null"),
        format!("{heading} / (0 rows)")
    );
}
