//! Results as text: in sqlcmd's columns for programs and files, and in a grid for people.

use std::io::{self, Write};

use base::{Collation, SqlType};
use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::flags::ControlCharacters;
use crate::show::{self, Room};

/// What governs the columns; see the flags of the same names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutOptions {
    /// A grid with lines rather than sqlcmd's columns.
    pub grid: bool,
    /// `-h`: rows between two headings; 0 for one heading, -1 for none.
    pub headers: i32,
    /// `-s`
    pub separator: String,
    /// `-W`
    pub trim: bool,
    /// `-w`, if given.
    pub line_width: Option<usize>,
    /// `-y`; 0 for no limit.
    pub large_width: usize,
    /// `-Y`; 0 for no limit.
    pub variable_width: usize,
    /// `-k`
    pub control_characters: ControlCharacters,
}

/// Rows of a grid that are looked at before the columns' widths are decided.
const GRID_ROWS_SEEN: usize = 500;

struct Shown {
    name: String,
    ty: SqlType,
    room: Room,
    width: usize,
    /// Longer values are cut to this.
    limit: usize,
}

/// Writes one result after the other.
pub struct Layout {
    options: LayoutOptions,
    columns: Vec<Shown>,
    rows: u64,
    /// The texts of grid rows that wait for the columns' widths.
    waiting: Vec<Vec<String>>,
    has_heading: bool,
    text: String,
    line: String,
}

impl Layout {
    pub fn new(options: LayoutOptions) -> Layout {
        Layout {
            options,
            columns: Vec::new(),
            rows: 0,
            waiting: Vec::new(),
            has_heading: false,
            text: String::new(),
            line: String::new(),
        }
    }

    /// Whether a result has begun and not ended.
    pub fn is_open(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Whether results are shown in a grid.
    pub fn is_grid(&self) -> bool {
        self.options.grid
    }

    /// Begins a result.
    pub fn begin<W: Write + ?Sized>(
        &mut self,
        columns: &[ReceivedColumn],
        unknown: Collation,
        out: &mut W,
    ) -> io::Result<()> {
        self.columns = columns.iter().map(|column| self.shown(column, unknown)).collect();
        self.rows = 0;
        self.waiting.clear();
        self.has_heading = false;
        if !self.options.grid && self.options.headers >= 0 {
            self.write_heading(out)?;
        }
        Ok(())
    }

    fn shown(&self, column: &ReceivedColumn, unknown: Collation) -> Shown {
        let ty = column.info.to_sql(unknown);
        let room = show::room(&ty);
        let limit = match (room.is_large, room.is_variable) {
            (true, _) => self.options.large_width,
            (false, true) => self.options.variable_width,
            (false, false) => 0,
        };
        let limit = if limit == 0 || self.options.grid { usize::MAX } else { limit };
        // What has no limit takes no more than its heading, and lines are as long as they are.
        let width = room.width.unwrap_or(if limit == usize::MAX { 0 } else { limit }).min(limit);
        let width = if self.options.grid || self.options.trim { 0 } else { width };
        let width = width.max(text_width(&column.name));
        Shown { name: column.name.clone(), ty, room, width, limit }
    }

    /// Writes a row.
    pub fn row<W: Write + ?Sized>(&mut self, row: &Row<'_>, out: &mut W) -> io::Result<()> {
        if self.options.grid {
            return self.grid_row(row, out);
        }
        let every = u64::from(self.options.headers.max(0).unsigned_abs());
        if every > 0 && self.rows > 0 && self.rows % every == 0 {
            writeln!(out)?;
            self.write_heading(out)?;
        }
        self.rows += 1;
        self.line.clear();
        for place in 0..row.len().min(self.columns.len()) {
            self.take_value(row, place)?;
            let column = &self.columns[place];
            if place > 0 {
                self.line.push_str(&self.options.separator);
            }
            if self.options.trim {
                self.line.push_str(self.text.trim_end_matches(' '));
            } else {
                pad(&mut self.line, &self.text, column.width, column.room.right);
            }
        }
        write_line(&self.line, self.options.line_width, out)
    }

    /// Puts a value's text into `self.text`.
    fn take_value(&mut self, row: &Row<'_>, place: usize) -> io::Result<()> {
        let column = &self.columns[place];
        self.text.clear();
        let value = row.get(place).map_err(io::Error::other)?;
        show::write_value(value.as_ref(), &column.ty, &mut self.text);
        if column.room.is_variable {
            tame(&mut self.text, self.options.control_characters);
            cut(&mut self.text, column.limit);
        }
        Ok(())
    }

    fn write_heading<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        let (mut names, mut dashes) = (String::new(), String::new());
        for (place, column) in self.columns.iter().enumerate() {
            if place > 0 {
                names.push_str(&self.options.separator);
                dashes.push_str(&self.options.separator);
            }
            // A column without a name still has a line under it.
            let width = if self.options.trim { column.width.max(1) } else { column.width };
            if self.options.trim {
                names.push_str(&column.name);
            } else {
                pad(&mut names, &column.name, width, false);
            }
            dashes.extend(std::iter::repeat_n('-', width));
        }
        write_line(&names, self.options.line_width, out)?;
        write_line(&dashes, self.options.line_width, out)
    }

    fn grid_row<W: Write + ?Sized>(&mut self, row: &Row<'_>, out: &mut W) -> io::Result<()> {
        self.rows += 1;
        let mut texts = Vec::with_capacity(row.len());
        for place in 0..row.len().min(self.columns.len()) {
            self.take_value(row, place)?;
            texts.push(self.text.replace(['\r', '\n', '\t'], " "));
        }
        if self.has_heading {
            return self.write_grid_row(&texts, out);
        }
        self.waiting.push(texts);
        if self.waiting.len() >= GRID_ROWS_SEEN {
            self.write_grid(out)?;
        }
        Ok(())
    }

    /// Writes the heading and the rows that wait.
    fn write_grid<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.has_heading = true;
        let waiting = std::mem::take(&mut self.waiting);
        for texts in &waiting {
            for (column, text) in self.columns.iter_mut().zip(texts) {
                column.width = column.width.max(text_width(text));
            }
        }
        self.rule('┌', '┬', '┐', out)?;
        let names: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        self.write_grid_row(&names, out)?;
        self.rule('├', '┼', '┤', out)?;
        waiting.iter().try_for_each(|texts| self.write_grid_row(texts, out))
    }

    fn write_grid_row<W: Write + ?Sized>(
        &mut self,
        texts: &[String],
        out: &mut W,
    ) -> io::Result<()> {
        self.line.clear();
        for (column, text) in self.columns.iter().zip(texts) {
            self.line.push_str("│ ");
            pad(&mut self.line, text, column.width, column.room.right);
            self.line.push(' ');
        }
        self.line.push('│');
        writeln!(out, "{}", self.line)
    }

    fn rule<W: Write + ?Sized>(
        &self,
        left: char,
        middle: char,
        right: char,
        out: &mut W,
    ) -> io::Result<()> {
        let mut line = String::from(left);
        for (place, column) in self.columns.iter().enumerate() {
            if place > 0 {
                line.push(middle);
            }
            line.extend(std::iter::repeat_n('─', column.width + 2));
        }
        writeln!(out, "{line}{right}")
    }

    /// Ends the result, if one has begun.
    pub fn end<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        if self.options.grid && self.is_open() {
            if !self.has_heading {
                self.write_grid(out)?;
            }
            self.rule('└', '┴', '┘', out)?;
        }
        self.columns.clear();
        Ok(())
    }
}

/// The columns of a terminal that a text takes.
fn text_width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { console::measure_text_width(text) }
}

fn pad(line: &mut String, text: &str, width: usize, right: bool) {
    let blanks = std::iter::repeat_n(' ', width.saturating_sub(text_width(text)));
    if right {
        line.extend(blanks);
        line.push_str(text);
    } else {
        line.push_str(text);
        line.extend(blanks);
    }
}

fn cut(text: &mut String, limit: usize) {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
    }
}

fn tame(text: &mut String, control_characters: ControlCharacters) {
    if control_characters == ControlCharacters::Keep || !text.contains(char::is_control) {
        return;
    }
    let mut was_control = false;
    let mut tamed = String::with_capacity(text.len());
    for c in text.chars() {
        match (c.is_control(), control_characters) {
            (false, _) => tamed.push(c),
            (true, ControlCharacters::Remove) => {}
            (true, ControlCharacters::BlankRuns) if was_control => {}
            (true, _) => tamed.push(' '),
        }
        was_control = c.is_control();
    }
    *text = tamed;
}

fn write_line<W: Write + ?Sized>(line: &str, width: Option<usize>, out: &mut W) -> io::Result<()> {
    let Some(width) = width else { return writeln!(out, "{line}") };
    let mut rest = line;
    loop {
        let end = rest.char_indices().nth(width).map_or(rest.len(), |(end, _)| end);
        writeln!(out, "{}", &rest[..end])?;
        rest = &rest[end..];
        if rest.is_empty() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
