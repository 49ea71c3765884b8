//! Where results go: a stream or a file, as UTF-8 or UTF-16.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};

/// A place to write to.
pub enum Output {
    /// The standard output stream.
    Stdout(BufWriter<io::Stdout>),
    /// The standard error stream.
    Stderr(io::Stderr),
    /// A file.
    File(BufWriter<File>),
    /// A file in UTF-16, and the bytes of a character that has come in part.
    WideFile(BufWriter<File>, Vec<u8>),
    /// A buffer, for tests.
    #[cfg(test)]
    Memory(Vec<u8>),
}

impl Output {
    /// The standard output stream.
    pub fn stdout() -> Output {
        Output::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()))
    }

    /// The standard error stream.
    pub fn stderr() -> Output {
        Output::Stderr(io::stderr())
    }

    /// A file, in UTF-16 with its mark or in UTF-8.
    ///
    /// # Errors
    /// When the mark cannot be written.
    pub fn file(mut file: BufWriter<File>, is_wide: bool) -> io::Result<Output> {
        if !is_wide {
            return Ok(Output::File(file));
        }
        file.write_all(&[0xFF, 0xFE])?;
        Ok(Output::WideFile(file, Vec::new()))
    }

    /// Whether a person looks at it.
    pub fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout(_) => io::stdout().is_terminal(),
            Output::Stderr(_) => io::stderr().is_terminal(),
            _ => false,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(out) => out.write(bytes),
            Output::Stderr(out) => out.write(bytes),
            Output::File(out) => out.write(bytes),
            Output::WideFile(out, rest) => {
                rest.extend_from_slice(bytes);
                let complete = match std::str::from_utf8(rest) {
                    Ok(text) => text.len(),
                    Err(error) => error.valid_up_to(),
                };
                let text = String::from_utf8_lossy(&rest[..complete]);
                for unit in text.encode_utf16() {
                    out.write_all(&unit.to_le_bytes())?;
                }
                rest.drain(..complete);
                Ok(bytes.len())
            }
            #[cfg(test)]
            Output::Memory(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(out) => out.flush(),
            Output::Stderr(out) => out.flush(),
            Output::File(out) | Output::WideFile(out, _) => out.flush(),
            #[cfg(test)]
            Output::Memory(_) => Ok(()),
        }
    }
}
