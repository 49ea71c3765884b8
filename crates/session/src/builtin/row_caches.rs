//! Procedures of SAP ASE's administrators: `sp_cacheconfig`, `sp_imrs`, `sp_dboption`.

use std::collections::HashMap;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, SqlType, Value, message};
use engine::catalog::def::{
    DatabaseDef, DatabaseOptions, Permission, RowCacheDef, TableDef, TableKind,
};
use engine::catalog::{Catalog, Definition, DefinitionKey};
use engine::cold::rowcache::Contents;
use engine::hot::tally::Resident;
use engine::wait::Task;

use super::Arguments;
use super::rows::{NAME, ResultSet, RowsetColumn, column, int, text};
use crate::context::Context;
use crate::session::authority::denied_server_state;

type Shown<'a> = &'a dyn std::fmt::Display;

const SMALLEST_KB: i64 = 256 << 10;

fn refuse_transaction(context: &Context<'_>, procedure: &str) -> SqlResult<()> {
    match context.in_user_transaction() {
        true => Err(SqlError::new(&message::SP_IN_TRANSACTION, &[&procedure])),
        false => Ok(()),
    }
}

fn invalid(procedure: &str) -> SqlError {
    SqlError::new(&message::SP_PARAMETER_INVALID, &[&procedure])
}

fn not_there(name: &str) -> SqlError {
    SqlError::custom(1871, 16, 1, format!("There is no row cache '{name}'."))
}

/// What `sp_cacheconfig` was told of a cache, beside its name and size.
#[derive(Default)]
struct Kind {
    is_row_storage: bool,
    /// A type that is another one.
    other: Option<String>,
    /// What has no effect.
    ignored: Vec<String>,
}

impl Kind {
    fn of(arguments: &Arguments<'_>) -> SqlResult<Kind> {
        const OTHERS: [&str; 4] = ["mixed", "logonly", "inmemory_storage", "default"];
        let mut kind = Kind::default();
        for name in ["@option1", "@option2", "@option3"] {
            let Some(word) = arguments.text(name).map(|word| word.to_lowercase()) else { continue };
            match word.as_str() {
                "row_storage" => kind.is_row_storage = true,
                "strict" | "relaxed" => kind.ignored.push(word),
                _ if word.starts_with("cache_partition") => kind.ignored.push(word),
                _ if OTHERS.contains(&&*word) => kind.other = Some(word),
                _ => return Err(invalid("sys.sp_cacheconfig")),
            }
        }
        Ok(kind)
    }
}

/// Shows row caches; makes one, alters its size, or deletes it, if a size is given. Errors 1871,
/// 1873, 1874, 5096, 15002, 15600.
pub fn configure(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let name = arguments.text("@cachename").filter(|name| !name.is_empty());
    let size = arguments.text("@cache_size");
    let (Some(name), Some(size)) = (&name, size) else {
        return show(context, name.as_deref());
    };
    refuse_transaction(context, "sys.sp_cacheconfig")?;
    let size_kb = kilobytes(&size).ok_or_else(|| invalid("sys.sp_cacheconfig"))?;
    let kind = Kind::of(arguments)?;
    let old = context.instance().row_cache(name);
    if size_kb == 0 {
        return delete(context, &*old.ok_or_else(|| not_there(name))?);
    }
    if kind.other.is_some() || old.is_none() && !kind.is_row_storage {
        let text = format!(
            "Cache '{name}' must be of type row_storage: pages of all databases share one buffer \
             pool, whose size is a setting of the server (buffer_pool_size)."
        );
        return Err(SqlError::custom(1873, 16, 1, text));
    }
    if size_kb < SMALLEST_KB {
        let least = SMALLEST_KB >> 10;
        let text =
            format!("Row cache '{name}' is too small: increase the cache to at least {least} MB.");
        return Err(SqlError::custom(1874, 16, 1, text));
    }
    put(context, name, size_kb)?;
    for word in kind.ignored {
        let text = format!("The option '{word}' has no effect on row cache '{name}'.");
        context.inform(SqlError::custom(0, 10, 1, text))?;
    }
    let pool = context.instance().host().pages.limit_bytes();
    if (size_kb as u64) > pool >> 10 {
        let text = format!(
            "Row cache '{name}' is larger than the memory that row caches and pages share \
             (buffer_pool_size, {} MB now), and takes no more than that.",
            pool >> 20
        );
        context.inform(SqlError::custom(0, 10, 1, text))?;
    }
    Ok(0)
}

/// A size as SAP ASE writes it: a number with P (pages), K, M or G, or of kilobytes.
fn kilobytes(size: &str) -> Option<i64> {
    const PAGE_KB: f64 = 8.0;
    let size = size.trim();
    let (number, unit) = match size.char_indices().last()? {
        (at, letter) if letter.is_ascii_alphabetic() => (&size[..at], letter),
        _ => (size, 'K'),
    };
    let unit_kb = match unit.to_ascii_uppercase() {
        'P' => PAGE_KB,
        'K' => 1.0,
        'M' => 1024.0,
        'G' => 1024.0 * 1024.0,
        _ => return None,
    };
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let number: f64 = number.trim().chars().all(digits).then(|| number.trim().parse().ok())??;
    let kilobytes = number * unit_kb;
    (kilobytes < (1_u64 << 50) as f64).then_some(kilobytes as i64)
}

fn put(context: &mut Context<'_>, name: &str, size_kb: i64) -> SqlResult<()> {
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        let master = context.schema(DbId::MASTER)?;
        let last = master.server().row_caches().map(|cache| cache.id).max().unwrap_or(0);
        let new = match master.server().row_cache(name) {
            Some(old) => RowCacheDef { size_kb, ..RowCacheDef::clone(old) },
            None => RowCacheDef { id: last + 1, name: name.into(), size_kb },
        };
        context.change(DbId::MASTER, |task, part, edit| {
            edit.put(task, part, Definition::RowCache(new.clone().into()))
        })
    })?;
    context.instance().databases().set_row_caches();
    Ok(())
}

fn delete(context: &mut Context<'_>, cache: &RowCacheDef) -> SqlResult<i32> {
    if let Some(user) = context.instance().users_of_row_cache(&cache.name).first() {
        let text = format!(
            "Row cache '{}' cannot be deleted: database '{}' uses it. ALTER DATABASE … ROW STORAGE \
             OFF ends that.",
            cache.name, user.name
        );
        return Err(SqlError::custom(5096, 16, 2, text));
    }
    let id = cache.id;
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        context.change(DbId::MASTER, |task, part, edit| {
            edit.drop(task, part, DefinitionKey::RowCache(id))
        })
    })?;
    Ok(0)
}

fn show(context: &mut Context<'_>, name: Option<&str>) -> SqlResult<i32> {
    const COLUMNS: [RowsetColumn; 5] = [
        column("Cache Name", NAME, false),
        column("Status", NAME, false),
        column("Type", NAME, false),
        column("Config Value", NAME, false),
        column("Run Value", NAME, false),
    ];
    let instance = context.instance();
    let master = instance.databases().master().current();
    if let Some(name) = name
        && instance.row_cache(name).is_none()
    {
        return Err(not_there(name));
    }
    let asked =
        |cache: &&Arc<RowCacheDef>| name.is_none_or(|name| cache.name.eq_ignore_ascii_case(name));
    let rows: Vec<_> = master
        .server()
        .row_caches()
        .filter(asked)
        .map(|cache| {
            let is_used = !instance.users_of_row_cache(&cache.name).is_empty();
            let status = if is_used { "Active" } else { "Not used" };
            let size = format!("{:.2} Mb", cache.size_kb as f64 / 1024.0);
            let shown = [&cache.name, status, "Row Storage", &size, &size];
            shown.map(|shown| text(Some(shown))).to_vec()
        })
        .collect();
    ResultSet::new(&COLUMNS).send(context, &rows)?;
    Ok(0)
}

/// Rows and versions of a table, or of several together, in memory, and copies of rows.
#[derive(Clone, Copy, Default)]
struct RowCounts {
    resident: Resident,
    cached: u64,
}

/// The ten counters.
const COUNTERS: [RowsetColumn; 10] = [
    column("NRows", SqlType::bigint(), true),
    column("NRowsHWM", SqlType::bigint(), true),
    column("NVersions", SqlType::bigint(), true),
    column("NVersHWM", SqlType::bigint(), true),
    column("NInsRows", SqlType::bigint(), true),
    column("NMigRows", SqlType::bigint(), true),
    column("NCachedRows", SqlType::bigint(), true),
    column("NInsVers", SqlType::bigint(), true),
    column("NMigVers", SqlType::bigint(), true),
    column("NRowsPendGC", SqlType::bigint(), true),
];

impl RowCounts {
    /// The values of [`COUNTERS`].
    fn values(self) -> [Value; 10] {
        let RowCounts { resident: Resident { inserted, back, .. }, cached } = self;
        let counts = [
            inserted.rows + back.rows + cached,
            self.resident.rows_max,
            inserted.versions + back.versions + cached,
            self.resident.versions_max,
            inserted.rows,
            back.rows,
            cached,
            inserted.versions,
            back.versions,
            self.resident.waiting,
        ];
        counts.map(|count| int(i64::try_from(count).unwrap_or(i64::MAX)))
    }
}

/// The counts of a table.
struct TableCounts {
    schema: Arc<str>,
    table: Arc<str>,
    rows: RowCounts,
}

/// The counts of the tables of a database whose rows are or were cached, by name.
fn counts(catalog: &Catalog, task: &Task) -> SqlResult<Vec<TableCounts>> {
    let cancelled = |_| SqlError::new(&message::COMMAND_CANCELLED, &[]);
    let schema = catalog.current();
    let mut contents: Option<HashMap<u32, Contents>> = None;
    let mut counts = Vec::new();
    for def in schema.tables().filter(|def| def.kind == TableKind::Disk) {
        let Some(table) = catalog.table(def) else { continue };
        let cold = table.cold();
        if !def.row_cached && cold.is_none_or(|cold| cold.row_cache_stats().is_none()) {
            continue;
        }
        let mut cached = 0;
        if let Some(cold) = cold
            && let Some(cache) = cold.store().row_cache()
        {
            let contents = match &mut contents {
                Some(contents) => contents,
                none => none.insert(cache.contents(task).map_err(cancelled)?),
            };
            cached = contents.get(&cold.row_cache_space()).map_or(0, |own| own.rows);
        }
        let rows = RowCounts { resident: table.resident(cached), cached };
        let place =
            |def: &TableDef| schema.schemas().get(def.header.schema).map(|s| s.name.clone());
        let schema = place(def).unwrap_or_else(|| "dbo".into());
        counts.push(TableCounts { schema, table: def.header.name.clone(), rows });
    }
    counts.sort_by(|a, b| (&a.schema, &a.table).cmp(&(&b.schema, &b.table)));
    Ok(counts)
}

fn total(tables: &[TableCounts]) -> RowCounts {
    tables.iter().fold(RowCounts::default(), |sum, table| RowCounts {
        resident: sum.resident + table.rows.resident,
        cached: sum.cached + table.rows.cached,
    })
}

/// `sp_imrs show, rowcounts`: how many rows are in memory, by cache or by table. Errors 300, 1871,
/// 15600.
pub fn show_rows(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let is = |name, word: &str| {
        arguments.text(name).is_some_and(|given| given.eq_ignore_ascii_case(word))
    };
    if !is("@action", "show") || !is("@what", "rowcounts") {
        return Err(invalid("sys.sp_imrs"));
    }
    if !context.login_may(Permission::ViewServerState) {
        return Err(denied_server_state());
    }
    match arguments.text("@cachename") {
        Some(name) => show_tables(context, &name),
        None => show_caches(context),
    }
}

fn show_caches(context: &mut Context<'_>) -> SqlResult<i32> {
    let names = [column("CacheName", NAME, true), column("DBName", NAME, true)];
    let columns: Vec<RowsetColumn> = names.into_iter().chain(COUNTERS).collect();
    let (instance, mut rows) = (context.instance(), Vec::new());
    for used in instance.row_cache_uses() {
        let catalog = used.database.as_ref().and_then(|def| instance.catalog(def.id).ok());
        let counts = match &catalog {
            Some(catalog) => total(&counts(catalog, context.task)?).values(),
            None if used.database.is_none() => RowCounts::default().values(),
            None => [const { Value::Null }; 10],
        };
        let mut row = vec![
            text(used.cache.as_ref().map(|cache| &*cache.name)),
            text(used.database.as_ref().map(|def| &*def.name)),
        ];
        row.extend(counts);
        rows.push(row);
    }
    ResultSet::new(&columns).send(context, &rows)?;
    Ok(0)
}

fn show_tables(context: &mut Context<'_>, name: &str) -> SqlResult<i32> {
    let names = [
        column("DBName", NAME, false),
        column("OwnerName", NAME, false),
        column("ObjectName", NAME, false),
    ];
    let columns: Vec<RowsetColumn> = names.into_iter().chain(COUNTERS).collect();
    let (instance, mut rows) = (context.instance(), Vec::new());
    let cache = instance.row_cache(name).ok_or_else(|| not_there(name))?;
    for def in instance.users_of_row_cache(&cache.name) {
        let Ok(catalog) = instance.catalog(def.id) else { continue };
        let tables = counts(&catalog, context.task)?;
        let mut push = |owner: &str, object: &str, counts: RowCounts| {
            let mut row = vec![text(Some(&def.name)), text(Some(owner)), text(Some(object))];
            row.extend(counts.values());
            rows.push(row);
        };
        push("[Any]", "[Totals]", total(&tables));
        tables.iter().for_each(|own| push(&own.schema, &own.table, own.rows));
    }
    ResultSet::new(&columns).send(context, &rows)?;
    Ok(0)
}

/// The option that `sp_dboption` changes.
const TUNING: &str = "auto imrs partition tuning";

/// Shows the options of a database that are on, or one of them; changes one. Errors 262,
/// 15002, 15010, 15011, 15600.
pub fn database_option(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let Some(name) = arguments.text("@dbname") else {
        list(context, "Settable database options", &[TUNING])?;
        return Ok(0);
    };
    let Some(def) = context.instance().find_database(&name) else {
        return Err(SqlError::new(&message::SP_DATABASE_DOES_NOT_EXIST, &[&name]));
    };
    let options = database_options(&def);
    let Some(option) = arguments.text("@optname") else {
        let on: Vec<&str> = options.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        list(context, "The following options are set:", &on)?;
        return Ok(0);
    };
    let unknown = || SqlError::new(&message::SP_OPTION_UNKNOWN, &[&option]);
    let found = options.iter().find(|(own, _)| own.eq_ignore_ascii_case(&option));
    let &(option, is_on) = found.ok_or_else(unknown)?;
    let on = match arguments.text("@optvalue").map(|value| value.to_lowercase()).as_deref() {
        None => return show_option(context, option, is_on),
        Some("true" | "on") => true,
        Some("false" | "off") => false,
        Some(_) => return Err(invalid("sys.sp_dboption")),
    };
    if option != TUNING {
        let args: [Shown; 2] = [&option, &def.name];
        return Err(SqlError::new(&message::OPTION_CANNOT_BE_SET, &args));
    }
    set_tuning(context, &def, on)
}

/// The options and whether they are on.
fn database_options(def: &DatabaseDef) -> [(&'static str, bool); 4] {
    let options = &def.options;
    [
        (TUNING, !options.row_cache_tuning_off),
        ("in-memory row storage", options.row_cache.is_some()),
        ("snapshot isolation", options.snapshot_isolation),
        ("data row caching", options.row_caching),
    ]
}

fn list(context: &mut Context<'_>, title: &'static str, names: &[&str]) -> SqlResult<()> {
    let rows: Vec<_> = names.iter().map(|name| vec![text(Some(name))]).collect();
    ResultSet::new(&[column(title, NAME, false)]).send(context, &rows)
}

fn show_option(context: &mut Context<'_>, option: &str, on: bool) -> SqlResult<i32> {
    let columns = [column("OptionName", NAME, false), column("CurrentSetting", NAME, false)];
    let row = vec![text(Some(option)), text(Some(if on { "ON" } else { "OFF" }))];
    ResultSet::new(&columns).send(context, &[row])?;
    Ok(0)
}

fn set_tuning(context: &mut Context<'_>, def: &DatabaseDef, on: bool) -> SqlResult<i32> {
    refuse_transaction(context, "sys.sp_dboption")?;
    context.demand_on_database(def.id, Permission::Alter)?;
    if def.options.row_cache_tuning_off != on {
        let state = if on { "on" } else { "off" };
        let text = format!("Option '{TUNING}' of database '{}' is {state} already.", def.name);
        context.inform(SqlError::custom(15271, 10, 1, text))?;
        return Ok(0);
    }
    let options = DatabaseOptions { row_cache_tuning_off: !on, ..def.options.clone() };
    let def = Arc::new(DatabaseDef { options, ..def.clone() });
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        context.change(DbId::MASTER, |task, part, edit| {
            edit.put(task, part, Definition::Database(def.clone()))
        })
    })?;
    context.instance().note_database_change();
    context.instance().databases().set_row_caches();
    Ok(0)
}

#[cfg(test)]
mod tests;
