//! The golden scripts with changes: tokens left out, doubled, exchanged and replaced.

use std::path::Path;

use testkit::rng::Rng;

/// What would end the test rather than test: servers that are shut down, sessions that are killed,
/// waits, databases that are taken from other sessions, and files.
const LEFT_OUT: &[&str] = &[
    "SHUTDOWN",
    "KILL",
    "WAITFOR",
    "SINGLE_USER",
    "RESTRICTED_USER",
    "OFFLINE",
    "EMERGENCY",
    "ROLLBACK IMMEDIATE",
    "BACKUP",
    "RESTORE",
    "BULK INSERT",
    "XP_CREATE_SUBDIR",
    "SP_CONFIGURE",
    "RECONFIGURE",
    "ALTER LOGIN",
    "DROP LOGIN",
    "RESOURCE",
    "READ_ONLY",
    "BUFFER POOL EXTENSION",
];

const WORDS: &[&str] = &[
    "(",
    ")",
    ",",
    ";",
    ".",
    "=",
    "*",
    "+",
    "-",
    "'",
    "[",
    "]",
    "@",
    "#t",
    "NULL",
    "0",
    "-1",
    "2147483648",
    "1e400",
    "''",
    "N'x'",
    "0x",
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "TOP",
    "(SELECT 1)",
    "AS",
    "ON",
    "JOIN",
    "CROSS",
    "APPLY",
    "OUTER",
    "UNION",
    "ALL",
    "EXCEPT",
    "INSERT",
    "INTO",
    "VALUES",
    "UPDATE",
    "SET",
    "DELETE",
    "MERGE",
    "USING",
    "WHEN",
    "MATCHED",
    "THEN",
    "OUTPUT",
    "inserted",
    "deleted",
    "CREATE",
    "ALTER",
    "DROP",
    "TABLE",
    "VIEW",
    "PROCEDURE",
    "FUNCTION",
    "TRIGGER",
    "INDEX",
    "TYPE",
    "SEQUENCE",
    "SCHEMA",
    "DEFAULT",
    "CHECK",
    "UNIQUE",
    "PRIMARY",
    "KEY",
    "IDENTITY",
    "BEGIN",
    "END",
    "TRAN",
    "COMMIT",
    "ROLLBACK",
    "SAVE",
    "TRY",
    "CATCH",
    "IF",
    "ELSE",
    "WHILE",
    "BREAK",
    "RETURN",
    "DECLARE",
    "CURSOR",
    "FETCH",
    "OPEN",
    "CLOSE",
    "EXEC",
    "WITH",
    "OVER",
    "PARTITION",
    "ROWS",
    "CASE",
    "CAST",
    "int",
    "varchar(max)",
    "decimal(38,38)",
    "COLLATE",
    "Latin1_General_BIN2",
    "LIKE",
    "IN",
    "BETWEEN",
    "EXISTS",
    "NOT",
    "AND",
    "OR",
    "IS",
    "MEMORY_OPTIMIZED",
    "SNAPSHOT",
    "NEXT",
    "VALUE",
    "FOR",
    "OFFSET",
    "@@ROWCOUNT",
    "@@TRANCOUNT",
    "GETDATE()",
    "NEWID()",
    "$action",
    "dbo",
    "sys.objects",
    "tempdb..#t",
    "t",
    "x",
];

/// The batches of each script, each as its tokens.
pub type Scripts = Vec<Vec<Vec<String>>>;

/// Reads all scripts.
pub fn scripts() -> Scripts {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sql");
    let mut paths: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    paths.iter().map(|path| batches_of(&std::fs::read_to_string(path).unwrap())).collect()
}

fn batches_of(script: &str) -> Vec<Vec<String>> {
    let mut batches = vec![String::new()];
    for line in script.lines() {
        match line.trim().eq_ignore_ascii_case("go") {
            true => batches.push(String::new()),
            false => *batches.last_mut().unwrap() += &format!("{line}\n"),
        }
    }
    batches.retain(|batch| !batch.trim().is_empty() && !batch.trim_start().starts_with(':'));
    batches.iter().map(|batch| tokens(batch)).collect()
}

/// Words, strings, single characters and the space between them; together they are the text.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else if first == '\'' {
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else {
            first.len_utf8()
        };
        tokens.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    tokens
}

/// The batches of one script, some of them changed.
pub fn batches(rng: &mut Rng, scripts: &Scripts) -> Vec<String> {
    let script = &scripts[rng.between(0, scripts.len() as u64) as usize];
    let mut batches = Vec::new();
    for batch in script {
        let mut batch = batch.clone();
        if rng.between(0, 2) == 0 {
            for _ in 0..rng.between(1, 4) {
                change(rng, &mut batch, script);
            }
        }
        let text = batch.concat();
        let upper = text.to_uppercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if !LEFT_OUT.iter().any(|word| upper.contains(word)) {
            batches.push(text);
        }
    }
    batches
}

fn place(rng: &mut Rng, tokens: &[String]) -> usize {
    rng.between(0, tokens.len() as u64) as usize
}

fn change(rng: &mut Rng, batch: &mut Vec<String>, script: &[Vec<String>]) {
    if batch.is_empty() {
        return;
    }
    let at = place(rng, batch);
    match rng.between(0, 8) {
        0 => drop(batch.remove(at)),
        1 => batch.insert(at, batch[at].clone()),
        2 => {
            let other = place(rng, batch);
            batch.swap(at, other);
        }
        3 | 4 => {
            let word = WORDS[rng.between(0, WORDS.len() as u64) as usize];
            batch[at] = format!(" {word} ");
        }
        5 => {
            let other = &script[rng.between(0, script.len() as u64) as usize];
            if !other.is_empty() {
                batch[at] = other[place(rng, other)].clone();
            }
        }
        6 => {
            let end = (at + rng.between(1, 12) as usize).min(batch.len());
            let copy = batch[at..end].to_vec();
            let to = place(rng, batch);
            batch.splice(to..to, copy);
        }
        _ => batch.truncate(at),
    }
}
