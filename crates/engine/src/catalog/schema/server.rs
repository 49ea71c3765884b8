//! What belongs to the server as a whole and is kept in master.

use std::sync::Arc;

use base::ids::DbId;

use super::named::NamedMap;
use crate::catalog::cow_map::CowMap;
use crate::catalog::def::*;

/// Databases, logins, settings and users' messages.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ServerSchema {
    pub(super) databases: NamedMap<DatabaseDef>,
    pub(super) logins: NamedMap<LoginDef>,
    pub(super) permissions: CowMap<(Securable, PrincipalId), Arc<PermissionSet>>,
    pub(super) configurations: CowMap<i32, ConfigurationDef>,
    pub(super) messages: CowMap<(i32, i16), Arc<MessageDef>>,
    pub(super) resource_pools: CowMap<i32, Arc<ResourcePoolDef>>,
    pub(super) row_caches: CowMap<i32, Arc<RowCacheDef>>,
}

impl ServerSchema {
    /// Databases.
    pub fn databases(&self) -> &NamedMap<DatabaseDef> {
        &self.databases
    }

    /// A database by id.
    pub fn database(&self, id: DbId) -> Option<&Arc<DatabaseDef>> {
        self.databases.get(id)
    }

    /// Logins and server roles.
    pub fn logins(&self) -> &NamedMap<LoginDef> {
        &self.logins
    }

    /// A login by sid.
    pub fn login_with_sid(&self, sid: &[u8]) -> Option<&Arc<LoginDef>> {
        self.logins.iter().find(|login| *login.sid == *sid)
    }

    /// Whether a login or role is in a server role, directly or through others. All are in
    /// `public`.
    pub fn is_member(&self, principal: PrincipalId, role: PrincipalId) -> bool {
        role == PrincipalId::SERVER_PUBLIC
            || is_member(principal, role, |id| Some(&*self.logins.get(id)?.roles))
    }

    /// Permission sets by securable and grantee.
    pub fn permissions(&self) -> impl Iterator<Item = &Arc<PermissionSet>> {
        self.permissions.values()
    }

    /// What a principal itself has been granted or denied on a thing.
    pub fn permission_set(
        &self,
        target: Securable,
        grantee: PrincipalId,
    ) -> Option<&Arc<PermissionSet>> {
        self.permissions.get(&(target, grantee))
    }

    /// A setting, if it ever was changed; see [`crate::catalog::builtin::CONFIGURATIONS`].
    pub fn configuration(&self, id: i32) -> Option<&ConfigurationDef> {
        self.configurations.get(&id)
    }

    /// Resource pools that have a row, by id.
    pub fn resource_pools(&self) -> impl Iterator<Item = &Arc<ResourcePoolDef>> {
        self.resource_pools.values()
    }

    /// A resource pool that has a row.
    pub fn resource_pool(&self, id: i32) -> Option<&Arc<ResourcePoolDef>> {
        self.resource_pools.get(&id)
    }

    /// Named row caches, by id.
    pub fn row_caches(&self) -> impl Iterator<Item = &Arc<RowCacheDef>> {
        self.row_caches.values()
    }

    /// A named row cache; names are told apart without regard to case.
    pub fn row_cache(&self, name: &str) -> Option<&Arc<RowCacheDef>> {
        self.row_caches().find(|cache| cache.name.eq_ignore_ascii_case(name))
    }

    /// Users' messages by number and language.
    pub fn messages(&self) -> impl Iterator<Item = &Arc<MessageDef>> {
        self.messages.values()
    }

    /// A user's message in a language, or else in us_english.
    pub fn message(&self, id: i32, language: i16) -> Option<&Arc<MessageDef>> {
        const US_ENGLISH: i16 = 1033;
        self.messages.get(&(id, language)).or_else(|| self.messages.get(&(id, US_ENGLISH)))
    }
}

/// Whether `role` can be reached from `principal` by membership. Roles cannot contain each other
/// in a circle (error 15413), but this would end even so.
pub(super) fn is_member<'s>(
    principal: PrincipalId,
    role: PrincipalId,
    roles_of: impl Fn(PrincipalId) -> Option<&'s [PrincipalId]>,
) -> bool {
    let mut seen = vec![principal];
    let mut at = 0;
    while at < seen.len() {
        for &next in roles_of(seen[at]).unwrap_or_default() {
            if next == role {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
        at += 1;
    }
    false
}
