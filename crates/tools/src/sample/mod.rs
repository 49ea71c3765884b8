//! The AdventureWorks sample: its scripts, its data, and how both get into a server.
//!
//! The scripts are those in `samples/adventureworks`; they are part of the program, so that a demo
//! needs no files. The data is generated, always the same, at the sizes of the original
//! ([`generate`]), or read from the official files by the server ([`official`]) with generated
//! orders on top.

pub mod generate;
mod names;
mod official;

use std::path::Path;

use crate::client::{BulkOptions, ClientError, ConnectOptions, Connection};
use crate::sql::split_batches;

use generate::Generator;

/// The database that the sample is installed in, by default.
pub const DATABASE: &str = "AdventureWorks2014";

const DATABASE_SCRIPT: &str = include_str!("../../../../samples/adventureworks/1-database.sql");
const TABLES_SCRIPT: &str = include_str!("../../../../samples/adventureworks/2-tables.sql");
const OTHER_SCRIPTS: [(&str, &str); 5] = [
    ("3-twins.sql", include_str!("../../../../samples/adventureworks/3-twins.sql")),
    ("4-orders.sql", include_str!("../../../../samples/adventureworks/4-orders.sql")),
    ("5-products.sql", include_str!("../../../../samples/adventureworks/5-products.sql")),
    ("6-integrity.sql", include_str!("../../../../samples/adventureworks/6-integrity.sql")),
    ("7-demo.sql", include_str!("../../../../samples/adventureworks/7-demo.sql")),
];

/// Where the data comes from.
#[derive(Clone, Copy, Debug)]
pub enum DataSource<'a> {
    /// Generated.
    Generated,
    /// The official tab-separated files in this directory, which the server must be able to read;
    /// what is not among them is generated.
    Official(&'a Path),
}

/// Reports the step that is being done.
pub type Progress<'p> = &'p mut dyn FnMut(&str);

/// Installs the sample on a server: database, tables, data, procedures, seeds.
///
/// # Errors
/// Those of the server and of the connection; what was done before the error stays.
pub fn install(
    options: &ConnectOptions,
    database: &str,
    source: DataSource<'_>,
    progress: Progress<'_>,
) -> Result<(), ClientError> {
    let mut connection = Connection::connect(&options.clone().with_database("master"))?;
    let variables = [("database_name", database), ("checkpoint_files_location", "")];
    progress("creating the database");
    run_script(&mut connection, DATABASE_SCRIPT, &variables)?;
    progress("creating the tables");
    run_script(&mut connection, TABLES_SCRIPT, &variables)?;
    load(&mut connection, source, progress)?;
    for (name, script) in OTHER_SCRIPTS {
        progress(&format!("running {name}"));
        run_script(&mut connection, script, &variables)?;
    }
    progress("filling the tables of the workload");
    for call in ["EXEC Demo.usp_DemoFill", "EXEC Demo.usp_DemoInitSeed", "EXEC Demo.usp_DemoReset"]
    {
        execute(&mut connection, call)?;
    }
    Ok(())
}

/// Runs a script of a sample: its commands are taken as done, its variables replaced.
pub(crate) fn run_script(
    connection: &mut Connection,
    script: &str,
    variables: &[(&str, &str)],
) -> Result<(), ClientError> {
    let lines = script.lines().filter(|line| !line.starts_with(':'));
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    for (name, value) in variables {
        text = text.replace(&format!("$({name})"), &value.replace(']', "]]"));
    }
    for (batch, _) in split_batches(&text) {
        execute(connection, &batch)?;
    }
    Ok(())
}

/// Runs a batch; an error of the server is an error.
fn execute(connection: &mut Connection, text: &str) -> Result<(), ClientError> {
    match connection.execute(text)?.first_error {
        Some(message) => Err(ClientError::Server(message)),
        None => Ok(()),
    }
}

fn load(
    connection: &mut Connection,
    source: DataSource<'_>,
    progress: Progress<'_>,
) -> Result<(), ClientError> {
    let mut generator = Generator::default();
    let official = match source {
        DataSource::Generated => Vec::new(),
        DataSource::Official(directory) => official::load(connection, directory, progress)?,
    };
    if !official.is_empty() {
        generator = official::generator(connection)?;
    }
    for table in generate::TABLES {
        if official.contains(&table.name) {
            continue;
        }
        progress(&format!("loading {}", table.name));
        let target = connection.bulk_target(table.name, true)?;
        let options =
            BulkOptions { lock_table: true, check_constraints: true, ..BulkOptions::default() };
        connection.bulk_load(&target, &options, |rows| {
            (table.rows)(&generator, &mut |row| rows.row(row))
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
