//! The implementation of `sp_addextendedproperty` and the like.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, Value, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey};

use crate::context::Context;

/// What is done to an extended property.
#[derive(Clone, PartialEq, Debug)]
pub enum PropertyChange {
    /// It is added with this value, NULL or a variant. Error 15233 if it is there.
    Add(Value),
    /// Its value is changed. Error 15217 if it is not there.
    Update(Value),
    /// Drops the property. Error 15217 if it does not exist.
    Drop,
}

/// Changes an extended property of something in a database; `shown` is what messages call it.
pub fn change(
    context: &mut Context<'_>,
    database: DbId,
    target: Securable,
    shown: &str,
    name: &str,
    change: PropertyChange,
) -> SqlResult<()> {
    type Shown<'a> = &'a dyn std::fmt::Display;
    context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let mut properties =
            schema.properties_of(target).map(|set| set.properties.clone()).unwrap_or_default();
        let place = properties.iter().position(|p| schema.same_name(&p.name, name));
        let args: [Shown; 2] = [&name, &shown];
        match (change.clone(), place) {
            (PropertyChange::Add(_), Some(_)) => {
                return Err(SqlError::new(&message::SP_PROPERTY_EXISTS, &args));
            }
            (PropertyChange::Update(_) | PropertyChange::Drop, None) => {
                return Err(SqlError::new(&message::SP_PROPERTY_DOES_NOT_EXIST, &args));
            }
            (PropertyChange::Add(value), None) => {
                properties.push(ExtendedProperty { name: name.into(), value });
            }
            (PropertyChange::Update(value), Some(at)) => properties[at].value = value,
            (PropertyChange::Drop, Some(at)) => drop(properties.remove(at)),
        }
        let emptied = properties.is_empty();
        let set = Definition::Properties(Arc::new(PropertySet { target, properties }));
        context.change(database, |task, txn, edit| match emptied {
            true => edit.drop(task, txn, DefinitionKey::Properties(target)),
            false => edit.put(task, txn, set),
        })
    })
}
