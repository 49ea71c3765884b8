//! What units read of tables, counted while `SET STATISTICS IO` is on.

use engine::wait::DiskReads;
use ir::ObjectDesc;
use ir::object::{AccessDesc, is_unique};
use ir::site::TargetTable;

use crate::interp::changes::table_use;
use crate::interp::machine::Machine;
use crate::interp::objects::cursor::CursorCounts;

/// What was read of a table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reads {
    /// Scans begun, and searches that may find more than one row.
    pub scans: u64,
    /// Rows fetched or written.
    pub rows: u64,
    /// What of disk tables was read beyond what is in memory.
    pub disk: DiskReads,
}

impl Reads {
    /// Adds others to these.
    pub fn add(&mut self, other: Reads) {
        self.scans += other.scans;
        self.rows += other.rows;
        self.disk.add(other.disk);
    }
}

impl Machine<'_, '_> {
    /// Tells the host what was read of which table.
    #[cold]
    pub(super) fn report_reads(&mut self) {
        for (object, desc) in self.act.objects.iter_mut().zip(&self.unit.objects) {
            let ObjectDesc::Cursor(desc) = desc else { continue };
            let CursorCounts { opened, rows, disk } = object.take_counts();
            let used = table_use(self.unit, desc.table);
            // A search for the whole key of a unique index begins no scan.
            let finds_one = match &desc.access {
                AccessDesc::Seek { index, .. } | AccessDesc::Key { index, .. } => {
                    is_unique(&used.table, *index)
                }
                AccessDesc::Range { index, prefix, .. } => {
                    let index = &used.table.indexes[*index];
                    index.unique && prefix.len() == index.key.len()
                }
                AccessDesc::Full { .. } | AccessDesc::Like { .. } => false,
            };
            let scans = if finds_one { 0 } else { opened };
            if opened > 0 {
                self.exec.host.count_reads(used, Reads { scans, rows, disk });
            }
        }
        let changed = self.unit.targets.iter().find_map(|target| match target.table {
            TargetTable::Table(table) => Some(table_use(self.unit, table)),
            TargetTable::Variable(_) => None,
        });
        if let Some(used) = changed {
            self.exec.host.count_reads(used, Reads { rows: self.rows_written, ..Reads::default() });
        }
    }
}
