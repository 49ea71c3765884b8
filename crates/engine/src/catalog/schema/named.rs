//! Definitions by id and by name.

use std::sync::Arc;

use base::Collation;
use base::ids::DbId;

use crate::catalog::cow_map::CowMap;
use crate::catalog::def::*;
use crate::catalog::error::{CatalogError, NameSpace};
use crate::catalog::name::NameKey;

/// A definition with an id and a name that is unique within some scope.
pub trait Named {
    /// The type of its id.
    type Id: Ord + Copy;
    /// What its name is unique within, below the database.
    type Scope: Ord + Copy;
    /// For the error about a name in use.
    const SPACE: NameSpace;

    /// The id.
    fn id(&self) -> Self::Id;
    /// The scope of the name.
    fn scope(&self) -> Self::Scope;
    /// The name.
    fn name(&self) -> &Name;
}

macro_rules! named {
    ($($def:ty: $id:ty, $space:ident;)*) => {$(
        impl Named for $def {
            type Id = $id;
            type Scope = ();
            const SPACE: NameSpace = NameSpace::$space;

            fn id(&self) -> $id {
                self.id
            }
            fn scope(&self) {}
            fn name(&self) -> &Name {
                &self.name
            }
        }
    )*};
}

named! {
    SchemaDef: SchemaId, Schema;
    PrincipalDef: PrincipalId, Principal;
    FileGroupDef: DataSpaceId, FileGroup;
    FileDef: FileId, File;
    DatabaseDef: DbId, Database;
    LoginDef: PrincipalId, Login;
}

impl Named for TypeDef {
    type Id = UserTypeId;
    type Scope = SchemaId;
    const SPACE: NameSpace = NameSpace::Type;

    fn id(&self) -> UserTypeId {
        self.id
    }
    fn scope(&self) -> SchemaId {
        self.schema
    }
    fn name(&self) -> &Name {
        &self.name
    }
}

impl Named for XmlCollectionDef {
    type Id = XmlCollectionId;
    type Scope = SchemaId;
    const SPACE: NameSpace = NameSpace::XmlCollection;

    fn id(&self) -> XmlCollectionId {
        self.id
    }
    fn scope(&self) -> SchemaId {
        self.schema
    }
    fn name(&self) -> &Name {
        &self.name
    }
}

/// Definitions of one kind, by id and by name. Cheap to clone.
#[derive(Debug)]
pub struct NamedMap<D: Named> {
    by_id: CowMap<D::Id, Arc<D>>,
    by_name: CowMap<(D::Scope, NameKey), D::Id>,
}

impl<D: Named> Clone for NamedMap<D> {
    fn clone(&self) -> Self {
        NamedMap { by_id: self.by_id.clone(), by_name: self.by_name.clone() }
    }
}

impl<D: Named> Default for NamedMap<D> {
    fn default() -> Self {
        NamedMap { by_id: CowMap::default(), by_name: CowMap::default() }
    }
}

impl<D: Named + PartialEq> PartialEq for NamedMap<D> {
    fn eq(&self, other: &Self) -> bool {
        self.by_id == other.by_id && self.by_name == other.by_name
    }
}

impl<D: Named> NamedMap<D> {
    /// The definition with this id.
    pub fn get(&self, id: D::Id) -> Option<&Arc<D>> {
        self.by_id.get(&id)
    }

    /// The definition with this name.
    pub fn find(&self, scope: D::Scope, name: NameKey) -> Option<&Arc<D>> {
        self.by_name.get(&(scope, name)).and_then(|id| self.by_id.get(id))
    }

    /// All definitions by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<D>> {
        self.by_id.values()
    }

    /// The highest id in use.
    pub fn last_id(&self) -> Option<D::Id> {
        self.by_id.last().map(|(id, _)| *id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Puts a definition in, in place of the one with its id. Fails, and changes nothing, if
    /// another one has its name.
    pub(super) fn put(&mut self, collation: Collation, def: Arc<D>) -> Result<(), CatalogError> {
        let id = def.id();
        let name = (def.scope(), NameKey::new(collation, def.name()));
        if self.by_name.get(&name).is_some_and(|other| *other != id) {
            return Err(CatalogError::NameInUse { space: D::SPACE, name: def.name().clone() });
        }
        self.remove(collation, id);
        self.by_name.insert(name, id);
        self.by_id.insert(id, def);
        Ok(())
    }

    pub(super) fn remove(&mut self, collation: Collation, id: D::Id) -> Option<Arc<D>> {
        let old = self.by_id.remove(&id)?;
        self.by_name.remove(&(old.scope(), NameKey::new(collation, old.name())));
        Some(old)
    }
}
