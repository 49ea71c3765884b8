//! Messages inside sessions: calls, loads, tables as parameters, transaction requests and
//! attentions, some of whose fields are false.
//!
//! A message is made part by part as a client would, and each part may be false: a length, a type,
//! a precision, a count. Some are changed byte by byte as well. What the server answers does not
//! matter; but it must answer or close the connection soon after the client has closed its side.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use tds::client::request;
use tds::login::Login;
use tds::packet::PacketType;
use tds::prelogin::{Encryption, Prelogin};
use tds::writer::PutBytes;
use tds::{MessageWriter, TdsVersion};

use crate::harness::{PATIENCE, Session, Target};
use testkit::rng::Rng;

const LOGIN: &str = "fuzz";
const PASSWORD: &str = "Depth-and-Warmth-4";
const PACKET_SIZE: u16 = 4096;
const COLLATION: [u8; 5] = [0x09, 0x04, 0xD0, 0x00, 0x34];

/// What clients declare: the bytes of a type, and how its values begin.
#[derive(Clone)]
struct Declared {
    info: Vec<u8>,
    form: Form,
}

/// How a value says its length.
#[derive(Clone, Copy)]
enum Form {
    Fixed(usize),
    Byte(usize),
    Short(usize),
    Long(usize),
    Chunks,
    Nothing,
}

/// Now and then another number instead of the right one.
fn lie(rng: &mut Rng, truth: u64) -> u64 {
    const LIES: [u64; 12] =
        [0, 1, 2, 0x7F, 0x80, 0xFF, 0xFFFE, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, u64::MAX];
    match rng.between(0, 25) {
        0 => LIES[rng.between(0, LIES.len() as u64) as usize],
        1 => truth.wrapping_add(1),
        2 => truth.wrapping_sub(1),
        _ => truth,
    }
}

fn declared(rng: &mut Rng) -> Declared {
    let fixed = [
        (0x30, 1),
        (0x32, 1),
        (0x34, 2),
        (0x38, 4),
        (0x3A, 4),
        (0x3B, 4),
        (0x3C, 8),
        (0x3D, 8),
        (0x3E, 8),
        (0x7A, 4),
        (0x7F, 8),
    ];
    let sized: [(u8, &[u8]); 6] = [
        (0x26, &[1, 2, 4, 8]),
        (0x68, &[1]),
        (0x6D, &[4, 8]),
        (0x6E, &[4, 8]),
        (0x6F, &[4, 8]),
        (0x24, &[16]),
    ];
    let mut info = Vec::new();
    let form = match rng.between(0, 12) {
        0 => {
            let (token, size) = fixed[rng.between(0, fixed.len() as u64) as usize];
            info.put_u8(token);
            Form::Fixed(size)
        }
        1 | 2 => {
            let (token, sizes) = sized[rng.between(0, sized.len() as u64) as usize];
            let size = sizes[rng.between(0, sizes.len() as u64) as usize];
            info.put(&[token, lie(rng, size.into()) as u8]);
            Form::Byte(size.into())
        }
        3 => {
            let size = [5, 9, 13, 17][rng.between(0, 4) as usize];
            let token = if rng.between(0, 2) == 0 { 0x6A } else { 0x6C };
            let precision = lie(rng, 18) as u8;
            info.put(&[token, lie(rng, size) as u8, precision, lie(rng, 4) as u8]);
            Form::Byte(size as usize)
        }
        4 => {
            let (token, size) = [(0x29, 5), (0x2A, 8), (0x2B, 10)][rng.between(0, 3) as usize];
            info.put(&[token, lie(rng, 7) as u8]);
            Form::Byte(size)
        }
        5 => {
            info.put_u8(0x28);
            Form::Byte(3)
        }
        6 | 7 => {
            let token = [0xA7, 0xAF, 0xE7, 0xEF, 0xA5, 0xAD][rng.between(0, 6) as usize];
            let size = [0, 2, 20, 8000][rng.between(0, 4) as usize];
            info.put_u8(token);
            info.put_u16(lie(rng, size) as u16);
            if token != 0xA5 && token != 0xAD {
                info.put(&COLLATION);
            }
            Form::Short(size as usize)
        }
        8 => {
            let token = [0xA7, 0xE7, 0xA5][rng.between(0, 3) as usize];
            info.put_u8(token);
            info.put_u16(0xFFFF);
            if token != 0xA5 {
                info.put(&COLLATION);
            }
            Form::Chunks
        }
        9 => {
            let token = [0x23, 0x63, 0x22][rng.between(0, 3) as usize];
            info.put_u8(token);
            info.put_u32(lie(rng, 0x7FFF_FFFF) as u32);
            if token != 0x22 {
                info.put(&COLLATION);
            }
            Form::Long(30)
        }
        10 => {
            info.put_u8(0x62);
            info.put_u32(8009);
            Form::Long(10)
        }
        _ => {
            info.put_u8(if rng.between(0, 2) == 0 { 0x1F } else { rng.between(0, 256) as u8 });
            Form::Nothing
        }
    };
    Declared { info, form }
}

fn random_bytes(rng: &mut Rng, out: &mut Vec<u8>, count: usize) {
    let is_text = rng.between(0, 2) == 0;
    for at in 0..count {
        out.push(match (is_text, at % 2) {
            (true, 1) => 0,
            (true, _) => b'0' + rng.between(0, 10) as u8,
            _ => rng.between(0, 256) as u8,
        });
    }
}

fn value(rng: &mut Rng, out: &mut Vec<u8>, form: Form) {
    let is_null = rng.between(0, 8) == 0;
    match form {
        Form::Nothing => {}
        Form::Fixed(size) => random_bytes(rng, out, size),
        Form::Byte(size) => {
            let size = if is_null { 0 } else { size };
            out.put_u8(lie(rng, size as u64) as u8);
            random_bytes(rng, out, size);
        }
        Form::Short(most) => {
            let size = rng.between(0, most.min(60) as u64 + 1) as usize & !1;
            out.put_u16(if is_null { 0xFFFF } else { lie(rng, size as u64) as u16 });
            random_bytes(rng, out, if is_null { 0 } else { size });
        }
        Form::Long(most) => {
            let size = rng.between(0, most as u64 + 1) as usize & !1;
            out.put_u32(if is_null { 0xFFFF_FFFF } else { lie(rng, size as u64) as u32 });
            random_bytes(rng, out, if is_null { 0 } else { size });
        }
        Form::Chunks if is_null => out.put_u64(u64::MAX),
        Form::Chunks => {
            let chunks = rng.between(0, 4);
            let known = if rng.between(0, 2) == 0 { u64::MAX - 1 } else { lie(rng, chunks * 8) };
            out.put_u64(known);
            for _ in 0..chunks {
                out.put_u32(lie(rng, 8) as u32);
                random_bytes(rng, out, 8);
            }
            out.put_u32(0);
        }
    }
}

/// The headers of a request, outside of a transaction.
fn headers(out: &mut Vec<u8>) {
    out.put_u32(22);
    out.put_u32(18);
    out.put_u16(2);
    out.put_u64(0);
    out.put_u32(1);
}

fn parameter(rng: &mut Rng, out: &mut Vec<u8>) {
    let names = ["", "@a", "@t", "@stmt", "@handle"];
    out.put_b_varchar(names[rng.between(0, names.len() as u64) as usize]);
    out.put_u8([0, 0, 0, 1, 2, 0xFF][rng.between(0, 6) as usize]);
    if rng.between(0, 6) == 0 {
        return table(rng, out);
    }
    let declared = declared(rng);
    out.put(&declared.info);
    value(rng, out, declared.form);
}

fn table(rng: &mut Rng, out: &mut Vec<u8>) {
    out.put_u8(0xF3);
    for part in ["", "dbo", "pairs"] {
        out.put_b_varchar(part);
    }
    let columns: Vec<Declared> = (0..rng.between(0, 4)).map(|_| declared(rng)).collect();
    out.put_u16(lie(rng, columns.len() as u64) as u16);
    for column in &columns {
        out.put_u32(0);
        out.put_u16(lie(rng, 1) as u16);
        out.put(&column.info);
        out.put_b_varchar("");
    }
    if rng.between(0, 6) == 0 {
        out.put_u8(0x11);
        out.put_u16(1);
        out.put(&[0, 0, 0]);
    }
    out.put_u8(0);
    for _ in 0..rng.between(0, 4) {
        out.put_u8(1);
        columns.iter().for_each(|column| value(rng, out, column.form));
    }
    out.put_u8(lie(rng, 0) as u8);
}

/// A text as a parameter.
fn text(out: &mut Vec<u8>, text: &str) {
    out.put(&[0, 0, 0xE7]);
    out.put_u16(8000);
    out.put(&COLLATION);
    out.put_u16(2 * text.encode_utf16().count() as u16);
    out.put_utf16(text);
}

fn call(rng: &mut Rng, out: &mut Vec<u8>) {
    const STATEMENTS: [&str; 5] = [
        "SELECT @a",
        "INSERT loaded (i, v) SELECT 1, @a",
        "SELECT * FROM @t",
        "SELECT i FROM loaded ORDER BY i",
        "EXEC echo @a",
    ];
    headers(out);
    for at in 0..rng.between(1, 4) {
        if at > 0 {
            out.put_u8(if rng.between(0, 10) == 0 { 0x80 } else { 0xFF });
        }
        match rng.between(0, 4) {
            0 => out.put_us_varchar("dbo.echo"),
            _ => {
                out.put_u16(0xFFFF);
                let id = rng.between(1, 16);
                out.put_u16(lie(rng, id) as u16);
            }
        }
        out.put_u16(lie(rng, 0) as u16);
        if rng.between(0, 3) > 0 {
            text(out, STATEMENTS[rng.between(0, STATEMENTS.len() as u64) as usize]);
            text(
                out,
                ["@a int", "@a nvarchar(max)", "@t dbo.pairs READONLY", ""]
                    [rng.between(0, 4) as usize],
            );
        }
        for _ in 0..rng.between(0, 5) {
            parameter(rng, out);
        }
    }
}

fn load(rng: &mut Rng, out: &mut Vec<u8>) {
    let columns: Vec<Declared> = (0..rng.between(1, 4)).map(|_| declared(rng)).collect();
    out.put_u8(0x81);
    out.put_u16(lie(rng, columns.len() as u64) as u16);
    for column in &columns {
        out.put_u32(0);
        out.put_u16(lie(rng, 9) as u16);
        out.put(&column.info);
        out.put_b_varchar("v");
    }
    for _ in 0..rng.between(0, 5) {
        out.put_u8(lie(rng, 0xD1) as u8);
        columns.iter().for_each(|column| value(rng, out, column.form));
    }
    out.put_u8(0xFD);
    out.put(&[0; 12]);
}

fn transaction(rng: &mut Rng, out: &mut Vec<u8>) {
    headers(out);
    let kind = [0, 1, 5, 6, 7, 8, 9][rng.between(0, 7) as usize];
    out.put_u16(lie(rng, kind) as u16);
    match rng.between(0, 3) {
        0 => out.put(&[rng.between(0, 7) as u8, 0]),
        1 => out.put(&[2, b's', 0, 0]),
        _ => random_bytes(rng, out, 6),
    }
}

/// A message: its kind and content.
fn message(rng: &mut Rng) -> (PacketType, Vec<u8>) {
    let mut content = Vec::new();
    let kind = match rng.between(0, 12) {
        0..=4 => {
            call(rng, &mut content);
            PacketType::Rpc
        }
        5..=7 => {
            load(rng, &mut content);
            PacketType::BulkLoad
        }
        8 => {
            transaction(rng, &mut content);
            PacketType::TransactionManager
        }
        9 => PacketType::Attention,
        _ => {
            const BATCHES: [&str; 6] = [
                "INSERT BULK loaded (i int, v nvarchar(20))",
                "INSERT BULK loaded (v varchar(max), x varbinary(10), m money, d datetime2(7))",
                "INSERT BULK loaded (nothing int)",
                "BEGIN TRAN; SELECT * FROM loaded",
                "SELECT REPLICATE(CAST('x' AS varchar(max)), 200000)",
                "DECLARE @i int = 0; WHILE @i < 100000 SET @i += 1; SELECT @i",
            ];
            headers(&mut content);
            content.put_utf16(BATCHES[rng.between(0, BATCHES.len() as u64) as usize]);
            PacketType::SqlBatch
        }
    };
    if rng.between(0, 4) == 0 && !content.is_empty() {
        for _ in 0..rng.between(1, 4) {
            let at = rng.between(0, content.len() as u64) as usize;
            match rng.between(0, 3) {
                0 => content[at] = rng.between(0, 256) as u8,
                1 => content.insert(at, rng.between(0, 256) as u8),
                _ => content.truncate(at.max(1)),
            }
        }
    }
    (kind, content)
}

/// The packets of some messages; the packets' headers may be false as well.
fn stream(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rng.between(1, 6) {
        let (kind, content) = message(rng);
        let mut out = MessageWriter::new();
        out.begin(kind);
        out.put_long(&content);
        out.end();
        let mut packets = out.ready().to_vec();
        if rng.between(0, 20) == 0 {
            let at = rng.between(0, packets.len().min(8) as u64) as usize;
            packets[at] = rng.between(0, 256) as u8;
        }
        bytes.extend(packets);
    }
    bytes
}

/// A connection without encryption, logged in.
fn log_in(address: SocketAddr) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut out = MessageWriter::new();
    let prelogin = Prelogin { encryption: Some(Encryption::NotSupported), ..Prelogin::default() };
    request::prelogin(&mut out, &prelogin);
    stream.write_all(out.ready())?;
    read_message(&mut stream)?;
    let mut out = MessageWriter::new();
    let login = Login {
        tds_version: TdsVersion::V7_4.number(),
        packet_size: PACKET_SIZE.into(),
        option_flags2: tds::login::option_flags2::ODBC,
        user_name: LOGIN.into(),
        password: PASSWORD.into(),
        database: "fuzz".into(),
        ..Login::default()
    };
    request::login(&mut out, &login);
    stream.write_all(out.ready())?;
    let answer = read_message(&mut stream)?;
    match answer.contains(&tds::token::LOGINACK) {
        true => Ok(stream),
        false => Err(std::io::Error::other("the login was refused")),
    }
}

fn read_message(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let mut header = [0; 8];
        stream.read_exact(&mut header)?;
        let length = u16::from_be_bytes([header[2], header[3]]) as usize;
        let begin = content.len();
        content.resize(begin + length - 8, 0);
        stream.read_exact(&mut content[begin..])?;
        if header[1] & 1 != 0 {
            return Ok(content);
        }
    }
}

/// Whether an ERROR token of one of the server's own faults is in an answer.
fn admits_fault(answer: &[u8]) -> bool {
    let faults = [8624_i32, 3624].map(i32::to_le_bytes);
    let mut tokens = answer.windows(7).filter(|window| window[0] == tds::token::ERROR);
    tokens.any(|window| faults.iter().any(|fault| window[3..7] == fault[..]))
}

fn session(address: SocketAddr, session: &mut Session) -> Result<(), String> {
    let mut stream = log_in(address).map_err(|error| format!("a login: {error}"))?;
    let bytes = self::stream(&mut session.rng);
    session.note(&format!("{bytes:02x?}"));
    // A server that has closed the connection does not take the rest.
    let _ = stream.write_all(&bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => {
            Err(format!("the server neither answers nor closes: {error}"))
        }
        _ if admits_fault(&answer) => Err("the server admits a fault".into()),
        _ => Ok(()),
    }
}

#[test]
fn messages_whose_parts_lie_end_their_session_at_worst() {
    let target = Target::start("fuzz-messages", 3_000);
    let mut connection = target.connect();
    for text in [
        &format!("CREATE LOGIN {LOGIN} WITH PASSWORD = '{PASSWORD}'")[..],
        &format!("ALTER SERVER ROLE sysadmin ADD MEMBER {LOGIN}"),
        "CREATE DATABASE fuzz",
        "USE fuzz",
        "CREATE TABLE loaded (i int, v varchar(max), x varbinary(10), m money, d datetime2, g uniqueidentifier)",
        "CREATE TYPE pairs AS TABLE (a int, b nvarchar(20), c decimal(18, 4))",
        "CREATE PROCEDURE echo @a sql_variant = NULL OUTPUT AS SELECT @a",
    ] {
        target.set_up(&mut connection, text);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], target.server.port()));
    target.run(|_, own| session(address, own));
}
