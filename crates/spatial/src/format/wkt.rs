//! Well-known text.

use std::fmt::Write;

use crate::check::{check_figure, check_srid, deeper};
use crate::error::{Fault, Result};
use crate::number::Number;
use crate::shape::{Curve, DEFAULT_SRID, Figure, Kind, Part, Position, Shape, Space};
use crate::work::Work;

/// Of a text that begins with no label, this much is shown.
const SHOWN_MAX: usize = 1000;

impl Shape {
    /// Reads well-known text, of the expected kind if there is one (`STPointFromText` ...).
    pub fn from_text(
        space: Space,
        text: &str,
        expected: Option<Kind>,
        srid: i32,
        work: &Work<'_>,
    ) -> Result<Shape> {
        check_srid(space, srid)?;
        let mut reader = Reader { text, at: 0, work, space };
        reader.skip_blanks();
        if reader.is_at_end() {
            return Err(Fault::TextEmpty.into());
        }
        let figure = match expected {
            Some(kind) => {
                reader.expect(kind.label())?;
                reader.body(kind, 0)?
            }
            None => reader.tagged(0)?,
        };
        reader.skip_blanks();
        if !reader.is_at_end() {
            return Err(Fault::TextInvalid.into());
        }
        check_figure(space, &figure, work)?;
        Shape::of_checked(space, srid, figure, work)
    }

    /// `Parse`: well-known text; `NULL` is the caller's. The SRID is 0, of a geography 4326.
    pub fn parse(space: Space, text: &str, work: &Work<'_>) -> Result<Shape> {
        let srid = match space {
            Space::Planar => 0,
            Space::Geographic => DEFAULT_SRID,
        };
        Shape::from_text(space, text, None, srid, work)
    }

    /// `STAsText`: well-known text without Z and M.
    pub fn to_text(&self, work: &Work<'_>) -> Result<String> {
        self.write_text(false, work)
    }

    /// `ToString`, `AsTextZM`: well-known text with Z and M.
    pub fn to_text_zm(&self, work: &Work<'_>) -> Result<String> {
        self.write_text(true, work)
    }

    fn write_text(&self, with_zm: bool, work: &Work<'_>) -> Result<String> {
        let mut writer = Writer { out: String::new(), with_zm, work };
        writer.tagged(&self.figure)?;
        Ok(writer.out)
    }
}

struct Reader<'r> {
    text: &'r str,
    /// Bytes that were read; at a character's boundary.
    at: usize,
    work: &'r Work<'r>,
    space: Space,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Characters before a byte, which is what messages count.
    fn position(&self, at: usize) -> usize {
        self.text[..at].encode_utf16().count()
    }

    /// Whether this word comes next, which is then read.
    fn accept(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let next = self.rest().as_bytes().get(..word.len());
        let found = next.is_some_and(|next| next.eq_ignore_ascii_case(word.as_bytes()));
        if found {
            self.at += word.len();
        }
        found
    }

    /// Error 24142 unless this word comes next; 24209 at the end.
    fn expect(&mut self, word: &'static str) -> Result<()> {
        if self.accept(word) {
            return Ok(());
        }
        if self.is_at_end() {
            return Err(Fault::Truncated.into());
        }
        let found = self.rest().chars().take(word.len()).collect();
        Err(Fault::TokenExpected(word, self.position(self.at), found).into())
    }

    fn tagged(&mut self, depth: usize) -> Result<Figure> {
        self.skip_blanks();
        if self.is_at_end() {
            return Err(Fault::Truncated.into());
        }
        // No label begins with another one.
        match Kind::ALL.into_iter().find(|kind| self.accept(kind.label())) {
            Some(kind) => self.body(kind, depth),
            None => {
                let label = self.rest().chars().take(SHOWN_MAX).collect();
                Err(Fault::Label(label).into())
            }
        }
    }

    /// What follows the label.
    fn body(&mut self, kind: Kind, depth: usize) -> Result<Figure> {
        if kind == Kind::FullGlobe {
            return Ok(Figure::FullGlobe);
        }
        if self.accept("EMPTY") {
            return Ok(Figure::empty(kind));
        }
        Ok(match kind {
            Kind::Point => {
                self.expect("(")?;
                let at = self.numbers()?;
                self.expect(")")?;
                Figure::Point(Some(at))
            }
            Kind::LineString => Figure::Curve(Curve::Line(self.points()?)),
            Kind::CircularString => Figure::Curve(Curve::Arcs(self.points()?)),
            Kind::CompoundCurve => Figure::Curve(Curve::Compound(self.list(Reader::part)?)),
            Kind::Polygon => Figure::Polygon(self.list(Reader::points)?),
            Kind::CurvePolygon => Figure::CurvePolygon(self.list(Reader::ring)?),
            Kind::MultiPoint => Figure::Collection(kind, self.list(Reader::member_point)?),
            Kind::MultiLineString => {
                let member = |reader: &mut Self| match reader.accept("EMPTY") {
                    true => Ok(Figure::empty(Kind::LineString)),
                    false => Ok(Figure::Curve(Curve::Line(reader.points()?))),
                };
                Figure::Collection(kind, self.list(member)?)
            }
            Kind::MultiPolygon => {
                let member = |reader: &mut Self| match reader.accept("EMPTY") {
                    true => Ok(Figure::empty(Kind::Polygon)),
                    false => Ok(Figure::Polygon(reader.list(Reader::points)?)),
                };
                Figure::Collection(kind, self.list(member)?)
            }
            Kind::GeometryCollection => {
                let depth = deeper(depth)?;
                let members = self.list(|reader| reader.tagged(depth))?;
                Figure::Collection(kind, members)
            }
            Kind::FullGlobe => Figure::FullGlobe,
        })
    }

    /// Elements in parentheses with commas between them; one at least.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect("(")?;
        let mut list = Vec::new();
        loop {
            let next = element(self)?;
            self.work.push(&mut list, next)?;
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(list)
    }

    fn points(&mut self) -> Result<Vec<Position>> {
        self.list(Reader::numbers)
    }

    fn member_point(&mut self) -> Result<Figure> {
        if self.accept("EMPTY") {
            return Ok(Figure::Point(None));
        }
        let in_parentheses = self.accept("(");
        let at = self.numbers()?;
        if in_parentheses {
            self.expect(")")?;
        }
        Ok(Figure::Point(Some(at)))
    }

    fn part(&mut self) -> Result<Part> {
        let is_arc = self.accept(Kind::CircularString.label());
        if self.accept("EMPTY") {
            return Err(Fault::FigureMissing(self.space).into());
        }
        Ok(Part { is_arc, points: self.points()? })
    }

    fn ring(&mut self) -> Result<Curve> {
        if self.accept(Kind::CircularString.label()) {
            return Ok(match self.accept("EMPTY") {
                true => Curve::Arcs(Vec::new()),
                false => Curve::Arcs(self.points()?),
            });
        }
        if self.accept(Kind::CompoundCurve.label()) {
            return Ok(match self.accept("EMPTY") {
                true => Curve::Compound(Vec::new()),
                false => Curve::Compound(self.list(Reader::part)?),
            });
        }
        Ok(Curve::Line(self.points()?))
    }

    /// Two to four numbers; Z and M may be `NULL`.
    fn numbers(&mut self) -> Result<Position> {
        let mut at = Position::new(self.number()?, self.number()?);
        if self.has_more() {
            at.z = self.number_or_null()?;
        }
        if self.has_more() {
            at.m = self.number_or_null()?;
        }
        Ok(at)
    }

    /// Whether another number of the same position follows.
    fn has_more(&mut self) -> bool {
        self.skip_blanks();
        !matches!(self.peek(), None | Some(',' | ')' | '('))
    }

    fn number_or_null(&mut self) -> Result<Option<f64>> {
        if matches!(self.peek(), Some('n' | 'N')) {
            self.expect("NULL")?;
            return Ok(None);
        }
        Ok(Some(self.number()?))
    }

    fn number(&mut self) -> Result<f64> {
        self.skip_blanks();
        if self.is_at_end() {
            return Err(Fault::Truncated.into());
        }
        // The token has one character at least, whatever that is.
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')');
        let len = rest[first..].find(is_end).map_or(rest.len(), |end| first + end);
        let token = &rest[..len];
        let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let number = match token.chars().all(is_plain) {
            true => token.parse().ok().filter(|number: &f64| number.is_finite()),
            false => None,
        };
        match number {
            Some(number) => {
                self.at += len;
                Ok(number)
            }
            None => {
                let shown = token.chars().take(SHOWN_MAX).collect();
                Err(Fault::NumberExpected(self.position(self.at + len), shown).into())
            }
        }
    }
}

struct Writer<'w> {
    out: String,
    with_zm: bool,
    work: &'w Work<'w>,
}

impl Writer<'_> {
    fn tagged(&mut self, figure: &Figure) -> Result<()> {
        let kind = figure.kind();
        self.out.push_str(kind.label());
        if kind == Kind::FullGlobe {
            return Ok(());
        }
        self.out.push(' ');
        self.body(figure)
    }

    fn body(&mut self, figure: &Figure) -> Result<()> {
        match figure {
            Figure::Point(None) => self.empty(),
            Figure::Point(Some(at)) => {
                self.out.push('(');
                self.numbers(at)?;
                self.out.push(')');
                Ok(())
            }
            Figure::Curve(curve) => self.curve(curve),
            Figure::Polygon(rings) => self.list(rings, |writer, ring| writer.points(ring)),
            Figure::CurvePolygon(rings) => self.list(rings, |writer, ring| {
                if !matches!(ring, Curve::Line(_)) {
                    writer.out.push_str(ring.kind().label());
                    writer.out.push(' ');
                }
                writer.curve(ring)
            }),
            Figure::Collection(Kind::GeometryCollection, members) => {
                self.list(members, Writer::tagged)
            }
            Figure::Collection(_, members) => self.list(members, Writer::body),
            Figure::FullGlobe => Ok(()),
        }
    }

    fn empty(&mut self) -> Result<()> {
        self.out.push_str("EMPTY");
        Ok(())
    }

    fn list<T>(
        &mut self,
        list: &[T],
        mut element: impl FnMut(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        if list.is_empty() {
            return self.empty();
        }
        self.out.push('(');
        for (index, each) in list.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            element(self, each)?;
        }
        self.out.push(')');
        Ok(())
    }

    fn points(&mut self, points: &[Position]) -> Result<()> {
        self.list(points, Writer::numbers)
    }

    fn curve(&mut self, curve: &Curve) -> Result<()> {
        match curve {
            Curve::Line(points) | Curve::Arcs(points) => self.points(points),
            Curve::Compound(parts) => self.list(parts, |writer, part| {
                if part.is_arc {
                    writer.out.push_str(Kind::CircularString.label());
                    writer.out.push(' ');
                }
                writer.points(&part.points)
            }),
        }
    }

    fn numbers(&mut self, at: &Position) -> Result<()> {
        self.work.step(1)?;
        if self.out.capacity() - self.out.len() < 128 {
            self.work.admit(2 * self.out.capacity())?;
            self.out.reserve(self.out.len().max(128));
        }
        let mut put = |value: Option<f64>, before: &str| {
            // Writing to a string cannot fail.
            let _ = match value {
                Some(value) => write!(self.out, "{before}{}", Number(value)),
                None => write!(self.out, "{before}NULL"),
            };
        };
        put(Some(at.x), "");
        put(Some(at.y), " ");
        if self.with_zm && (at.z.is_some() || at.m.is_some()) {
            put(at.z, " ");
        }
        if self.with_zm && at.m.is_some() {
            put(at.m, " ");
        }
        Ok(())
    }
}
