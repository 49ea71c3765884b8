//! Ids of things that are about to be created. Object ids come from the catalog instead, which
//! gives each of them once.

use base::ids::DbId;

use super::Schema;
use crate::catalog::def::*;

/// The first id of the fixed roles and their schemas: users' own stay below.
const FIRST_FIXED: i32 = 16384;
/// The first id of a user's database.
const FIRST_DATABASE: i32 = 5;

impl Schema {
    /// The id of the next type.
    pub fn next_type_id(&self) -> UserTypeId {
        let last = self.types.last_id().map_or(0, |id| id.0);
        UserTypeId((last + 1).max(UserTypeId::FIRST_USER.0))
    }

    /// The id of the next schema, or `None` if there are too many.
    pub fn next_schema_id(&self) -> Option<SchemaId> {
        let used: Vec<i32> = self.schemas.iter().map(|s| s.id.0).collect();
        next_below_fixed(&used, SchemaId::FIRST_USER.0).map(SchemaId)
    }

    /// The id of the next user or role, or `None` if there are too many.
    pub fn next_principal_id(&self) -> Option<PrincipalId> {
        let used: Vec<i32> = self.principals.iter().map(|p| p.id.0).collect();
        next_below_fixed(&used, PrincipalId::FIRST_USER.0).map(PrincipalId)
    }

    /// The id of the next login or server role.
    pub fn next_login_id(&self) -> PrincipalId {
        let last = self.server.logins.last_id().map_or(0, |id| id.0);
        PrincipalId((last + 1).max(PrincipalId::FIRST_LOGIN.0))
    }

    /// The id of the next database: the lowest that is free.
    pub fn next_database_id(&self) -> DbId {
        let used = self.server.databases.iter().map(|d| d.id.0);
        DbId(first_free(used, FIRST_DATABASE))
    }

    /// The id of the next filegroup: the lowest that is free.
    pub fn next_data_space_id(&self) -> DataSpaceId {
        DataSpaceId(first_free(self.file_groups.iter().map(|g| g.id.0), DataSpaceId::PRIMARY.0))
    }

    /// The id of the next file: the lowest that is free.
    pub fn next_file_id(&self) -> FileId {
        FileId(first_free(self.files.iter().map(|f| f.id.0), 1))
    }
}

/// The number after the highest below the fixed ones, or the lowest that is free once those are
/// reached. `used` ascends.
fn next_below_fixed(used: &[i32], first: i32) -> Option<i32> {
    let last = used.iter().rfind(|id| **id < FIRST_FIXED).copied().unwrap_or(0);
    let next = (last + 1).max(first);
    let next = if next < FIRST_FIXED { next } else { first_free(used.iter().copied(), first) };
    (next < FIRST_FIXED).then_some(next)
}

/// The lowest number from `first` on that is not among the ascending ones in use.
fn first_free(used: impl Iterator<Item = i32>, first: i32) -> i32 {
    used.filter(|id| *id >= first).fold(first, |free, id| if id == free { free + 1 } else { free })
}

#[cfg(test)]
mod tests;
