//! What writes XML: `FOR XML`, and the namespaces of `WITH XMLNAMESPACES`.
//!
//! As `FOR JSON`, `FOR XML` becomes an aggregate over the query's rows, which must come in order.
//! For each row the library makes a text, or one for each level of `AUTO`; the aggregate puts them
//! together. Without rows there is no document: no row, or NULL with `TYPE`.
//!
//! * `names`: which names XML has, and what becomes of others; `declared`: namespaces.
//! * `shape`: what a row's text consists of with `RAW`, `AUTO` and `PATH`; `universal`: with
//!   `EXPLICIT`; `reference`: addresses of binary values.

mod declared;
pub(super) mod names;
mod reference;
mod shape;
mod universal;

use base::{SqlError, SqlType, Value, message};
use ir::function::xml::{DOCUMENT_COLUMN, Frame, names as functions};
use tsql::ast::{self, ForXml, NullElements, SelectItemKind, XmlMode, XmlSchema};

pub(super) use self::declared::check as check_namespaces;

use self::names::NameKind;
use self::shape::{Level, Options};
use super::binder::Binder;
use super::context::{AtLine, BindResult, Document};
use super::json::{binary, first_select, one_document};
use super::query::{scalar_of, unimplemented};
use super::scalar::Scalar;
use super::scope::OutCol;
use super::select::{Output, Usage, computed};
use crate::plan::expr::CastMode;
use crate::plan::tree::Node;

/// The name that `ROOT` means if it gives none.
const ROOT: &str = "root";

/// The name of a row's element, if none is given.
const ROW: &str = "row";

/// What becomes of a document.
#[derive(Clone, Copy)]
enum Returned {
    /// It goes to the client in pieces.
    Pieces,
    /// It is a string in a query.
    Text,
    /// With `TYPE`: it is a value of type xml, wherever it goes.
    Value,
}

impl Binder<'_> {
    /// A query with `FOR XML`. Errors 401, 3625, 6800 to 6879, 10794.
    pub fn for_xml(
        &mut self,
        query: &ast::Query,
        clause: &ForXml,
        usage: Usage,
        line: u32,
    ) -> BindResult<Output> {
        self.check_for_xml_place(query, usage).at(line)?;
        self.check_for_xml(clause, line)?;
        let rows = self.rows_of(query, Usage::Serialized)?;
        self.xml_document(rows, clause, usage).at(line)
    }

    /// Errors 6819 and 10794: the query is one whose rows do not go to the client.
    fn check_for_xml_place(&self, query: &ast::Query, usage: Usage) -> Result<(), SqlError> {
        if self.options.native && self.env.depth == 0 {
            let args: [&dyn std::fmt::Display; 3] =
                [&"operator", &"FOR XML", &super::native::NATIVE];
            return Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args));
        }
        let refuse = |statement: &str| SqlError::new(&message::FOR_XML_NOT_ALLOWED, &[&statement]);
        let first = first_select(&query.body);
        let assigns = |item: &ast::SelectItem| matches!(item.kind, SelectItemKind::Assign { .. });
        match usage {
            Usage::Insert => Err(refuse("INSERT")),
            Usage::Statement if first.into.is_some() => Err(refuse("SELECT INTO")),
            Usage::Statement if first.items.iter().any(assigns) => {
                Err(refuse("ASSIGNMENT").with_state(3))
            }
            _ => Ok(()),
        }
    }

    /// Whether the options go together. Schemas are refused (401), as SQL Server refuses what it
    /// does not have.
    fn check_for_xml(&self, clause: &ForXml, line: u32) -> BindResult<()> {
        let is_explicit = clause.mode == XmlMode::Explicit;
        let declares = !self.env.namespaces.is_empty();
        let error = match &clause.schema {
            _ if declares && (is_explicit || clause.schema.is_some()) => {
                SqlError::new(&message::FOR_XML_NAMESPACES, &[])
            }
            _ if is_explicit && clause.elements.is_some() => {
                SqlError::new(&message::FOR_XML_ELEMENTS, &[])
            }
            _ if clause.root.as_ref().and_then(|r| r.as_deref()) == Some("") => {
                SqlError::new(&message::FOR_XML_ROOT_EMPTY, &[])
            }
            None => return Ok(()),
            Some(_) if clause.mode == XmlMode::Path => {
                SqlError::new(&message::FOR_XML_PATH_SCHEMA, &[])
            }
            Some(XmlSchema::Schema(_)) if is_explicit => {
                let args: [&dyn std::fmt::Display; 1] = [&"Inline XSD for FOR XML EXPLICIT"];
                SqlError::new(&message::NOT_YET_IMPLEMENTED, &args).with_state(17)
            }
            Some(XmlSchema::Schema(_)) => return Err(unimplemented("FOR XML XMLSCHEMA", line)),
            Some(XmlSchema::Data) => return Err(unimplemented("FOR XML XMLDATA", line)),
        };
        Err(error.at_line(line).into())
    }

    /// The document of some rows as a query of one column: of one row, or in pieces.
    fn xml_document(&mut self, rows: Output, clause: &ForXml, usage: Usage) -> BindResult<Output> {
        let namespaces = self.env.namespaces.clone();
        let row = clause.row.as_deref().unwrap_or(ROW);
        let root = clause.root.as_ref().map(|name| name.as_deref().unwrap_or(ROOT));
        if clause.row.is_some() && !row.is_empty() {
            names::check(NameKind::Row, row, row, &namespaces)?;
        }
        if let Some(root) = root {
            names::check(NameKind::Root, root, root, &namespaces)?;
        }
        let nils = clause.elements == Some(NullElements::Nil);
        let declarations = declared::declarations(&namespaces, nils)?;
        let options = Options {
            row,
            elements: clause.elements.is_some(),
            nils,
            typed: clause.typed,
            base64: clause.base64,
            namespaces: &namespaces,
            declarations: if root.is_some() { "" } else { &declarations },
        };
        let returned = match usage {
            _ if clause.typed => Returned::Value,
            Usage::Statement => Returned::Pieces,
            _ => Returned::Text,
        };
        let mut frame = Frame::default();
        let mut levels = match clause.mode {
            XmlMode::Raw => vec![shape::raw(&rows.columns, &options)?],
            XmlMode::Auto => shape::auto(&rows, &options)?,
            XmlMode::Path => vec![shape::path(&rows.columns, &options)?],
            XmlMode::Explicit => {
                frame.universal = true;
                let table = universal::table(&rows.columns, &options, root.is_some())?;
                let opening = table.declarations.clone();
                frame.elements = table.elements;
                let root = root.map(|root| (root, opening));
                return self.xml_of(rows, vec![table.level], frame, root, returned);
            }
        };
        if namespaces.iter().any(|namespace| namespace.prefix.is_none()) {
            for (at, level) in levels.iter_mut().enumerate() {
                level.shape.under_default(at > 0 || root.is_some());
            }
        }
        let (_, outer) = levels.split_last().expect("there is a level");
        frame.elements = outer.iter().map(Level::element).collect();
        frame.joined = levels[0].joined;
        self.xml_of(rows, levels, frame, root.map(|root| (root, declarations)), returned)
    }

    fn xml_of(
        &mut self,
        rows: Output,
        levels: Vec<Level>,
        mut frame: Frame,
        root: Option<(&str, String)>,
        returned: Returned,
    ) -> BindResult<Output> {
        let mut opening = String::new();
        if let Some((root, declarations)) = &root {
            opening = format!("<{root}{declarations}>");
            frame.end = format!("</{root}>");
        }
        let text = SqlType::nvarchar_max(self.collation());
        let opening = Scalar::constant(text, Value::unicode(&opening));
        let mut args = vec![opening, binary(frame.encode())];
        let name = if frame.universal { functions::UNIVERSAL_ROW } else { functions::ROW };
        for level in levels {
            let mut values: Vec<Scalar> =
                level.columns.iter().map(|at| scalar_of(&rows.columns[*at])).collect();
            values.push(binary(level.shape.into_bytes()));
            args.push(self.json_part(name, values)?);
        }
        let input = match returned {
            Returned::Pieces => Node::Counted { input: Box::new(rows.node) },
            Returned::Text | Returned::Value => rows.node,
        };
        let (node, document) = self.aggregated(functions::DOCUMENT, input, args)?;
        match returned {
            Returned::Pieces => self.in_pieces(node, document, DOCUMENT_COLUMN, Document::Xml),
            Returned::Text => Ok(one_document(node, document, false)),
            Returned::Value => self.typed_document(node, &document),
        }
    }

    /// The document as a value of type xml, of which nothing is white space to be dropped.
    fn typed_document(&mut self, node: Node, text: &OutCol) -> BindResult<Output> {
        const PRESERVE: i64 = 1;
        let style = Scalar::constant(SqlType::int(), Value::Int(PRESERVE)).expr;
        let (from, to) = (scalar_of(text), SqlType::xml());
        let value = self.explicit_cast(from, to, CastMode::Explicit, Some(style))?;
        let column = self.document_column(to);
        let node = computed(node, vec![(column.id, value.expr)]);
        Ok(Output::of(node, vec![column]))
    }
}

/// The local name of the attribute or element that a column is in XML, if nothing else says it.
pub(super) fn element_name(column: &str) -> String {
    match names::first_fault(column) {
        None => column.into(),
        Some(_) => names::escaped(column),
    }
}
