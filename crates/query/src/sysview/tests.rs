//! Every view can be read.

use super::*;
use crate::exec::testing::TestServer;

#[test]
fn every_view_can_be_read_from_every_database() {
    let server = TestServer::new();
    let mut session = server.session();
    for database in ["master", "tempdb", "msdb"] {
        for (schema, name) in names() {
            let text =
                session.run(&format!("USE {database}; SELECT TOP (5) * FROM {schema}.{name}"));
            assert!(!text.contains("Msg "), "{database}.{schema}.{name}: {text}");
        }
    }
}

#[test]
fn names_of_views_are_unique() {
    let mut all: Vec<String> = names().map(|(s, n)| format!("{s}.{n}").to_lowercase()).collect();
    all.sort();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}
