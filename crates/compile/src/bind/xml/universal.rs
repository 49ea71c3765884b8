//! `EXPLICIT`: the universal table, whose columns are named `Element!tag!attribute!directive`.

use base::{SqlError, TypeKind, message};
use ir::function::xml::{FrameElement, RowShape, ValueKind};

use super::declared;
use super::shape::{Level, Options, binary_refused, is_binary, is_nodes};
use crate::bind::context::BindResult;
use crate::bind::query::unimplemented;
use crate::bind::scalar::Origin;
use crate::bind::scope::OutCol;

/// What becomes of a universal table.
pub(super) struct Table {
    pub level: Level,
    /// The elements of all tags.
    pub elements: Vec<FrameElement>,
    /// What stands in the start tag of the outermost element.
    pub declarations: String,
}

/// A column of data.
struct Column<'n> {
    /// Its place among the columns.
    place: usize,
    /// As it is written.
    name: &'n str,
    element: &'n str,
    tag: u32,
    attribute: &'n str,
    /// What its values become, if they are not hidden.
    content: Option<Content>,
    is_hidden: bool,
    /// Whether rows after an element's add values to it.
    is_list: bool,
}

/// What the directives of a column say.
#[derive(Clone, Copy)]
struct Directives {
    content: Option<Content>,
    is_hidden: bool,
    is_list: bool,
}

/// Directives of which a column has one at most.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Element,
    ElementOrNil,
    Xml,
    XmlText,
    Cdata,
}

/// Reads the names of the columns. Errors 401, 6801 to 6804, 6812 to 6817, 6820, 6824, 6826 to
/// 6829, 6835.
pub(super) fn table(
    columns: &[OutCol],
    options: &Options<'_>,
    has_root: bool,
) -> BindResult<Table> {
    if !options.base64
        && let Some(column) = columns.iter().find(|column| is_binary(column))
    {
        return Err(binary_refused(column));
    }
    check_first(columns)?;
    let mut data = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate().skip(2) {
        let name = column.name.as_deref().unwrap_or_default();
        data.push(column_of(place, name)?);
    }
    check_overflows(columns, &data)?;
    let mut elements: Vec<FrameElement> = Vec::new();
    for column in &data {
        let declared = elements.iter().find(|element| element.key == column.tag);
        match declared {
            Some(element) if element.name != column.element => {
                let args: [&dyn std::fmt::Display; 3] =
                    [&column.tag, &element.name, &column.element];
                return Err(SqlError::new(&message::FOR_XML_EXPLICIT_REDECLARED, &args).into());
            }
            Some(_) => {}
            None => {
                elements.push(FrameElement { key: column.tag, name: column.element.to_owned() })
            }
        }
    }
    let nils = data.iter().any(|column| column.content == Some(Content::ElementOrNil));
    let declarations = if nils { declared::xsi() } else { String::new() };
    let mut shape = RowShape::new(options.typed, false);
    for element in &elements {
        shape.tag(element.key);
        shape.open(&element.name, "");
        shape.force();
        if !has_root {
            shape.top(&declarations);
        }
        let own = || data.iter().filter(|c| c.tag == element.key && !c.is_hidden);
        let is_attribute = |c: &&Column<'_>| {
            c.content.is_none() && !c.attribute.is_empty() && !is_nodes(&columns[c.place])
        };
        for column in own().filter(is_attribute) {
            shape.at(column.place as u32);
            let kind = if column.is_list { ValueKind::List } else { ValueKind::Attribute };
            shape.value(kind, column.attribute);
        }
        let names: Vec<&str> = own().filter(is_attribute).map(|column| column.attribute).collect();
        if let Some(overflow) = own().find(|column| column.is_overflow()) {
            if own().any(|column| column.is_list) {
                return Err(unimplemented("FOR XML EXPLICIT IDREFS with XMLTEXT", 0));
            }
            overflow.write_overflow(&mut shape, &names.join("\n"));
        }
        let is_other = |column: &&Column<'_>| !is_attribute(column) && !column.is_overflow();
        for column in own().filter(is_other) {
            column.write(&mut shape, is_nodes(&columns[column.place]));
        }
    }
    let level = Level {
        name: String::new(),
        columns: (0..columns.len()).collect(),
        shape,
        differs: false,
        joined: false,
    };
    Ok(Table { level, elements, declarations })
}

/// Errors 6827 and 6828 about columns with the directive `xmltext`.
fn check_overflows(columns: &[OutCol], data: &[Column<'_>]) -> BindResult<()> {
    let mut tags: Vec<u32> = Vec::new();
    for own in data.iter().filter(|column| column.content == Some(Content::XmlText)) {
        let column = &columns[own.place];
        let name = column.name.as_deref().unwrap_or_default();
        let kind = column.ty.kind;
        let is_text = kind.is_character() || kind == TypeKind::Xml || column.origin == Origin::Null;
        if !is_text {
            return Err(SqlError::new(&message::FOR_XML_TEXT_TYPE, &[&name]).into());
        }
        if tags.contains(&own.tag) {
            return Err(SqlError::new(&message::FOR_XML_TEXT_TWICE, &[&name]).into());
        }
        tags.push(own.tag);
    }
    Ok(())
}

/// Errors 6801, 6803, 6804, 6820 about the columns before the data.
fn check_first(columns: &[OutCol]) -> BindResult<()> {
    let [tag, parent, _, ..] = columns else {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_COLUMNS, &[]).into());
    };
    for (place, column, name) in [(1, tag, "TAG"), (2, parent, "PARENT")] {
        let own = column.name.as_deref().unwrap_or_default();
        if !own.eq_ignore_ascii_case(name) {
            let args: [&dyn std::fmt::Display; 3] = [&place, &name, &own];
            return Err(SqlError::new(&message::FOR_XML_EXPLICIT_MISNAMED, &args).into());
        }
    }
    let is_int = |column: &OutCol| column.ty.kind == TypeKind::Int || column.origin == Origin::Null;
    if !is_int(tag) {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_TAG, &[]).into());
    }
    if !is_int(parent) {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_PARENT, &[]).into());
    }
    Ok(())
}

fn column_of(place: usize, name: &str) -> BindResult<Column<'_>> {
    let invalid = || SqlError::new(&message::FOR_XML_EXPLICIT_NAME, &[&name]);
    let mut parts = name.split('!');
    let element = parts.next().filter(|element| !element.is_empty()).ok_or_else(invalid)?;
    let is_number = |tag: &&str| tag.bytes().all(|byte| byte.is_ascii_digit());
    let tag = parts.next().filter(is_number).and_then(|tag| tag.parse::<u32>().ok());
    let tag = tag.filter(|tag| (1..=i32::MAX as u32).contains(tag)).ok_or_else(invalid)?;
    let attribute = parts.next().unwrap_or_default();
    let directives: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
    let Directives { content, is_hidden, is_list } = directives_of(name, &directives)?;
    if is_list && (content.is_some() || attribute.is_empty()) {
        return Err(unimplemented("FOR XML EXPLICIT IDREFS of an element", 0));
    }
    Ok(Column { place, name, element, tag, attribute, content, is_hidden, is_list })
}

fn directives_of(name: &str, directives: &[String]) -> BindResult<Directives> {
    let fail = |message| Err(SqlError::new(message, &[&name]).into());
    let (mut contents, mut ids, mut hides, mut lists) = (Vec::new(), 0, 0, false);
    for directive in directives {
        match &**directive {
            "element" => contents.push(Content::Element),
            "elementxsinil" => contents.push(Content::ElementOrNil),
            "xml" => contents.push(Content::Xml),
            "xmltext" => contents.push(Content::XmlText),
            "cdata" => contents.push(Content::Cdata),
            "hide" => hides += 1,
            "id" | "idref" | "nmtoken" => ids += 1,
            "idrefs" | "nmtokens" => {
                ids += 1;
                lists = true;
            }
            other => {
                let error = SqlError::new(&message::FOR_XML_EXPLICIT_MODE, &[&other]);
                return Err(error.into());
            }
        }
    }
    let is_raw =
        |content: &Content| matches!(content, Content::Cdata | Content::Xml | Content::XmlText);
    if hides > 1 {
        return fail(&message::FOR_XML_EXPLICIT_HIDE);
    }
    if ids > 1 {
        return fail(&message::FOR_XML_EXPLICIT_IDS);
    }
    if ids > 0 && hides > 0 {
        return fail(&message::FOR_XML_EXPLICIT_ID_HIDDEN);
    }
    if ids > 0 && contents.iter().any(is_raw) {
        return fail(&message::FOR_XML_EXPLICIT_ID_RAW);
    }
    if contents.len() > 1 {
        return fail(&message::FOR_XML_EXPLICIT_CONTENTS);
    }
    Ok(Directives { content: contents.pop(), is_hidden: hides > 0, is_list: lists })
}

impl Column<'_> {
    /// Whether what is left over of an element becomes part of this one.
    fn is_overflow(&self) -> bool {
        self.content == Some(Content::XmlText) && self.attribute.is_empty()
    }

    /// The attributes of what is left over, but for these, and its content.
    fn write_overflow(&self, shape: &mut RowShape, without: &str) {
        shape.at(self.place as u32);
        shape.value(ValueKind::OverflowAttributes, &format!("{}\n{without}", self.name));
        shape.at(self.place as u32);
        shape.value(ValueKind::OverflowContent, self.name);
    }

    /// What stands in the element.
    fn write(&self, shape: &mut RowShape, nodes: bool) {
        if self.content == Some(Content::XmlText) {
            shape.at(self.place as u32);
            let names = format!("{}\n{}", self.name, self.attribute);
            shape.value(ValueKind::OverflowElement, &names);
            return;
        }
        let is_element = !self.attribute.is_empty();
        if is_element {
            shape.open(self.attribute, "");
        }
        shape.at(self.place as u32);
        let kind = match self.content {
            Some(Content::ElementOrNil) if nodes => ValueKind::NodesOrNil,
            Some(Content::ElementOrNil) => ValueKind::TextOrNil,
            Some(Content::Cdata) => ValueKind::Cdata,
            Some(Content::Xml) => ValueKind::Nodes,
            _ if nodes => ValueKind::Nodes,
            _ => ValueKind::Text,
        };
        shape.value(kind, if is_element { self.attribute } else { self.element });
        if is_element {
            shape.close(self.attribute);
        }
    }
}
