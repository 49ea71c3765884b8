//! `LOGIN7`, read and written, and the answer to its feature extensions.

use crate::classification::CLASSIFICATION_VERSION;
use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::token::feature;
use crate::version::TdsVersion;
use crate::writer::PutBytes;

/// Bytes before the variable part, before 7.2 and from it on.
const FIXED_LEN_7_1: usize = 86;
const FIXED_LEN: usize = 94;
/// UTF-16 units that a name may have.
const NAME_UNITS_MAX: usize = 128;
/// UTF-16 units that the path of an attached file may have.
const PATH_UNITS_MAX: usize = 260;

/// A feature extension: its number ([`feature`]) and its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// The number.
    pub id: u8,
    /// What the client says about it.
    pub data: Vec<u8>,
}

/// Bits of [`Login::option_flags1`].
pub mod option_flags1 {
    /// Tell the client about `USE` (message 5701).
    pub const USE_DB: u8 = 0x20;
    /// A database that cannot be opened fails the login.
    pub const INIT_DB_FATAL: u8 = 0x40;
    /// Tell the client about changes of language (message 5703).
    pub const SET_LANGUAGE: u8 = 0x80;
}

/// Bits of [`Login::option_flags2`].
pub mod option_flags2 {
    /// A language that does not exist fails the login.
    pub const INIT_LANGUAGE_FATAL: u8 = 0x01;
    /// The ANSI settings are on from the start, and implicit transactions' default is ODBC's.
    pub const ODBC: u8 = 0x02;
    /// Integrated authentication.
    pub const INTEGRATED_SECURITY: u8 = 0x80;
}

/// Bits of [`Login::type_flags`].
pub mod type_flags {
    /// The client speaks T-SQL.
    pub const TSQL: u8 = 0x01;
    /// The client is an OLE DB provider.
    pub const OLEDB: u8 = 0x10;
    /// The client will only read.
    pub const READ_ONLY_INTENT: u8 = 0x20;
}

/// Bits of [`Login::option_flags3`].
pub mod option_flags3 {
    /// The password is to be changed.
    pub const CHANGE_PASSWORD: u8 = 0x01;
    /// The client asks for an instance of its own.
    pub const USER_INSTANCE: u8 = 0x04;
    /// The client knows what to do with collations that it does not know.
    pub const UNKNOWN_COLLATION_HANDLING: u8 = 0x08;
    /// There are feature extensions.
    pub const EXTENSION: u8 = 0x10;
}

/// A `LOGIN7` message. `Debug` does not show passwords.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Login {
    /// The protocol version asked for; see [`TdsVersion::negotiate`].
    pub tds_version: u32,
    /// The packet size asked for; 0 leaves it to the server.
    pub packet_size: u32,
    /// The client library's version.
    pub client_version: u32,
    /// The client's process.
    pub client_pid: u32,
    /// The connection that this one replaces.
    pub connection_id: u32,
    /// See [`option_flags1`].
    pub option_flags1: u8,
    /// See [`option_flags2`].
    pub option_flags2: u8,
    /// See [`type_flags`].
    pub type_flags: u8,
    /// See [`option_flags3`]; that there are features or a new password is added when written.
    pub option_flags3: u8,
    /// Minutes from the client's time to UTC; not used.
    pub time_zone: i32,
    /// The client's locale.
    pub lcid: u32,
    /// The client's machine, `HOST_NAME()`.
    pub host_name: String,
    /// The login.
    pub user_name: String,
    /// The password.
    pub password: String,
    /// The program, `APP_NAME()`.
    pub app_name: String,
    /// The server's name as the client knows it.
    pub server_name: String,
    /// The client library.
    pub library_name: String,
    /// The language; empty for the login's default.
    pub language: String,
    /// The database; empty for the login's default.
    pub database: String,
    /// The client's network card.
    pub client_id: [u8; 6],
    /// The first message of integrated authentication.
    pub sspi: Vec<u8>,
    /// A file to attach as the database.
    pub attach_file: String,
    /// The password to change to, if it is to be changed.
    pub new_password: Option<String>,
    /// Feature extensions, unknown ones included.
    pub features: Vec<Feature>,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("tds_version", &format_args!("0x{:08X}", self.tds_version))
            .field("packet_size", &self.packet_size)
            .field("host_name", &self.host_name)
            .field("user_name", &self.user_name)
            .field("app_name", &self.app_name)
            .field("server_name", &self.server_name)
            .field("library_name", &self.library_name)
            .field("language", &self.language)
            .field("database", &self.database)
            .field("features", &self.features)
            .finish_non_exhaustive()
    }
}

impl Login {
    /// Whether the ANSI settings are on from the start.
    pub const fn has_ansi_defaults(&self) -> bool {
        self.option_flags2 & option_flags2::ODBC != 0
    }

    /// Whether the client asks for integrated authentication.
    pub const fn wants_integrated_security(&self) -> bool {
        self.option_flags2 & option_flags2::INTEGRATED_SECURITY != 0
    }

    /// The data of a feature extension, if the client has named it.
    pub fn feature(&self, id: u8) -> Option<&[u8]> {
        self.features.iter().find(|f| f.id == id).map(|f| f.data.as_slice())
    }

    /// Reads a message.
    ///
    /// # Errors
    /// [`ProtocolError::Version`] for TDS 7.0 and older, whose message has another form;
    /// [`ProtocolError::Malformed`] and [`ProtocolError::Truncated`] for lengths and places that
    /// cannot be. All of them end the connection.
    pub fn parse(message: &[u8]) -> Result<Login, ProtocolError> {
        let mut r = ByteReader::new(message);
        let length = r.u32()? as usize;
        let message = message.get(..length).ok_or(ProtocolError::Truncated)?;
        let mut r = ByteReader::new(message);
        r.take(4)?;
        let tds_version = r.u32()?;
        let version = TdsVersion::negotiate(tds_version)?;
        let mut login = Login {
            tds_version,
            packet_size: r.u32()?,
            client_version: r.u32()?,
            client_pid: r.u32()?,
            connection_id: r.u32()?,
            option_flags1: r.u8()?,
            option_flags2: r.u8()?,
            type_flags: r.u8()?,
            option_flags3: r.u8()?,
            time_zone: r.i32()?,
            lcid: r.u32()?,
            ..Login::default()
        };
        let place = |r: &mut ByteReader<'_>| -> Result<Place, ProtocolError> {
            Ok(Place { start: r.u16()?.into(), count: r.u16()?.into() })
        };
        login.host_name = place(&mut r)?.text(message)?;
        login.user_name = place(&mut r)?.text(message)?;
        login.password = place(&mut r)?.password(message)?;
        login.app_name = place(&mut r)?.text(message)?;
        login.server_name = place(&mut r)?.text(message)?;
        let extension = place(&mut r)?;
        login.library_name = place(&mut r)?.text(message)?;
        login.language = place(&mut r)?.text(message)?;
        login.database = place(&mut r)?.text(message)?;
        login.client_id = r.array()?;
        let mut sspi = place(&mut r)?;
        login.attach_file = place(&mut r)?.text_within(message, PATH_UNITS_MAX)?;
        if version >= TdsVersion::V7_2 {
            let new_password = place(&mut r)?;
            let sspi_long = r.u32()? as usize;
            if login.option_flags3 & option_flags3::CHANGE_PASSWORD != 0 {
                login.new_password = Some(new_password.password(message)?);
            }
            if sspi.count == usize::from(u16::MAX) && sspi_long > 0 {
                sspi.count = sspi_long;
            }
        }
        login.sspi = sspi.bytes(message)?.to_vec();
        if version >= TdsVersion::V7_4 && login.option_flags3 & option_flags3::EXTENSION != 0 {
            login.features = read_features(message, extension)?;
        }
        Ok(login)
    }

    /// The message's bytes, in the form of the version asked for.
    pub fn to_bytes(&self) -> Vec<u8> {
        let recent = self.tds_version >> 24 != 0x71;
        let fixed = if recent { FIXED_LEN } else { FIXED_LEN_7_1 };
        let mut flags3 = self.option_flags3;
        if self.new_password.is_some() {
            flags3 |= option_flags3::CHANGE_PASSWORD;
        }
        if !self.features.is_empty() {
            flags3 |= option_flags3::EXTENSION;
        }
        let mut head = Vec::with_capacity(fixed);
        head.put_u32(0);
        for number in [
            self.tds_version,
            self.packet_size,
            self.client_version,
            self.client_pid,
            self.connection_id,
        ] {
            head.put_u32(number);
        }
        head.put(&[self.option_flags1, self.option_flags2, self.type_flags, flags3]);
        head.put(&self.time_zone.to_le_bytes());
        head.put_u32(self.lcid);
        let mut tail = Tail { fixed, bytes: Vec::new() };
        tail.text(&mut head, &self.host_name);
        tail.text(&mut head, &self.user_name);
        tail.password(&mut head, &self.password);
        tail.text(&mut head, &self.app_name);
        tail.text(&mut head, &self.server_name);
        let extension_at = (!self.features.is_empty()).then_some(tail.bytes.len());
        tail.bytes(&mut head, &[0; 4][..if extension_at.is_some() { 4 } else { 0 }]);
        tail.text(&mut head, &self.library_name);
        tail.text(&mut head, &self.language);
        tail.text(&mut head, &self.database);
        head.put(&self.client_id);
        tail.bytes(&mut head, &self.sspi);
        tail.text(&mut head, &self.attach_file);
        if recent {
            tail.password(&mut head, self.new_password.as_deref().unwrap_or_default());
            head.put_u32(if self.sspi.len() >= 0xFFFF { self.sspi.len() as u32 } else { 0 });
        }
        if let Some(at) = extension_at {
            let place = (fixed + tail.bytes.len()) as u32;
            tail.bytes[at..at + 4].copy_from_slice(&place.to_le_bytes());
            write_features(&mut tail.bytes, &self.features);
        }
        head.append(&mut tail.bytes);
        let length = (head.len() as u32).to_le_bytes();
        head[..4].copy_from_slice(&length);
        head
    }
}

/// Where a part lies in the message: its first byte, and how many UTF-16 units or bytes it has.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    count: usize,
}

impl Place {
    fn bytes<'a>(&self, message: &'a [u8]) -> Result<&'a [u8], ProtocolError> {
        if self.count == 0 {
            // Where nothing lies does not matter.
            return Ok(&[]);
        }
        message.get(self.start..self.start + self.count).ok_or(ProtocolError::Truncated)
    }

    fn units<'a>(&self, message: &'a [u8], max: usize) -> Result<&'a [u8], ProtocolError> {
        if self.count > max {
            return Err(ProtocolError::Malformed("a name in the login is too long"));
        }
        Place { count: 2 * self.count, ..*self }.bytes(message)
    }

    fn text(&self, message: &[u8]) -> Result<String, ProtocolError> {
        self.text_within(message, NAME_UNITS_MAX)
    }

    fn text_within(&self, message: &[u8], max: usize) -> Result<String, ProtocolError> {
        let bytes = self.units(message, max)?;
        Ok(ByteReader::new(bytes).utf16(self.count)?.to_text())
    }

    fn password(&self, message: &[u8]) -> Result<String, ProtocolError> {
        let hidden = self.units(message, NAME_UNITS_MAX)?;
        let plain: Vec<u8> = hidden.iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
        ByteReader::new(&plain).utf16(self.count)?.to_text_strict()
    }
}

/// The variable part that is being written after `fixed` bytes.
struct Tail {
    fixed: usize,
    bytes: Vec<u8>,
}

impl Tail {
    fn place(&self, head: &mut Vec<u8>, count: usize) {
        head.put_u16((self.fixed + self.bytes.len()) as u16);
        head.put_u16(count.min(0xFFFF) as u16);
    }

    fn text(&mut self, head: &mut Vec<u8>, text: &str) {
        self.place(head, text.encode_utf16().count());
        self.bytes.put_utf16(text);
    }

    fn password(&mut self, head: &mut Vec<u8>, text: &str) {
        self.place(head, text.encode_utf16().count());
        let plain = text.encode_utf16().flat_map(u16::to_le_bytes);
        self.bytes.extend(plain.map(|byte| byte.rotate_left(4) ^ 0xA5));
    }

    fn bytes(&mut self, head: &mut Vec<u8>, bytes: &[u8]) {
        self.place(head, bytes.len());
        self.bytes.put(bytes);
    }
}

fn read_features(message: &[u8], extension: Place) -> Result<Vec<Feature>, ProtocolError> {
    let mut r = ByteReader::new(extension.bytes(message)?);
    let start = r.u32()? as usize;
    let list = message.get(start..).ok_or(ProtocolError::Truncated)?;
    read_feature_list(&mut ByteReader::new(list))
}

/// Reads features up to their end, as logins and `FEATUREEXTACK` have them.
pub(crate) fn read_feature_list(r: &mut ByteReader<'_>) -> Result<Vec<Feature>, ProtocolError> {
    let mut features = Vec::new();
    loop {
        let id = r.u8()?;
        if id == feature::TERMINATOR {
            return Ok(features);
        }
        let length = r.u32()? as usize;
        features.push(Feature { id, data: r.take(length)?.to_vec() });
    }
}

/// Writes features and their end.
pub(crate) fn write_features(out: &mut impl PutBytes, features: &[Feature]) {
    for feature in features {
        out.put_u8(feature.id);
        out.put_u32(feature.data.len() as u32);
        out.put(&feature.data);
    }
    out.put_u8(feature::TERMINATOR);
}

/// What a server acknowledges of the features that a client has asked for; the others are passed
/// over, and every client goes on without them. Session recovery is for the server to add, with
/// the session's state.
pub fn acknowledged_features(login: &Login) -> Vec<Feature> {
    let mut features = Vec::new();
    let version = classification_version(login);
    if version > 0 {
        // The second byte: switched on.
        features.push(Feature { id: feature::DATA_CLASSIFICATION, data: vec![version, 1] });
    }
    if login.feature(feature::UTF8).is_some() {
        features.push(Feature { id: feature::UTF8, data: vec![1] });
    }
    if asks_for_json(login) {
        features.push(Feature { id: feature::JSON, data: vec![1] });
    }
    features
}

/// The version of data classification that a client gets; 0 if it has not asked for any. It is
/// never above the asked one: clients break off then.
pub fn classification_version(login: &Login) -> u8 {
    let asked = login.feature(feature::DATA_CLASSIFICATION).and_then(<[u8]>::first);
    CLASSIFICATION_VERSION.min(asked.copied().unwrap_or(0))
}

/// Whether a client takes values of the type json as such, in the one version that there is.
pub fn asks_for_json(login: &Login) -> bool {
    login.feature(feature::JSON).and_then(<[u8]>::first).is_some_and(|version| *version > 0)
}

#[cfg(test)]
mod tests;
