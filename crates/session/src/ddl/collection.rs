//! XML schema collections.

use std::sync::Arc;

use base::ids::DbId;
use base::xml::schema::Collection;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Definition, DefinitionKey, Schema};
use ir::function::facts::StatementPace;
use tsql::ast::ObjectName;

use super::failure::DdlResult;
use super::place;
use crate::context::Context;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Bytes of the schemas of a collection.
const TEXT_MAX: usize = 4 << 20;

/// A collection that a name means in a database.
pub fn find(
    context: &Context<'_>,
    database: DbId,
    name: &ObjectName,
) -> DdlResult<Option<Arc<XmlCollectionDef>>> {
    let schema = context.schema(database)?;
    let found = match &name.schema {
        Some(place) => {
            let place = schema.find_schema(&place.name);
            place.and_then(|place| schema.find_xml_collection(place.id, &name.name.name))
        }
        None => {
            let default = context.user(database)?.default_schema;
            schema.resolve_xml_collection(default, &name.name.name)
        }
    };
    Ok(found.cloned())
}

/// `CREATE XML SCHEMA COLLECTION`. Errors 262, 2760, 6348 and those of schemas.
pub fn create(context: &mut Context<'_>, name: &ObjectName, text: &str) -> DdlResult<()> {
    place::refuse_database(name, "CREATE XML SCHEMA COLLECTION")?;
    let database = context.database();
    context.lock_edit(database)?;
    context.demand_on_database(database, Permission::CreateXmlSchemaCollection)?;
    let schema = context.schema(database)?;
    let place = match &name.schema {
        Some(written) => place::own_schema(&schema, &written.name)?,
        None => context.user(database)?.default_schema,
    };
    let written = &name.name.name;
    let target = Securable { class: SecurableClass::Schema, major: place.0, minor: 0 };
    if !context.may(database, target, Permission::Alter) {
        let shown = schema.schemas().get(place).map_or("", |s| &s.name);
        return Err(SqlError::new(&message::SCHEMA_NOT_FOUND, &[&shown]).into());
    }
    if schema.find_xml_collection(place, written).is_some() {
        return Err(SqlError::new(&message::COLLECTION_EXISTS, &[written]).into());
    }
    let made = compiled(context, &[text])?;
    let Some(id) = context.catalog(database)?.new_xml_collection_id(&schema) else {
        let text = "The database has as many XML schema collections as it can have.";
        return Err(SqlError::custom(1073, 16, 1, text).into());
    };
    let now = context.now();
    put(
        context,
        database,
        XmlCollectionDef {
            id,
            schema: place,
            name: written.clone(),
            owner: None,
            created: now,
            modified: now,
            texts: texts_of(&[], text),
            compiled: made.into(),
        },
    )
}

/// `ALTER XML SCHEMA COLLECTION … ADD`. Errors 6347, 6362 and those of schemas.
pub fn add(context: &mut Context<'_>, name: &ObjectName, text: &str) -> DdlResult<()> {
    place::refuse_database(name, "ALTER XML SCHEMA COLLECTION")?;
    let database = context.database();
    context.lock_edit(database)?;
    if is_built_in(name) {
        return Err(SqlError::new(&message::COLLECTION_BUILT_IN, &[&name.name.name]).into());
    }
    let found = find(context, database, name)?.filter(|found| may_change(context, database, found));
    let Some(found) = found else {
        let shown = &name.name.name;
        return Err(SqlError::new(&message::COLLECTION_NOT_ALTERED, &[shown]).into());
    };
    let schema = context.schema(database)?;
    let before = found.collection(&StatementPace(context.task))?;
    // What was let in unchecked might be checked by what is added.
    if before.has_lax() && schema.users_of_xml_collection(found.id).next().is_some() {
        return Err(SqlError::new(&message::COLLECTION_LAX, &[]).into());
    }
    let texts = texts_of(&found.texts, text);
    let all: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let made = compiled(context, &all)?;
    let modified = context.now();
    let def = XmlCollectionDef {
        modified,
        texts,
        compiled: made.into(),
        ..XmlCollectionDef::clone(&found)
    };
    put(context, database, def)?;
    context.instance().plans.forget_database(database);
    Ok(())
}

/// `DROP XML SCHEMA COLLECTION`. Errors 6328, 6347.
pub fn drop(context: &mut Context<'_>, name: &ObjectName) -> DdlResult<()> {
    place::refuse_database(name, "DROP XML SCHEMA COLLECTION")?;
    let database = context.database();
    context.lock_edit(database)?;
    if is_built_in(name) {
        return Err(SqlError::new(&message::COLLECTION_BUILT_IN, &[&name.name.name]).into());
    }
    let found = find(context, database, name)?.filter(|found| may_change(context, database, found));
    let Some(found) = found else {
        return Err(super::drop::missing("drop", "xml schema collection", &name.name.name).into());
    };
    let schema = context.schema(database)?;
    if let Some((what, user)) = user_of(&schema, found.id) {
        let args: [Shown; 3] = [&found.name, &what, &user];
        return Err(SqlError::new(&message::COLLECTION_IN_USE, &args).into());
    }
    let key = DefinitionKey::XmlCollection(found.id);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    context.instance().plans.forget_database(database);
    Ok(())
}

fn is_built_in(name: &ObjectName) -> bool {
    let is_sys = |name: &str| name.eq_ignore_ascii_case("sys");
    name.schema.as_ref().is_some_and(|schema| is_sys(&schema.name)) && is_sys(&name.name.name)
}

/// What uses a collection, as error 6328 names it.
fn user_of(schema: &Schema, id: XmlCollectionId) -> Option<(&'static str, String)> {
    let mut users = schema.users_of_xml_collection(id);
    users.find_map(|user| {
        let object = schema.object(user.object)?;
        Some(("object", object.name().to_string()))
    })
}

/// Whether the user may alter or drop a collection.
fn may_change(context: &Context<'_>, database: DbId, found: &XmlCollectionDef) -> bool {
    let own = Securable { class: SecurableClass::XmlCollection, major: found.id.0, minor: 0 };
    let place = Securable { class: SecurableClass::Schema, major: found.schema.0, minor: 0 };
    context.may(database, own, Permission::Alter) || context.may(database, place, Permission::Alter)
}

/// The texts of a collection with one more, unless that is empty.
fn texts_of(before: &[Name], text: &str) -> Vec<Name> {
    let mut all = before.to_vec();
    if !text.trim_ascii().is_empty() {
        all.push(text.into());
    }
    all
}

fn compiled(context: &Context<'_>, texts: &[&str]) -> DdlResult<Collection> {
    if texts.iter().map(|text| text.len()).sum::<usize>() > TEXT_MAX {
        return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]).into());
    }
    let account = context.runtime.grant.account();
    Ok(Collection::compile(texts, Some(account), &StatementPace(context.task))?)
}

fn put(context: &mut Context<'_>, database: DbId, def: XmlCollectionDef) -> DdlResult<()> {
    context.change(database, |task, txn, edit| {
        edit.put(task, txn, Definition::XmlCollection(Arc::new(def)))
    })?;
    Ok(())
}
