//! Selective XML indexes: the paths that they are made of.
//!
//! Such an index has the entries of the nodes that its paths lead to, in a table as a primary XML
//! index has one (`super::derived_index`). A secondary one finds them by the values of one path.
//! Types that are named for values are kept for `sys.selective_xml_index_paths`; entries have texts
//! and numbers whatever is named.

use base::types::declare::Subject;
use base::{SqlError, TypeKind, message};
use compile::bind::{Unfit, unfit_path};
use engine::catalog::def::*;
use tsql::ast::{self, SelectiveChange, SelectivePath, SelectiveType, SelectiveXml, XmlNamespace};

use super::alter::{Altered, put_table};
use super::derived_index::{empty, fill, refuse_disabled};
use super::failure::DdlResult;
use super::object;
use crate::context::Context;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The types of XML Schema that values can have.
const TYPES: [&str; 6] =
    ["xs:boolean", "xs:double", "xs:string", "xs:date", "xs:time", "xs:dateTime"];
/// What stands for no value in their place.
const NODE: &str = "node()";
/// The most characters that `MAXLENGTH` may say.
const LENGTH_MAX: u32 = 4000;

fn fail<T>(message: &message::Message, args: &[Shown<'_>]) -> DdlResult<T> {
    Err(SqlError::new(message, args).into())
}

/// What a selective index is made of.
pub(super) struct Paths<'a> {
    altered: &'a Altered,
    column: ColumnId,
    index: Name,
    pub(super) paths: Vec<XmlPathDef>,
    pub(super) namespaces: Vec<XmlPrefixDef>,
}

impl<'a> Paths<'a> {
    /// Those of a new index.
    pub(super) fn new(
        context: &Context<'_>,
        altered: &'a Altered,
        column: ColumnId,
        index: &Name,
        written: &SelectiveXml<SelectivePath>,
    ) -> DdlResult<Paths<'a>> {
        let index = index.clone();
        let (paths, namespaces) = (Vec::new(), Vec::new());
        let mut made = Paths { altered, column, index, paths, namespaces };
        made.declare(&written.namespaces);
        for path in &written.items {
            made.add(context, path)?;
        }
        Ok(made)
    }

    /// Those of an index after a change. Errors 6381, 6387, 6399, 6869.
    pub(super) fn changed(
        context: &Context<'_>,
        altered: &'a Altered,
        index: &DerivedIndexDef,
        written: &SelectiveXml<SelectiveChange>,
    ) -> DdlResult<Paths<'a>> {
        let mut made = Paths {
            altered,
            column: index.column,
            index: index.name.clone(),
            paths: index.paths.clone(),
            namespaces: index.namespaces.clone(),
        };
        made.check_kept(&written.namespaces)?;
        made.declare(&written.namespaces);
        for change in &written.items {
            match change {
                SelectiveChange::Add(path) => made.add(context, path)?,
                SelectiveChange::Remove(name) => made.remove(index.id, &name.name)?,
            }
        }
        match made.paths.is_empty() {
            true => fail(&message::SELECTIVE_WITHOUT_PATHS, &[&made.index]),
            false => Ok(made),
        }
    }

    /// Error 6869 for declarations that would change what the paths mean that are there.
    fn check_kept(&self, written: &[XmlNamespace]) -> DdlResult<()> {
        for declared in written {
            let is_it =
                |known: &&XmlPrefixDef| known.prefix.as_deref() == declared.prefix.as_deref();
            let known = self.namespaces.iter().find(is_it);
            let is_kept = match known {
                Some(known) => *known.uri == *declared.uri,
                None => declared.prefix.is_some(),
            };
            if !is_kept {
                let prefix = declared.prefix.as_deref().unwrap_or("default");
                return fail(&message::NAMESPACE_REDEFINED, &[&prefix]);
            }
        }
        Ok(())
    }

    /// The last declaration of a prefix counts.
    fn declare(&mut self, written: &[XmlNamespace]) {
        for declared in written {
            let prefix: Option<Name> = declared.prefix.as_deref().map(Into::into);
            self.namespaces.retain(|known| known.prefix != prefix);
            self.namespaces.push(XmlPrefixDef { prefix, uri: (*declared.uri).into() });
        }
    }

    /// Errors 6367 to 6377, 6383, 6384, 6393, 6398.
    fn add(&mut self, context: &Context<'_>, written: &SelectivePath) -> DdlResult<()> {
        let (name, index) = (&written.name.name, &self.index);
        if self.paths.iter().any(|path| self.altered.schema.same_name(&path.name, name)) {
            return fail(&message::SELECTIVE_NAME_TWICE, &[index]);
        }
        let namespaces: Vec<(&str, &str)> = (self.namespaces.iter())
            .map(|known| (known.prefix.as_deref().unwrap_or_default(), &*known.uri))
            .collect();
        match unfit_path(&written.path, &namespaces) {
            None => {}
            Some(Unfit::Wrong(error)) => return Err(error.into()),
            Some(Unfit::NotSimple) => {
                return fail(&message::SELECTIVE_NOT_SIMPLE, &[name, index]);
            }
            Some(Unfit::Contains(what)) => {
                return fail(&message::SELECTIVE_CONTAINS, &[&what, index]);
            }
            Some(Unfit::LastStar) => return fail(&message::SELECTIVE_LAST_STAR, &[index]),
            Some(Unfit::HalfStar) => return fail(&message::SELECTIVE_HALF_STAR, &[index]),
        }
        let column = self.altered.old.column(self.column);
        let is_typed = column.is_some_and(|column| column.ty.xml_use().is_some());
        if is_typed && written.is_singleton {
            return fail(&message::SELECTIVE_SINGLETON_TYPED, &[index]);
        }
        let mut path = XmlPathDef {
            id: self.paths.iter().map(|path| path.id).max().unwrap_or(0) + 1,
            name: name.clone(),
            path: (*written.path).into(),
            xquery_type: None,
            sql_type: None,
            max_length: None,
            is_node: false,
            is_singleton: written.is_singleton,
        };
        match &written.ty {
            SelectiveType::None => {}
            SelectiveType::XQuery { ty, max_length } => {
                self.xquery(&mut path, ty.as_deref(), *max_length, is_typed)?;
            }
            SelectiveType::Sql(ty) => path.sql_type = Some(self.sql(context, ty)?),
        }
        let same = |other: &&XmlPathDef| other.path == path.path;
        for other in self.paths.iter().filter(same) {
            match (path.sql_type.is_some(), other.sql_type.is_some()) {
                (true, true) => return fail(&message::SELECTIVE_SQL_TWICE, &[index]),
                (false, false) if path.xquery_type == other.xquery_type => {
                    return fail(&message::SELECTIVE_TYPE_TWICE, &[index]);
                }
                _ => {}
            }
        }
        self.paths.push(path);
        Ok(())
    }

    /// `AS XQUERY`. Errors 6367 to 6370, 6398.
    fn xquery(
        &self,
        path: &mut XmlPathDef,
        ty: Option<&str>,
        max_length: Option<u32>,
        is_typed: bool,
    ) -> DdlResult<()> {
        let index = &self.index;
        path.is_node = ty == Some(NODE);
        match (path.is_node, ty, max_length) {
            (true, _, Some(_)) => return fail(&message::SELECTIVE_LENGTH_NODE, &[index]),
            (true, ..) => return Ok(()),
            (false, Some(_), _) if is_typed => {
                let (column, table) = (self.altered.old.column(self.column), self.altered.name());
                let column = column.map_or("", |column| &*column.name);
                return fail(&message::SELECTIVE_TYPED, &[index, &column, &table]);
            }
            (false, Some(ty), _) if !TYPES.contains(&ty) => {
                return fail(&message::SELECTIVE_TYPE, &[&ty, index]);
            }
            (false, Some(ty), Some(_)) if ty != "xs:string" => {
                return fail(&message::SELECTIVE_LENGTH_TYPE, &[index]);
            }
            _ => path.xquery_type = ty.map(Into::into),
        }
        if let Some(length) = max_length {
            if !(1..=LENGTH_MAX).contains(&length) {
                let args: [Shown<'_>; 4] = [&path.name, index, &1, &LENGTH_MAX];
                return fail(&message::SELECTIVE_LENGTH_RANGE, &args);
            }
            path.max_length = i32::try_from(length).ok();
        }
        Ok(())
    }

    /// `AS SQL`. Error 6375, and those of the type.
    fn sql(&self, context: &Context<'_>, written: &ast::DataType) -> DdlResult<base::SqlType> {
        let declared = object::declared(context, self.altered.database, written, Subject::Type)?;
        let kind = declared.ty.kind;
        let is_refused = kind.is_legacy_lob()
            || kind.is_clr()
            || kind.is_document()
            || matches!(kind, TypeKind::SqlVariant | TypeKind::RowVersion);
        match is_refused {
            true => fail(&message::SELECTIVE_SQL_TYPE, &[&kind, &self.index]),
            false => Ok(declared.ty),
        }
    }

    fn remove(&mut self, index: IndexId, name: &str) -> DdlResult<()> {
        let schema = &self.altered.schema;
        let found = self.paths.iter().position(|path| schema.same_name(&path.name, name));
        let Some(at) = found else {
            return fail(&message::SELECTIVE_NO_PATH, &[&name, &self.index]);
        };
        let path = &self.paths[at];
        let uses = |i: &&DerivedIndexDef| i.primary == index && i.path == path.id;
        if let Some(user) = self.altered.old.derived_indexes.iter().find(uses) {
            let args: [Shown<'_>; 3] = [&path.name, &self.index, &user.name];
            return fail(&message::SELECTIVE_PATH_USED, &args);
        }
        self.paths.remove(at);
        Ok(())
    }
}

/// Changes the paths of a selective index, and makes its entries anew. Errors 1973, 6382.
pub(super) fn change_paths(
    context: &mut Context<'_>,
    altered: &Altered,
    place: usize,
    changes: &SelectiveXml<SelectiveChange>,
) -> DdlResult<()> {
    let (database, index) = (altered.database, &altered.old.derived_indexes[place]);
    if index.kind != DerivedIndexKind::Selective {
        return fail(&message::SELECTIVE_NOT_FOUND, &[&index.name, &altered.name()]);
    }
    refuse_disabled(altered, index)?;
    let made = Paths::changed(context, altered, index, changes)?;
    let (paths, namespaces) = (made.paths, made.namespaces);
    let mut new = altered.copy(context);
    (new.derived_indexes[place].paths, new.derived_indexes[place].namespaces) = (paths, namespaces);
    empty(context, database, index.nodes)?;
    put_table(context, database, new)?;
    fill(context, database, altered.old.id(), index.id)
}

/// The selective index that a secondary one is of, and the path that it is for. Errors 6381, 6382,
/// 6385, 6391, 6392.
pub(super) fn secondary<'a>(
    altered: &'a Altered,
    create: &ast::CreateXmlIndex,
    using: &ast::XmlIndexUsing,
    path: &str,
    column: ColumnId,
) -> DdlResult<(&'a DerivedIndexDef, i32)> {
    let (name, table) = (&using.primary.name, altered.name());
    let schema = &altered.schema;
    let is_it = |i: &&DerivedIndexDef| {
        i.kind == DerivedIndexKind::Selective && schema.same_name(&i.name, name)
    };
    let Some(found) = altered.old.derived_indexes.iter().find(is_it) else {
        return fail(&message::SELECTIVE_NOT_FOUND, &[name, &table]);
    };
    if found.column != column {
        let args: [Shown<'_>; 3] = [name, &table, &create.column.name];
        return fail(&message::SELECTIVE_NOT_ON_COLUMN, &args);
    }
    let Some(path) = found.paths.iter().find(|own| schema.same_name(&own.name, path)) else {
        return fail(&message::SELECTIVE_NO_PATH, &[&path, &found.name]);
    };
    if path.is_node {
        return fail(&message::SELECTIVE_KEY_NODE, &[&path.name]);
    }
    if path.sql_type.is_some_and(|ty| ty.length == base::SqlType::MAX) {
        return fail(&message::SELECTIVE_KEY_TYPE, &[&path.name]);
    }
    Ok((found, path.id))
}
