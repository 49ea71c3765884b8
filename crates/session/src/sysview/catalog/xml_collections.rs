//! XML schema collections and what is in them.
//!
//! A component's id is made of its collection's number and its place among the components there:
//! types first, then elements, attributes and wildcards. The types of XML Schema itself belong to
//! the collection `sys.sys`, and have the lowest ids.

use std::collections::HashMap;
use std::sync::Arc;

use base::xml::schema::{
    Body, Collection, Content, Derivation, Namespaces, Process, QName, SCHEMA_URI, Type, TypeId,
    ValueConstraint, Variety, Wildcard,
};
use base::{SqlResult, Value};
use engine::catalog::def::{SchemaId, XmlCollectionDef, XmlCollectionId};
use ir::function::facts::StatementPace;

use super::super::cells::*;
use super::super::{FillContext, FilledView, RowsetColumn};
use super::columns::xml_collection_id;
use super::objects::tables;

/// Components of a collection that have ids of their own.
const COMPONENTS_MAX: i32 = 1 << 16;

pub static XML_SCHEMA_COLLECTIONS: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_collections",
    columns: &[
        column("xml_collection_id", INT, false),
        column("schema_id", INT, false),
        column("principal_id", INT, true),
        column("name", SYSNAME, false),
        column("create_date", WHEN, false),
        column("modify_date", WHEN, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        // As old as the server.
        let made = engine::catalog::def::DateTime { days: 38_819, ticks: 0 };
        let built_in = [
            int(XmlCollectionId::SYS.0),
            int(SchemaId::SYS.0),
            NULL,
            text("sys"),
            when(made),
            when(made),
        ];
        cx.push(built_in);
        for own in schema.xml_collections().iter() {
            cx.push([
                int(own.id.0),
                int(own.schema.0),
                or_null(own.owner, |owner| int(owner.0)),
                text(&own.name),
                when(own.created),
                when(own.modified),
            ]);
        }
        Ok(())
    },
};

pub static XML_SCHEMA_NAMESPACES: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_namespaces",
    columns: &[
        column("xml_collection_id", INT, false),
        column("name", nvar(4000), false),
        column("xml_namespace_id", INT, false),
    ],
    fill: |cx| {
        cx.push([int(XmlCollectionId::SYS.0), text(SCHEMA_URI), int(1)]);
        for (def, made) in all(cx)? {
            for (at, uri) in made.namespaces().iter().enumerate() {
                cx.push([int(def.id.0), text(uri), int(at as i64 + 1)]);
            }
        }
        Ok(())
    },
};

/// All collections of the database, ready for use.
fn all(cx: &FillContext<'_>) -> SqlResult<Vec<(Arc<XmlCollectionDef>, Arc<Collection>)>> {
    let defs: Vec<_> = cx.schema.xml_collections().iter().cloned().collect();
    let pace = StatementPace(cx.task);
    defs.into_iter().map(|def| Ok((def.clone(), def.collection(&pace)?))).collect()
}

const START: &[RowsetColumn] = &[
    column("xml_component_id", INT, false),
    column("xml_collection_id", INT, false),
    column("xml_namespace_id", INT, false),
    column("is_qualified", BIT, false),
    column("name", nvar(4000), true),
    column("symbol_space", fix(1), false),
    column("symbol_space_desc", nvar(60), true),
    column("kind", fix(1), false),
    column("kind_desc", nvar(60), true),
    column("derivation", fix(1), false),
    column("derivation_desc", nvar(60), true),
    column("base_xml_component_id", INT, true),
    column("scoping_xml_component_id", INT, true),
];

/// What all views of components begin with.
type Cells = [Value; 13];

type Coded = (&'static str, &'static str);

const TYPES: Coded = ("T", "TYPE");
const ELEMENTS: Coded = ("E", "ELEMENT");
const ATTRIBUTES: Coded = ("A", "ATTRIBUTE");
const NONE: Coded = ("N", "NONE");

/// The components of one collection.
struct Components<'c> {
    id: i32,
    made: &'c Collection,
    /// Of each local element and attribute the type that it is in.
    element_scopes: HashMap<usize, TypeId>,
    attribute_scopes: HashMap<usize, TypeId>,
    types: i32,
}

impl<'c> Components<'c> {
    fn new(def: &XmlCollectionDef, made: &'c Collection) -> Components<'c> {
        let (mut element_scopes, mut attribute_scopes) = (HashMap::new(), HashMap::new());
        for (id, ty) in made.types().filter(|(_, ty)| !is_built_in(ty)) {
            let Some(complex) = ty.complex() else { continue };
            if let Content::Elements(model) = &complex.content {
                for one in model.elements().0 {
                    element_scopes.entry(one.element.number()).or_insert(id);
                }
            }
            for one in &complex.attributes {
                attribute_scopes.entry(one.attribute.number()).or_insert(id);
            }
        }
        let types = made.types().count() as i32;
        Components { id: def.id.0, made, element_scopes, attribute_scopes, types }
    }

    fn component(&self, place: i32) -> i32 {
        let number = self.id - XmlCollectionId::of_number(1).0 + 1;
        number.wrapping_mul(COMPONENTS_MAX).wrapping_add(place.min(COMPONENTS_MAX - 1))
    }

    fn type_id(&self, id: TypeId) -> i32 {
        match is_built_in(self.made.ty(id)) {
            true => id.number() as i32 + 1,
            false => self.component(id.number() as i32),
        }
    }

    fn namespace(&self, uri: &str) -> i64 {
        let all = self.made.namespaces();
        all.iter().position(|known| **known == *uri).map_or(0, |at| at as i64 + 1)
    }

    #[allow(clippy::too_many_arguments)]
    fn start(
        &self,
        id: i32,
        name: Option<&QName>,
        is_qualified: bool,
        space: Coded,
        kind: Coded,
        derivation: Coded,
        base: Option<i32>,
        scope: Option<i32>,
    ) -> Cells {
        [
            int(id),
            int(self.id),
            int(name.map_or(0, |name| self.namespace(&name.uri))),
            bit(is_qualified),
            or_null(name, |name| text(&name.local)),
            chars(space.0),
            text(space.1),
            chars(kind.0),
            text(kind.1),
            chars(derivation.0),
            text(derivation.1),
            or_null(base, int),
            or_null(scope, int),
        ]
    }

    fn type_cells(&self, id: TypeId, ty: &Type) -> Cells {
        let space = if ty.name.is_some() { TYPES } else { NONE };
        let base = (ty.base != id).then(|| self.type_id(ty.base));
        let (name, derivation) = (ty.name.as_ref(), derivation_of(id, ty));
        let (id, is_named) = (self.type_id(id), name.is_some());
        self.start(id, name, is_named, space, kind_of(ty), derivation, base, None)
    }

    fn elements(&self) -> impl Iterator<Item = (Cells, &'c base::xml::schema::Element)> {
        self.made.elements().map(|(id, element)| {
            let own = self.component(self.types + id.number() as i32);
            let scope = self.element_scopes.get(&id.number()).filter(|_| !element.is_global);
            let head = element.head.is_some();
            let derivation = if head { ("S", "SUBSTITUTION") } else { NONE };
            let cells = self.start(
                own,
                Some(&element.name),
                !element.name.uri.is_empty(),
                ELEMENTS,
                ELEMENTS,
                derivation,
                Some(self.type_id(element.ty)),
                scope.map(|scope| self.type_id(*scope)),
            );
            (cells, element)
        })
    }

    fn attributes(&self) -> impl Iterator<Item = (Cells, &'c base::xml::schema::Attribute)> {
        let before = self.types + self.made.elements().count() as i32;
        let own = |uri: &str| self.made.namespaces().iter().any(|known| **known == *uri);
        let all = self.made.attributes();
        let all =
            all.filter(move |(_, attribute)| !attribute.is_global || own(&attribute.name.uri));
        all.map(move |(id, attribute)| {
            let scope = self.attribute_scopes.get(&id.number()).filter(|_| !attribute.is_global);
            let cells = self.start(
                self.component(before + id.number() as i32),
                Some(&attribute.name),
                !attribute.name.uri.is_empty(),
                ATTRIBUTES,
                ATTRIBUTES,
                NONE,
                Some(self.type_id(attribute.ty)),
                scope.map(|scope| self.type_id(*scope)),
            );
            (cells, attribute)
        })
    }

    fn wildcards(&self) -> Vec<(Cells, &'c Wildcard)> {
        let before = self.types
            + self.made.elements().count() as i32
            + self.made.attributes().count() as i32;
        let mut all = Vec::new();
        let mut add = |scope: TypeId, kind: Coded, wildcard: &'c Wildcard| {
            let id = self.component(before + all.len() as i32);
            let scope = Some(self.type_id(scope));
            all.push((self.start(id, None, false, NONE, kind, NONE, None, scope), wildcard));
        };
        for (id, ty) in self.made.types().filter(|(_, ty)| !is_built_in(ty)) {
            let Some(complex) = ty.complex() else { continue };
            if let Content::Elements(model) = &complex.content {
                for wildcard in model.elements().1 {
                    add(id, ("W", "ELEMENT_WILDCARD"), wildcard);
                }
            }
            if let Some(wildcard) = &complex.any_attribute {
                add(id, ("V", "ATTRIBUTE_WILDCARD"), wildcard);
            }
        }
        all
    }
}

fn is_built_in(ty: &Type) -> bool {
    ty.name.as_ref().is_some_and(|name| &*name.uri == SCHEMA_URI)
}

fn kind_of(ty: &Type) -> Coded {
    match &ty.body {
        Body::Complex(_) if ty.name.as_ref().is_some_and(is_any) => ("N", "ANY_TYPE"),
        Body::Complex(complex) => match complex.content {
            Content::Simple(_) => ("C", "COMPLEX_SIMPLE"),
            _ => ("K", "COMPLEX"),
        },
        Body::Simple(simple) => match simple.variety {
            Variety::List(_) => ("L", "LIST"),
            Variety::Union(_) => ("U", "UNION"),
            Variety::Atomic(_) if ty.base == TypeId::ANY => ("Z", "ANY_SIMPLE_TYPE"),
            Variety::Atomic(_) if ty.base == TypeId::ANY_SIMPLE && is_built_in(ty) => {
                ("P", "PRIMITIVE")
            }
            Variety::Atomic(_) => ("S", "SIMPLE"),
        },
    }
}

fn is_any(name: &QName) -> bool {
    &*name.uri == SCHEMA_URI && &*name.local == "anyType"
}

fn derivation_of(id: TypeId, ty: &Type) -> Coded {
    match ty.derivation {
        _ if ty.base == id => NONE,
        Derivation::Extension => ("X", "EXTENSION"),
        _ => ("R", "RESTRICTION"),
    }
}

/// Calls a function with the components of each collection of the database.
fn each(
    cx: &mut FillContext<'_>,
    mut body: impl FnMut(&mut FillContext<'_>, &Components<'_>),
) -> SqlResult<()> {
    for (def, made) in all(cx)? {
        body(cx, &Components::new(&def, &made));
    }
    Ok(())
}

/// The types of XML Schema itself, and those of a collection.
fn each_type(
    cx: &mut FillContext<'_>,
    mut row: impl FnMut(&mut FillContext<'_>, Cells, &Type),
) -> SqlResult<()> {
    let made = Collection::compile(&[], None, &StatementPace(cx.task))?;
    let of = Components {
        id: XmlCollectionId::SYS.0,
        made: &made,
        element_scopes: HashMap::new(),
        attribute_scopes: HashMap::new(),
        types: 0,
    };
    for (id, ty) in made.types() {
        let mut cells = of.type_cells(id, ty);
        cells[2] = int(1);
        row(cx, cells, ty);
    }
    each(cx, |cx, of| {
        for (id, ty) in of.made.types().filter(|(_, ty)| !is_built_in(ty)) {
            row(cx, of.type_cells(id, ty), ty);
        }
    })
}

pub static XML_SCHEMA_COMPONENTS: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_components",
    columns: START,
    fill: |cx| {
        each_type(cx, |cx, cells, _| cx.push(cells))?;
        each(cx, |cx, of| {
            of.elements().for_each(|(cells, _)| cx.push(cells));
            of.attributes().for_each(|(cells, _)| cx.push(cells));
            of.wildcards().into_iter().for_each(|(cells, _)| cx.push(cells));
        })
    },
};

static TYPE_COLUMNS: [RowsetColumn; 21] = joined([
    START,
    &[
        column("is_abstract", BIT, false),
        column("allows_mixed_content", BIT, false),
        column("is_extension_blocked", BIT, false),
        column("is_restriction_blocked", BIT, false),
        column("is_final_extension", BIT, false),
        column("is_final_restriction", BIT, false),
        column("is_final_list_member", BIT, false),
        column("is_final_union_member", BIT, false),
    ],
]);

pub static XML_SCHEMA_TYPES: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_types",
    columns: &TYPE_COLUMNS,
    fill: |cx| {
        each_type(cx, |cx, cells, ty| {
            let rest = [
                bit(ty.is_abstract),
                bit(ty.complex().is_some_and(|complex| complex.is_mixed)),
                bit(ty.block.extension),
                bit(ty.block.restriction),
                bit(ty.is_final.extension),
                bit(ty.is_final.restriction),
                bit(ty.is_final.list),
                bit(ty.is_final.union),
            ];
            cx.push_two(cells, rest);
        })
    },
};

static ELEMENT_COLUMNS: [RowsetColumn; 23] = joined([
    START,
    &[
        column("is_default_fixed", BIT, false),
        column("is_abstract", BIT, false),
        column("is_nillable", BIT, false),
        column("must_be_qualified", BIT, false),
        column("is_extension_blocked", BIT, false),
        column("is_restriction_blocked", BIT, false),
        column("is_substitution_blocked", BIT, false),
        column("is_final_extension", BIT, false),
        column("is_final_restriction", BIT, false),
        column("default_value", nvar(4000), true),
    ],
]);

fn is_fixed(value: &Option<ValueConstraint>) -> Value {
    bit(value.as_ref().is_some_and(|value| value.is_fixed))
}

fn default_value(value: &Option<ValueConstraint>) -> Value {
    or_null(value.as_ref(), |value| text(&value.text))
}

pub static XML_SCHEMA_ELEMENTS: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_elements",
    columns: &ELEMENT_COLUMNS,
    fill: |cx| {
        each(cx, |cx, of| {
            for (cells, element) in of.elements() {
                let rest = [
                    is_fixed(&element.value),
                    bit(element.is_abstract),
                    bit(element.is_nillable),
                    bit(!element.name.uri.is_empty()),
                    bit(element.block.extension),
                    bit(element.block.restriction),
                    bit(element.block.substitution),
                    bit(element.is_final.extension),
                    bit(element.is_final.restriction),
                    default_value(&element.value),
                ];
                cx.push_two(cells, rest);
            }
        })
    },
};

static ATTRIBUTE_COLUMNS: [RowsetColumn; 16] = joined([
    START,
    &[
        column("is_default_fixed", BIT, false),
        column("must_be_qualified", BIT, false),
        column("default_value", nvar(4000), true),
    ],
]);

pub static XML_SCHEMA_ATTRIBUTES: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_attributes",
    columns: &ATTRIBUTE_COLUMNS,
    fill: |cx| {
        each(cx, |cx, of| {
            for (cells, attribute) in of.attributes() {
                let is_qualified = bit(!attribute.name.uri.is_empty());
                let value = &attribute.value;
                cx.push_two(cells, [is_fixed(value), is_qualified, default_value(value)]);
            }
        })
    },
};

static WILDCARD_COLUMNS: [RowsetColumn; 16] = joined([
    START,
    &[
        column("process_content", fix(1), false),
        column("process_content_desc", nvar(60), true),
        column("disallow_namespaces", BIT, false),
    ],
]);

pub static XML_SCHEMA_WILDCARDS: FilledView = FilledView {
    schema: "sys",
    name: "xml_schema_wildcards",
    columns: &WILDCARD_COLUMNS,
    fill: |cx| {
        each(cx, |cx, of| {
            for (cells, wildcard) in of.wildcards() {
                let (code, name) = match wildcard.process {
                    Process::Strict => ("S", "STRICT_VALIDATION"),
                    Process::Lax => ("L", "LAX_VALIDATION"),
                    Process::Skip => ("P", "SKIP_VALIDATION"),
                };
                let is_other = matches!(wildcard.namespaces, Namespaces::Other(_));
                cx.push_two(cells, [chars(code), text(name), bit(is_other)]);
            }
        })
    },
};

pub static COLUMN_XML_SCHEMA_COLLECTION_USAGES: FilledView = FilledView {
    schema: "sys",
    name: "column_xml_schema_collection_usages",
    columns: &[
        column("object_id", INT, false),
        column("column_id", INT, false),
        column("xml_collection_id", INT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for table in tables(&schema) {
            for column in table.columns.iter().filter(|column| column.ty.xml_use().is_some()) {
                let id = xml_collection_id(&column.ty);
                cx.push([object(table.id()), int(column.id.0), int(id)]);
            }
        }
        Ok(())
    },
};

pub static PARAMETER_XML_SCHEMA_COLLECTION_USAGES: FilledView = FilledView {
    schema: "sys",
    name: "parameter_xml_schema_collection_usages",
    columns: &[
        column("object_id", INT, false),
        column("parameter_id", INT, false),
        column("xml_collection_id", INT, false),
    ],
    fill: |cx| {
        let schema = cx.schema.clone();
        for module in schema.modules() {
            let returned = module.returns().map(|returns| returns.ty);
            let parameters = module.parameters.iter().map(|parameter| Some(parameter.ty));
            let all = [returned].into_iter().chain(parameters).enumerate();
            for (at, ty) in all.filter_map(|(at, ty)| Some((at, ty?))) {
                if ty.xml_use().is_some() {
                    let id = xml_collection_id(&ty);
                    cx.push([object(module.id()), int(at as i64), int(id)]);
                }
            }
        }
        Ok(())
    },
};
