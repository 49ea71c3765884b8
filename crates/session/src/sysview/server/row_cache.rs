//! Row caches: copies of rows of disk tables, and what they have done.

use std::collections::HashMap;

use base::{SqlError, SqlResult, SqlType, Value, message};
use engine::catalog::def::{TableDef, TableKind};
use engine::cold::rowcache::{Contents, TableStats};
use engine::hot::table::Table;

use super::super::cells::*;
use super::super::{FillContext, FilledView};
use super::memory::number;

/// What is known of a disk table that the row cache has ever been on for.
struct Cached<'a> {
    definition: &'a TableDef,
    table: &'a Table,
    stats: TableStats,
    contents: Contents,
}

fn cancelled<E>(_: E) -> SqlError {
    SqlError::new(&message::COMMAND_CANCELLED, &[])
}

/// Calls `each` for every table of the database that the row cache is or was on for.
fn every_cached(
    cx: &mut FillContext<'_>,
    mut each: impl FnMut(&mut FillContext<'_>, &Cached<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    let (schema, task) = (cx.schema.clone(), cx.task);
    let catalog = cx.instance.catalog(cx.database)?;
    let mut contents: Option<HashMap<u32, Contents>> = None;
    for definition in schema.tables().filter(|table| table.kind == TableKind::Disk) {
        let Some(table) = catalog.table(definition) else { continue };
        let Some(cold) = table.cold() else { continue };
        let Some(stats) = cold.row_cache_stats() else { continue };
        let contents = match (&mut contents, cold.store().row_cache()) {
            (Some(contents), _) => contents,
            (none, Some(cache)) => none.insert(cache.contents(task).map_err(cancelled)?),
            (none, None) => none.insert(HashMap::new()),
        };
        let contents = contents.get(&cold.row_cache_space()).copied().unwrap_or_default();
        each(cx, &Cached { definition, table: &table, stats, contents })?;
    }
    Ok(())
}

pub static DM_DB_ROW_CACHE_STATS: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_row_cache_stats",
    columns: &[
        column("object_id", INT, false),
        column("index_id", INT, false),
        column("is_row_caching_on", BIT, false),
        column("is_hash_caching_used", BIT, false),
        column("inserted_rows", BIG, true),
        column("migrated_rows", BIG, true),
        column("resident_bytes", BIG, true),
        column("cached_rows", BIG, true),
        column("cached_bytes", BIG, true),
        column("hash_hits", BIG, false),
        column("tree_hits", BIG, false),
        column("misses", BIG, false),
        column("admissions", BIG, true),
        column("kept_rows", BIG, true),
        column("first_touches", BIG, true),
        column("refusals", BIG, true),
        column("withdrawals", BIG, true),
        column("invalidations", BIG, true),
        column("evictions", BIG, true),
        column("moves", BIG, true),
        column("reuses", BIG, true),
    ],
    fill: |cx| {
        every_cached(cx, |cx, cached| {
            let Cached { definition, table, stats, contents } = cached;
            let resident = table.resident(contents.rows);
            // What is not of one index is in the row of the one that holds the rows.
            let holder = table.cold().map_or(0, |cold| cold.clustered_index());
            for (at, look_ups) in stats.indexes.iter().enumerate() {
                // A heap has an index of its own that no definition names.
                let id = definition.indexes.get(at).map_or(0, |index| index.id.0);
                let whole = |count: u64| if at == holder { number(count) } else { NULL };
                cx.push([
                    object(definition.indexed_id()),
                    int(id),
                    bit(table.caches_rows()),
                    bit(table.cold().is_some_and(|cold| cold.uses_hash(at))),
                    whole(resident.inserted.rows),
                    whole(resident.back.rows),
                    whole(table.memory().used_bytes),
                    whole(contents.rows),
                    whole(contents.bytes),
                    number(look_ups.hits),
                    number(look_ups.tree_hits),
                    number(look_ups.misses),
                    whole(stats.admitted),
                    whole(stats.left),
                    whole(stats.first_touches),
                    whole(stats.refused),
                    whole(stats.withdrawn),
                    whole(stats.killed),
                    whole(stats.evicted),
                    whole(stats.moved),
                    whole(stats.reused),
                ]);
            }
            Ok(())
        })
    },
};

pub static DM_DB_ROW_CACHE_TUNING: FilledView = FilledView {
    schema: "sys",
    name: "dm_db_row_cache_tuning",
    columns: &[
        column("object_id", INT, false),
        column("admission_probability", SqlType::float(), false),
        column("previous_probability", SqlType::float(), false),
        column("reuses_per_evicted_mb", SqlType::float(), true),
        column("average_reuses_per_evicted_mb", SqlType::float(), true),
        column("decisions", BIG, false),
        column("last_reason", nvar(256), true),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        let catalog = cx.instance.catalog(cx.database)?;
        for definition in schema.tables().filter(|table| table.kind == TableKind::Disk) {
            let table = catalog.table(definition);
            let decision = table.as_ref().and_then(|table| table.cold()?.admission_decision());
            let Some(last) = decision else { continue };
            let known = |value| if last.count > 0 { value } else { NULL };
            let reason = match last.probability < last.before {
                true => {
                    "Rows of the table came back less than half as often as those of all tables."
                }
                false if last.probability > last.before => {
                    "Rows of the table came back about as often as those of all tables, or more."
                }
                false => "Nothing to change.",
            };
            cx.push([
                object(definition.indexed_id()),
                Value::Float(last.probability),
                Value::Float(last.before),
                known(Value::Float(last.reuse)),
                known(Value::Float(last.mean_reuse)),
                number(last.count),
                known(text(reason)),
            ]);
        }
        Ok(())
    },
};

pub static DM_OS_ROW_CACHE_MEMORY: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_row_cache_memory",
    columns: &[
        column("row_cache_bytes", BIG, false),
        column("row_cache_target_bytes", BIG, false),
        column("page_bytes", BIG, false),
        column("shared_bytes", BIG, false),
        column("row_cache_gain", SqlType::float(), true),
        column("page_gain", SqlType::float(), true),
        column("last_change_bytes", BIG, true),
        column("decisions", BIG, false),
        column("last_reason", nvar(256), true),
    ],
    fill: |cx| {
        let pages = &cx.instance.host().pages;
        let ([used, target], all) = (pages.row_cache_bytes(), pages.limit_bytes());
        let last = pages.division().unwrap_or_default();
        let part = all / engine::cold::DIVISION_PARTS;
        let is_known = last.count > 0;
        let known = |value| if is_known { value } else { NULL };
        let reason = match last.change {
            1.. => "More memory would have saved more reads in row caches than in pages.",
            0 => "Neither side would have saved clearly more reads, or row caches are not full.",
            _ => "More memory would have saved more reads in pages than in row caches.",
        };
        cx.push([
            number(used),
            number(target),
            number(pages.resident_bytes().saturating_sub(used)),
            number(all),
            known(Value::Float(last.row_caches_gain)),
            known(Value::Float(last.pages_gain)),
            known(int(last.change * i64::try_from(part).unwrap_or(0))),
            number(last.count),
            known(text(reason)),
        ]);
        Ok(())
    },
};

pub static DM_OS_ROW_CACHES: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_row_caches",
    columns: &[
        column("cache_id", INT, true),
        column("name", SYSNAME, true),
        column("database_id", SMALL, true),
        column("database_name", SYSNAME, true),
        column("size_kb", BIG, false),
        column("used_kb", BIG, false),
        column("used_max_kb", BIG, false),
        column("is_active", BIT, false),
    ],
    fill: |cx| {
        let shared = cx.instance.host().pages.row_cache_bytes()[1];
        for used in cx.instance.row_cache_uses() {
            let (cache, def) = (used.cache.as_ref(), used.database.as_ref());
            let stats = used.stats.unwrap_or_default();
            cx.push([
                cache.map_or(NULL, |cache| int(cache.id)),
                cache.map_or(NULL, |cache| text(&cache.name)),
                def.map_or(NULL, |def| int(def.id.0)),
                def.map_or(NULL, |def| text(&def.name)),
                // Without a cache of its own it may take what all may take together.
                number(cache.map_or(shared, |cache| cache.bytes()) / 1024),
                number(stats.bytes.div_ceil(1024)),
                number(stats.bytes_max.div_ceil(1024)),
                bit(used.is_active()),
            ]);
        }
        Ok(())
    },
};
