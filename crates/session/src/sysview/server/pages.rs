//! Pages of disk tables in memory, and the buffer pool extension.

use std::collections::HashMap;

use base::{SqlError, Value, message};
use engine::catalog::Catalog;
use engine::cold::PageNumber;
use engine::cold::tree::Contents;

use super::super::FilledView;
use super::super::catalog::space::hobt_id;
use super::super::cells::*;

/// States of the extension.
const DISABLED: i32 = 0;
const ENABLED: i32 = 5;

pub static DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_buffer_pool_extension_configuration",
    columns: &[
        column("path", nvar(256), true),
        column("file_id", INT, false),
        column("state", INT, false),
        column("state_description", nvar(60), false),
        column("current_size_in_kb", BIG, false),
    ],
    fill: |cx| {
        let found = cx.instance.host().pages.extension();
        let enabled = found.filter(|(_, stats)| stats.is_enabled);
        match enabled {
            Some((file, _)) => cx.push([
                text(&file.path.to_string_lossy()),
                int(1),
                int(ENABLED),
                text("BUFFER POOL EXTENSION ENABLED"),
                int((file.bytes >> 10) as i64),
            ]),
            None => cx.push([
                NULL,
                int(0),
                int(DISABLED),
                text("BUFFER POOL EXTENSION DISABLED"),
                int(0),
            ]),
        }
        Ok(())
    },
};

/// The trees of all databases, by database and root: the database's number and the allocation unit.
type Trees = HashMap<(u128, PageNumber), Tree>;

/// What the pages of a tree belong to.
#[derive(Clone, Copy)]
struct Tree {
    allocation_unit: i64,
    /// Whether rows are in it.
    has_rows: bool,
}

/// The trees of a database's tables.
fn add_trees(catalog: &Catalog, trees: &mut Trees) {
    let uuid = catalog.database().identity().uuid;
    for definition in catalog.current().tables() {
        let table = catalog.table(definition);
        let Some(cold) = table.as_ref().and_then(|table| table.cold()) else { continue };
        for ordinal in 0..cold.trees() {
            // An index that the catalog does not know finds the rows of a heap.
            let index = definition.indexes.get(ordinal).map_or(0, |index| index.id.0);
            let allocation_unit = hobt_id(definition.storage, index);
            let own = Tree { allocation_unit, has_rows: cold.is_clustered(ordinal) };
            trees.insert((uuid, cold.tree(ordinal).root()), own);
        }
    }
}

/// What the row says of a page: level, allocation unit, type, rows, free bytes.
fn contents(contents: Contents, tree: Option<Tree>) -> [Value; 5] {
    let unit = or_null(tree, |tree| int(tree.allocation_unit));
    let holds_rows = tree.is_none_or(|tree| tree.has_rows);
    match contents {
        Contents::Node { level, count, free, .. } => {
            let kind = if level == 0 && holds_rows { "DATA_PAGE" } else { "INDEX_PAGE" };
            [int(level), unit, text(kind), int(count), int(free)]
        }
        Contents::Overflow { free, .. } => [int(0), unit, text("TEXT_MIX_PAGE"), int(1), int(free)],
    }
}

pub static DM_OS_BUFFER_DESCRIPTORS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_buffer_descriptors",
    columns: &[
        column("database_id", INT, true),
        column("file_id", INT, true),
        column("page_id", INT, true),
        column("page_level", INT, true),
        column("allocation_unit_id", BIG, true),
        column("page_type", nvar(60), true),
        column("row_count", INT, true),
        column("free_space_in_bytes", INT, true),
        column("is_modified", BIT, true),
        column("numa_node", INT, true),
        column("read_microsec", BIG, true),
        column("is_in_bpool_extension", BIT, true),
    ],
    fill: |cx| {
        let mut trees = Trees::new();
        let mut databases = HashMap::new();
        for catalog in cx.instance.databases().catalogs() {
            let own = catalog.database();
            databases.insert(own.identity().uuid, own.manager().id());
            add_trees(&catalog, &mut trees);
        }
        let cancelled = |_| SqlError::new(&message::COMMAND_CANCELLED, &[]);
        let buffers = cx.instance.host().pages.buffers(cx.task).map_err(cancelled)?;
        for buffer in buffers {
            // One that is being closed or made has no number.
            let Some(&id) = databases.get(&buffer.database) else { continue };
            let tree = |own: Contents| trees.get(&(buffer.database, own.tree())).copied();
            let unknown = [NULL, NULL, NULL, NULL, NULL];
            let what = buffer.contents.map_or(unknown, |own| contents(own, tree(own)));
            let (file, page) = match buffer.place {
                Some(place) => (int(place.file), int(place.index)),
                None => (NULL, NULL),
            };
            let start = [database(id), file, page];
            let is_modified = bit(buffer.place.is_none());
            let end = [is_modified, int(0), NULL, bit(buffer.is_in_extension)];
            cx.push_parts(&[&start, &what, &end]);
        }
        Ok(())
    },
};
