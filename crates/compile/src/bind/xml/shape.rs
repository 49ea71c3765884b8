//! What the text of a row consists of with `RAW`, `AUTO` and `PATH`.

use base::{SqlError, TypeKind, message};
use ir::function::xml::{FrameElement, RowShape, ValueKind};
use tsql::ast::XmlNamespace;

use super::names::{self, NameKind};
use super::reference::{self, Reference};
use crate::bind::context::BindResult;
use crate::bind::json::auto_levels;
use crate::bind::scope::OutCol;
use crate::bind::select::Output;

/// What the clause says of rows.
pub(super) struct Options<'o> {
    /// The name of a row's element; empty for none.
    pub row: &'o str,
    /// Columns are elements, with `RAW` and `AUTO`.
    pub elements: bool,
    /// NULL makes elements with `xsi:nil`.
    pub nils: bool,
    /// The document is of type `xml`.
    pub typed: bool,
    pub base64: bool,
    pub namespaces: &'o [XmlNamespace],
    /// What stands in the start tags of outermost elements.
    pub declarations: &'o str,
}

/// The text of a row, or of a level of it.
pub(super) struct Level {
    /// The name of its element.
    pub name: String,
    /// The columns whose values it takes, by their places.
    pub columns: Vec<usize>,
    pub shape: RowShape,
    /// Whether rows are never equal to those before.
    pub differs: bool,
    /// Whether atoms of neighbouring rows are told apart.
    pub joined: bool,
}

impl Level {
    /// What the frame must know of a level whose elements stay open.
    pub fn element(&self) -> FrameElement {
        FrameElement { key: u32::from(self.differs), name: self.name.clone() }
    }
}

/// Whether values of a column are nodes, which no attribute can hold.
pub(super) fn is_nodes(column: &OutCol) -> bool {
    column.ty.kind == TypeKind::Xml
}

/// Whether values of a column are binary.
pub(super) fn is_binary(column: &OutCol) -> bool {
    matches!(
        column.ty.kind,
        TypeKind::Binary | TypeKind::VarBinary | TypeKind::Image | TypeKind::RowVersion
    )
}

/// `RAW`. Errors 6809, 6810, 6829, 6846, 6864, 6867.
pub(super) fn raw(columns: &[OutCol], options: &Options<'_>) -> BindResult<Level> {
    if options.row.is_empty() && !options.elements {
        return Err(SqlError::new(&message::FOR_XML_ROW_EMPTY, &[]).into());
    }
    if !options.base64
        && let Some(column) = columns.iter().find(|column| is_binary(column))
    {
        return Err(binary_refused(column));
    }
    let mut text = ColumnsText::new(options);
    let places: Vec<usize> = (0..columns.len()).collect();
    let is_rowless = options.row.is_empty();
    if !is_rowless {
        text.shape.open(options.row, options.declarations);
        text.shape.force();
    }
    let declarations = if is_rowless { options.declarations } else { "" };
    text.columns(columns, &places, declarations, &|_| Ok(None))?;
    if !is_rowless {
        text.shape.close(options.row);
    }
    Ok(Level {
        name: options.row.to_owned(),
        columns: text.taken,
        shape: text.shape,
        differs: false,
        joined: false,
    })
}

/// Error 6829.
pub(super) fn binary_refused(column: &OutCol) -> crate::bind::context::BindError {
    let name = column.name.as_deref().unwrap_or_default();
    SqlError::new(&message::FOR_XML_BINARY, &[&name]).into()
}

/// `AUTO`: the levels, the outermost first. Errors 6800, 6809, 6810, 6830 to 6832, 6846, 6867.
pub(super) fn auto(rows: &Output, options: &Options<'_>) -> BindResult<Vec<Level>> {
    let columns = &rows.columns;
    let Some(found) = auto_levels(columns.len(), &rows.tables) else {
        return Err(SqlError::new(&message::FOR_XML_AUTO_NEEDS_TABLE, &[]).into());
    };
    let innermost = found.len() - 1;
    let mut levels = Vec::with_capacity(found.len());
    for (depth, level) in found.into_iter().enumerate() {
        let name = names::escaped(level.name.as_deref().unwrap_or_default());
        let mut text = ColumnsText::new(options);
        text.shape.open(&name, if depth == 0 { options.declarations } else { "" });
        text.shape.force();
        let reference = |at: usize| match is_binary(&columns[at]) && !options.base64 {
            true => reference::of(columns, &rows.tables, at).map(Some),
            false => Ok(None),
        };
        text.columns(columns, &level.columns, "", &reference)?;
        match depth == innermost {
            true => text.shape.close(&name),
            false => text.shape.stay(),
        }
        let never_compared = |at: &usize| {
            let column = &columns[*at];
            is_nodes(column)
                || matches!(column.ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image)
        };
        levels.push(Level {
            name,
            differs: level.columns.iter().any(never_compared),
            columns: text.taken,
            shape: text.shape,
            joined: false,
        });
    }
    Ok(levels)
}

/// The columns of an element as attributes or elements.
struct ColumnsText<'o> {
    options: &'o Options<'o>,
    shape: RowShape,
    /// The columns whose values are taken, in turn.
    taken: Vec<usize>,
}

impl<'o> ColumnsText<'o> {
    fn new(options: &'o Options<'o>) -> ColumnsText<'o> {
        let shape = RowShape::new(options.typed, false);
        ColumnsText { options, shape, taken: Vec::new() }
    }

    /// Attributes stand before elements, wherever the columns are.
    fn columns(
        &mut self,
        columns: &[OutCol],
        places: &[usize],
        declarations: &str,
        reference: &dyn Fn(usize) -> BindResult<Option<Reference>>,
    ) -> BindResult<()> {
        let is_element = |at: usize| self.options.elements || is_nodes(&columns[at]);
        let mut named = Vec::with_capacity(places.len());
        for &at in places {
            let column = &columns[at];
            let name = column.name.as_deref().filter(|name| !name.is_empty());
            let Some(shown) = name else {
                return Err(SqlError::new(&message::FOR_XML_WITHOUT_NAME, &[]).into());
            };
            if !self.options.namespaces.is_empty() {
                names::check_prefix(NameKind::Column, shown, shown, self.options.namespaces)?;
            }
            let (name, element) = (names::escaped(shown), is_element(at));
            let repeats =
                |(_, other, is_element): &(usize, String, bool)| !is_element && *other == name;
            if !element && named.iter().any(repeats) {
                return Err(SqlError::new(&message::FOR_XML_COLUMN_REPEATED, &[&shown]).into());
            }
            named.push((at, name, element));
        }
        named.sort_by_key(|(_, _, element)| *element);
        for (at, name, element) in named {
            let reference = reference(at)?;
            if element {
                self.shape.open(&name, declarations);
            }
            self.taken.push(at);
            match reference {
                Some(reference) => {
                    self.taken.extend(&reference.keys);
                    reference.write(&mut self.shape, &name, !element);
                }
                None if element => {
                    let kind = content_kind(is_nodes(&columns[at]), self.options);
                    self.shape.value(kind, &name);
                }
                None => self.shape.value(ValueKind::Attribute, &name),
            }
            if element {
                self.shape.close(&name);
            }
        }
        Ok(())
    }
}

fn content_kind(nodes: bool, options: &Options<'_>) -> ValueKind {
    match (nodes, options.nils && options.elements) {
        (false, false) => ValueKind::Text,
        (false, true) => ValueKind::TextOrNil,
        (true, false) => ValueKind::Nodes,
        (true, true) => ValueKind::NodesOrNil,
    }
}

/// Where a column of `PATH` stands.
struct Path<'n> {
    /// The elements that it is in, the outermost first.
    elements: Vec<&'n str>,
    leaf: Leaf<'n>,
}

/// What a column of `PATH` becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf<'n> {
    Attribute(&'n str),
    /// An element's content.
    Content,
    /// `text()`.
    Text,
    /// `data()`.
    Data,
    /// `node()`, `*` or a column without name.
    Node,
    Comment,
    Instruction(&'n str),
}

/// `PATH`. Errors 6846, 6849 to 6854, 6864, 6867, 6879.
pub(super) fn path(columns: &[OutCol], options: &Options<'_>) -> BindResult<Level> {
    let is_rowless = options.row.is_empty();
    let mut paths = Vec::with_capacity(columns.len());
    for column in columns {
        let name = column.name.as_deref().unwrap_or_default();
        let path = path_of(name, options.namespaces)?;
        if is_nodes(column) {
            check_nodes(name, path.leaf)?;
        }
        paths.push((name, path));
    }
    let joined = is_rowless && paths.iter().any(|(_, path)| path.leaf == Leaf::Data);
    let mut shape = RowShape::new(options.typed, joined);
    if !is_rowless {
        shape.open(options.row, options.declarations);
        shape.force();
    }
    let mut open: Vec<&str> = Vec::new();
    // Whether the row's element, and each open one, has something that is no attribute.
    let mut has_content = vec![false];
    for (column, (name, Path { elements, leaf })) in columns.iter().zip(&paths) {
        let kept = open.iter().zip(elements).take_while(|(a, b)| a == b).count();
        for element in open.drain(kept..).rev() {
            shape.close(element);
        }
        has_content.truncate(kept + 1);
        for element in &elements[kept..] {
            let is_outermost = is_rowless && open.is_empty();
            shape.open(element, if is_outermost { options.declarations } else { "" });
            *has_content.last_mut().expect("there is one more than elements") = true;
            has_content.push(false);
            open.push(element);
        }
        let content = has_content.last_mut().expect("there is one more than elements");
        if let Leaf::Attribute(attribute) = leaf {
            if is_rowless && open.is_empty() {
                return Err(SqlError::new(&message::FOR_XML_ROW_EMPTY, &[]).into());
            }
            if *content {
                let error = SqlError::new(&message::FOR_XML_PATH_ATTRIBUTE_LATE, &[name]);
                return Err(error.into());
            }
            shape.value(ValueKind::Attribute, attribute);
            continue;
        }
        *content = true;
        let nodes = is_nodes(column);
        let (kind, node) = match *leaf {
            Leaf::Data if options.nils => (ValueKind::DataOrNil, ""),
            Leaf::Data => (ValueKind::Data, ""),
            Leaf::Comment => (ValueKind::Comment, ""),
            Leaf::Instruction(target) => (ValueKind::Instruction, target),
            _ => {
                let kind = match (nodes, options.nils) {
                    (false, false) => ValueKind::Text,
                    (false, true) => ValueKind::TextOrNil,
                    (true, false) => ValueKind::Nodes,
                    (true, true) => ValueKind::NodesOrNil,
                };
                (kind, open.last().copied().unwrap_or_default())
            }
        };
        shape.value(kind, node);
    }
    for element in open.iter().rev() {
        shape.close(element);
    }
    if !is_rowless {
        shape.close(options.row);
    }
    Ok(Level {
        name: options.row.to_owned(),
        columns: (0..columns.len()).collect(),
        shape,
        differs: false,
        joined,
    })
}

/// Errors 6851 and 6853: nodes cannot stand there.
fn check_nodes(name: &str, leaf: Leaf<'_>) -> BindResult<()> {
    let message = match leaf {
        Leaf::Attribute(_) => &message::FOR_XML_PATH_ATTRIBUTE_TYPE,
        Leaf::Text | Leaf::Data | Leaf::Comment | Leaf::Instruction(_) => {
            &message::FOR_XML_PATH_STEP_TYPE
        }
        Leaf::Content | Leaf::Node => return Ok(()),
    };
    Err(SqlError::new(message, &[&name]).into())
}

fn path_of<'n>(name: &'n str, namespaces: &[XmlNamespace]) -> BindResult<Path<'n>> {
    if name.is_empty() {
        return Ok(Path { elements: Vec::new(), leaf: Leaf::Node });
    }
    let mut elements: Vec<&str> = name.split('/').collect();
    if elements.iter().any(|step| step.is_empty()) {
        return Err(SqlError::new(&message::FOR_XML_PATH_SLASHES, &[&name]).into());
    }
    let last = *elements.last().expect("a name has a step");
    let leaf = leaf_of(name, last, namespaces)?;
    if leaf != Leaf::Content {
        elements.pop();
    }
    for element in &elements {
        names::check(NameKind::Column, name, element, namespaces)?;
    }
    Ok(Path { elements, leaf })
}

fn leaf_of<'n>(name: &str, last: &'n str, namespaces: &[XmlNamespace]) -> BindResult<Leaf<'n>> {
    if let Some(attribute) = last.strip_prefix('@') {
        if attribute.is_empty() {
            return Err(names::invalid(NameKind::Column, name, '@').into());
        }
        names::check(NameKind::Column, name, attribute, namespaces)?;
        return Ok(Leaf::Attribute(attribute));
    }
    let target = last.strip_prefix("processing-instruction(");
    if let Some(target) = target.and_then(|rest| rest.strip_suffix(')')) {
        return instruction(name, target);
    }
    Ok(match last {
        "text()" => Leaf::Text,
        "data()" => Leaf::Data,
        "node()" | "*" => Leaf::Node,
        "comment()" => Leaf::Comment,
        _ => Leaf::Content,
    })
}

/// Errors 6850, 6854, 6879 about the target of a processing instruction.
fn instruction<'n>(name: &str, target: &'n str) -> BindResult<Leaf<'n>> {
    match target {
        "" => Err(SqlError::new(&message::FOR_XML_INSTRUCTION, &[&name]).into()),
        "xml" => Err(SqlError::new(&message::FOR_XML_INSTRUCTION_XML, &[]).into()),
        _ => {
            names::check(NameKind::Target, name, target, &[])?;
            Ok(Leaf::Instruction(target))
        }
    }
}
