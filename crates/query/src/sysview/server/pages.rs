//! Pages of disk tables in memory, and the buffer pool extension.

use super::super::SystemRowset;
use super::super::cells::*;

/// States of the extension.
const DISABLED: i32 = 0;
const ENABLED: i32 = 5;

pub static DM_OS_BUFFER_POOL_EXTENSION_CONFIGURATION: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_os_buffer_pool_extension_configuration",
    columns: &[
        ("path", nvar(256), true),
        ("file_id", INT, false),
        ("state", INT, false),
        ("state_description", nvar(60), false),
        ("current_size_in_kb", BIG, false),
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
