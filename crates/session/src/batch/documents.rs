//! `sp_xml_preparedocument` and `sp_xml_removedocument`.

use std::collections::BTreeMap;

use base::convert::xml_text;
use base::message::{self, Message};
use base::xml::parse::{self, Refused};
use base::xml::{Builder, Document, NodeKind, ParseOptions};
use base::{Arena, SqlError, SqlType, TypeKind, Value};
use ir::function::facts::StatementPace;
use ir::function::prepared::PreparedDocument;

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::session::arguments::{Argument, ArgumentIn, Called, CalledOutput};
use crate::sysproc::XmlProcedure;

/// The parameters of `sp_xml_preparedocument`, which are known by their places alone.
const HANDLE: usize = 0;
const TEXT: usize = 1;
const NAMESPACES: usize = 2;

/// The state of error 8179 for a handle of no document.
const NO_DOCUMENT: u8 = 5;

/// The status of a procedure that has failed.
const FAILED: i32 = 1;

/// Why a document is not prepared.
enum Unprepared {
    /// It is no document: error 6602.
    Refused(Box<Refused>),
    /// Its elements are none or too many: error 6602 as well.
    Malformed(Malformed),
    Failed(Fault),
}

/// What a document lacks that a value of type xml need not have.
#[derive(Clone, Copy, Debug)]
enum Malformed {
    NoElement,
    SecondElement,
    TextOutside,
}

impl From<SqlError> for Unprepared {
    fn from(error: SqlError) -> Unprepared {
        Unprepared::Failed(error.into())
    }
}

impl From<Box<Refused>> for Unprepared {
    fn from(refused: Box<Refused>) -> Unprepared {
        match parse::is_of_text(&refused.error) {
            true => Unprepared::Refused(refused),
            false => refused.error.into(),
        }
    }
}

impl Context<'_> {
    /// Calls one of these procedures. Errors 201, 6602, 6607, 6624, 8144, 8179.
    pub(super) fn call_xml(
        &mut self,
        procedure: XmlProcedure,
        arguments: &[Argument],
    ) -> Run<Called> {
        let most = match procedure {
            XmlProcedure::Prepare => NAMESPACES + 1,
            XmlProcedure::Remove => HANDLE + 1,
        };
        let name = procedure.name();
        if arguments.is_empty() {
            let error = SqlError::new(&message::PARAMETER_NOT_SUPPLIED, &[&name, &"@hdoc"]);
            return Err(error.in_procedure(name).into());
        }
        if arguments.len() > most {
            let error = SqlError::new(&message::TOO_MANY_ARGUMENTS, &[&name]);
            return Err(error.in_procedure(name).into());
        }
        self.session.left.error = 0;
        match procedure {
            XmlProcedure::Prepare => self.prepare_document(arguments),
            XmlProcedure::Remove => {
                let Some(ArgumentIn::Scalar(Value::Int(handle), _)) =
                    arguments.first().map(|argument| &argument.value)
                else {
                    return self.xml_failed(procedure, invalid(procedure, HANDLE));
                };
                let kept = &self.session.prepared_documents;
                match i32::try_from(*handle).is_ok_and(|handle| kept.remove(handle)) {
                    true => Ok(Called::default()),
                    false => {
                        let message = &message::PREPARED_HANDLE_NOT_FOUND;
                        let error = SqlError::new(message, &[handle]).with_state(NO_DOCUMENT);
                        self.xml_failed(procedure, error)
                    }
                }
            }
        }
    }

    /// The call has failed; what is after it runs.
    fn xml_failed(&mut self, procedure: XmlProcedure, error: SqlError) -> Run<Called> {
        let error = error.in_procedure(procedure.name()).at_line(1);
        if self.is_protected() {
            return Err(Fault::new(error, Effect::Statement));
        }
        self.session.left.error = error.number();
        self.report(&error)?;
        Ok(Called { status: FAILED, ..Called::default() })
    }

    fn prepare_document(&mut self, arguments: &[Argument]) -> Run<Called> {
        let procedure = XmlProcedure::Prepare;
        let (text, namespaces) = match (text(arguments, TEXT), text(arguments, NAMESPACES)) {
            (Ok(text), Ok(namespaces)) => (text, namespaces),
            (Err(at), _) | (_, Err(at)) => {
                return self.xml_failed(procedure, invalid(procedure, at));
            }
        };
        match self.prepared_document(text, namespaces) {
            Ok(handle) => {
                let (name, ty) = ("@hdoc".into(), SqlType::int());
                let value = Value::Int(i64::from(handle));
                let outputs = vec![CalledOutput { at: HANDLE, name, value, ty, schemas: None }];
                Ok(Called { outputs, ..Called::default() })
            }
            Err(Unprepared::Failed(fault)) => match fault.error.number() {
                701 => {
                    let error = SqlError::new(&message::XML_DOCUMENT_MEMORY, &[]);
                    self.xml_failed(procedure, error)
                }
                _ => Err(fault),
            },
            Err(Unprepared::Refused(refused)) => {
                let (code, reason) = explained(&refused);
                self.refused(code, &reason, refused.line.max(1), &refused.text)
            }
            Err(Unprepared::Malformed(malformed)) => {
                let (code, reason) = malformed.explained();
                self.refused(code, reason, 0, "")
            }
        }
    }

    /// Error 6602, after a message with the place.
    fn refused(&mut self, code: u32, reason: &str, line: usize, text: &str) -> Run<Called> {
        let code = format!("{code:08x}");
        let place = SqlError::new(&message::XML_PARSE_PLACE, &[&code, &line, &text]);
        self.inform(place).map_err(Fault::lost)?;
        let error = SqlError::new(&message::XML_DOCUMENT_INVALID, &[&reason]);
        self.xml_failed(XmlProcedure::Prepare, error)
    }

    /// Prepares a document: its handle.
    fn prepared_document(
        &mut self,
        text: Option<(&Value, SqlType)>,
        namespaces: Option<(&Value, SqlType)>,
    ) -> Result<i32, Unprepared> {
        let account = self.runtime.grant.account().clone();
        let pace = StatementPace(self.task);
        let arena = Arena::charged_to(account.clone());
        let parsed = |value: &Value, ty: SqlType| -> Result<_, Unprepared> {
            let text = xml_text(value.as_ref(), &ty, &pace, &arena)
                .map_err(|error| Box::new(Refused::without_place(error)))?;
            let options = ParseOptions { preserve: false, internal_subset: true };
            let document = parse::parse_or_explain(text, options, Some(&account), &pace)?;
            Ok((document, parse::declared(text)))
        };
        let declared = match namespaces {
            Some((value, ty)) => {
                let (document, _) = parsed(value, ty)?;
                check(&document)?;
                declarations(&document)
            }
            None => BTreeMap::new(),
        };
        let (document, declaration) = match text {
            Some((value, ty)) => {
                let (document, declaration) = parsed(value, ty)?;
                check(&document)?;
                (document, declaration)
            }
            None => (Builder::new(None).finish(), Vec::new()),
        };
        let prepared = PreparedDocument::new(document, declaration, declared, &account, &pace)?;
        Ok(self.session.prepared_documents.add(prepared)?)
    }
}

/// Error 6607.
fn invalid(procedure: XmlProcedure, at: usize) -> SqlError {
    SqlError::new(&message::XML_PARAMETER_INVALID, &[&procedure.name(), &(at + 1)])
}

/// A text among the arguments; `None` for NULL. The place of what is neither text nor xml.
fn text(arguments: &[Argument], at: usize) -> Result<Option<(&Value, SqlType)>, usize> {
    match arguments.get(at).map(|argument| &argument.value) {
        None | Some(ArgumentIn::Default | ArgumentIn::Scalar(Value::Null, _)) => Ok(None),
        Some(ArgumentIn::Scalar(value, ty))
            if ty.kind.is_character() || ty.kind == TypeKind::Xml =>
        {
            Ok(Some((value, *ty)))
        }
        Some(_) => Err(at),
    }
}

/// Whether there is exactly one element outside of all others, and no text.
fn check(document: &Document) -> Result<(), Unprepared> {
    let mut elements = 0;
    for node in document.children(Document::ROOT) {
        match document.kind(node) {
            NodeKind::Element if elements > 0 => {
                return Err(Unprepared::Malformed(Malformed::SecondElement));
            }
            NodeKind::Element => elements += 1,
            NodeKind::Text => return Err(Unprepared::Malformed(Malformed::TextOutside)),
            _ => {}
        }
    }
    match elements {
        0 => Err(Unprepared::Malformed(Malformed::NoElement)),
        _ => Ok(()),
    }
}

/// The prefixes that the element of a document declares.
fn declarations(document: &Document) -> BTreeMap<Box<str>, Box<str>> {
    let is_element = |node: &base::xml::NodeId| document.kind(*node) == NodeKind::Element;
    let element = document.children(Document::ROOT).find(is_element);
    let all = element.into_iter().flat_map(|element| document.namespaces(element));
    let named = all.map(|at| (document.name(at).local.into(), document.value(at).into()));
    named.filter(|(prefix, _): &(Box<str>, Box<str>)| !prefix.is_empty()).collect()
}

impl Malformed {
    /// The code and the reason, as MSXML has them.
    fn explained(self) -> (u32, &'static str) {
        match self {
            Malformed::NoElement => (0xC00C_E558, "XML document must have a top level element."),
            Malformed::SecondElement => {
                (0xC00C_E555, "Only one top level element is allowed in an XML document.")
            }
            Malformed::TextOutside => (0xC00C_E556, "Invalid at the top level of the document."),
        }
    }
}

/// The code and the reason of a fault, as MSXML has them.
fn explained(refused: &Refused) -> (u32, String) {
    let Refused { error, name, open, .. } = refused;
    let number = error.number();
    if number == message::XML_END_TAG_MISMATCH.number
        && let Some(started) = open.last()
    {
        let reason = format!("End tag '{name}' does not match the start tag '{started}'.");
        return (0xC00C_E56D, reason);
    }
    if number == message::XML_UNEXPECTED_END.number && !open.is_empty() {
        let reason = format!("The following tags were not closed: {}.", open.join(", "));
        return (0xC00C_E553, reason);
    }
    if number == message::XML_PREFIX_UNDECLARED.number {
        return (0xC00C_E01D, format!("Reference to undeclared namespace prefix: '{name}'."));
    }
    if number == message::XML_ENTITY_UNDECLARED.number {
        return (0xC00C_E002, format!("Reference to undefined entity '{name}'."));
    }
    let found = REASONS.iter().find(|(message, ..)| message.number == number);
    let (code, reason) = found.map_or(UNSPECIFIED, |(_, code, reason)| (*code, *reason));
    (code, reason.into())
}

/// For what MSXML does not know.
const UNSPECIFIED: (u32, &str) = (0x8000_4005, "Unspecified error");

const REASONS: &[(&Message, u32, &str)] = &[
    (&message::XML_UNEXPECTED_END, 0xC00C_E559, "Unexpected end of file."),
    (
        &message::XML_ENCODING_UNKNOWN,
        0xC00C_E56E,
        "System does not support the specified encoding.",
    ),
    (
        &message::XML_ENCODING_SWITCH,
        0xC00C_E56F,
        "Switch from current encoding to specified encoding not supported.",
    ),
    (&message::XML_WHITESPACE_EXPECTED, 0xC00C_E509, "Required white space was missing."),
    (&message::XML_SEMICOLON_EXPECTED, 0xC00C_E50D, "A semi colon character was expected."),
    (&message::XML_GREATER_EXPECTED, 0xC00C_E50A, "The character '>' was expected."),
    (
        &message::XML_LITERAL_EXPECTED,
        0xC00C_E502,
        "A string literal was expected, but no opening quote character was found.",
    ),
    (
        &message::XML_EQUAL_EXPECTED,
        0xC00C_E501,
        "Missing equals sign between attribute and attribute value.",
    ),
    (
        &message::XML_LESS_IN_ATTRIBUTE,
        0xC00C_E506,
        "The character '<' cannot be used in an attribute value.",
    ),
    (&message::XML_HEX_DIGIT_EXPECTED, 0xC00C_E51E, "Invalid character for hexidecimal digit."),
    (&message::XML_DIGIT_EXPECTED, 0xC00C_E51D, "Invalid character for decimal digit."),
    (
        &message::XML_CHARACTER_ILLEGAL,
        0xC00C_E508,
        "An invalid character was found in text content.",
    ),
    (&message::XML_NAME_CHARACTER, 0xC00C_E504, "A name was started with an invalid character."),
    (
        &message::XML_QUALIFIED_NAME_CHARACTER,
        0xC00C_E504,
        "A name was started with an invalid character.",
    ),
    (&message::XML_DOCUMENT_SYNTAX, 0xC00C_E556, "Invalid at the top level of the document."),
    (&message::XML_CDATA_SYNTAX, 0xC00C_E564, "A CDATA section was not closed."),
    (&message::XML_COMMENT_SYNTAX, 0xC00C_E503, "Incorrect syntax was used in a comment."),
    (&message::XML_ATTRIBUTE_DUPLICATE, 0xC00C_E554, "Duplicate attribute."),
    (&message::XML_DECLARATION_PLACE, 0xC00C_E557, "Invalid xml declaration."),
    (
        &message::XML_NAME_RESERVED,
        0xC00C_E576,
        "The name 'xml' is reserved and must be lower case.",
    ),
    (&message::XML_DECLARATION_SYNTAX, 0xC00C_E507, "Invalid syntax for an xml declaration."),
    (&message::XML_ENCODING_NAME, 0xC00C_E507, "Invalid syntax for an xml declaration."),
    (&message::XML_INSTRUCTION_SYNTAX, 0xC00C_E55D, "Processing instruction was not closed."),
    (
        &message::XML_CDATA_END,
        0xC00C_E55C,
        "The literal string ']]>' is not allowed in element content.",
    ),
    (&message::XML_COLONS, 0xC00C_E51C, "Multiple colons are not allowed in a name."),
    (
        &message::XML_COLON,
        0xC00C_E00C,
        "Entity, EntityRef, PI, Notation names, or NMToken cannot contain a colon.",
    ),
    (&message::XML_NAMESPACE_EMPTY, 0xC00C_E027, "Only a default namespace can have an empty URI."),
    (
        &message::XML_SPACE_VALUE,
        0xC00C_E573,
        "XML space attribute has invalid value.  Must specify 'default' or 'preserve'.",
    ),
    (&message::XML_DOCTYPE_SYNTAX, 0xC00C_E562, "A declaration was not closed."),
    (&message::XML_ENTITY_SYNTAX, 0xC00C_E562, "A declaration was not closed."),
];
