use super::*;

#[test]
fn every_batch_of_the_scripts_is_t_sql() {
    let scripts = [("1-database.sql", DATABASE_SCRIPT), ("2-tables.sql", TABLES_SCRIPT)];
    for (name, script) in scripts.into_iter().chain(OTHER_SCRIPTS) {
        let text: String =
            script.lines().filter(|l| !l.starts_with(':')).flat_map(|l| [l, "\n"]).collect();
        for (batch, _) in split_batches(&text.replace("$(database_name)", "AdventureWorks2014")) {
            let parsed = tsql::parse_batch(&batch, tsql::ParseOptions { quoted_identifier: true });
            assert!(parsed.is_ok(), "{name}: {:?} in\n{batch}", parsed.err());
        }
    }
}
