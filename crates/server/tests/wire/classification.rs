//! Sensitivity classifications of results, for clients that have asked for them.

use base::Collation;
use tds::TdsVersion;
use tds::classification::ResultClassification;
use tds::client::{Token, TokenReader};
use tds::login::Feature;
use tds::packet::PacketType;
use tds::token::{self, feature};

use crate::sql::run;
use crate::support::{Raw, TestServer, batch};

const SETUP: [&str; 9] = [
    "create table people (id int primary key, name nvarchar(50), mail varchar(100), pay money, twice as pay * 2)",
    "create table bosses (id int, boss int)",
    "insert people (id, name, mail, pay) values (1, 'Ann', 'ann@example.com', 5)",
    "insert bosses values (1, 1)",
    "add sensitivity classification to people.name with (label = 'Internal', label_id = '1', information_type = 'Name', rank = low)",
    "add sensitivity classification to people.mail with (label = 'Internal', label_id = '1', information_type = 'Contact', rank = medium)",
    "add sensitivity classification to people.pay with (label = 'Secret', rank = high)",
    "create view v as select id, mail as address from people",
    "create procedure p as select p.name from people p join bosses b on b.boss = p.id",
];

/// A client with a version of the feature, in a database of its own with classified columns.
fn asking(server: &TestServer, version: u8) -> Raw {
    let mut sa = server.connect();
    let database = format!("classified{version}");
    run(&mut sa, &format!("create database {database}"));
    run(&mut sa, &format!("use {database}"));
    SETUP.iter().for_each(|text| run(&mut sa, text));
    let features = vec![Feature { id: feature::DATA_CLASSIFICATION, data: vec![version] }];
    let (mut raw, answer) = Raw::login_asking_for(server.address(), features);
    let got = version.min(2);
    let acknowledged =
        [token::FEATUREEXTACK, feature::DATA_CLASSIFICATION, 2, 0, 0, 0, got, 1, 0xFF];
    assert!(answer.windows(acknowledged.len()).any(|bytes| bytes == acknowledged));
    raw.send(PacketType::SqlBatch, &batch(&format!("use {database}")));
    raw.answer().expect("an answer");
    raw
}

/// What is said about the results of a batch.
fn told(raw: &mut Raw, version: u8, text: &str) -> Vec<ResultClassification> {
    raw.send(PacketType::SqlBatch, &batch(text));
    let answer = raw.answer().expect("an answer");
    let mut reader = TokenReader::new(TdsVersion::V7_4, Collation::default());
    reader.set_classification(version);
    reader.feed(&answer);
    let mut told = Vec::new();
    let mut after_columns = false;
    while let Some(token) = reader.next().expect("an answer is made of tokens") {
        match token {
            Token::Classification(whole) => {
                assert!(after_columns, "it follows the columns");
                told.push(whole);
            }
            Token::Message(message) => assert!(!message.is_error(), "{text}: {message:?}"),
            token => after_columns = matches!(token, Token::Columns),
        }
    }
    told
}

/// The labels, types of information and ranks of each column of a result; `-` for none.
fn shown(raw: &mut Raw, text: &str) -> String {
    let told = told(raw, 2, text);
    let [whole] = &told[..] else { return format!("{} results", told.len()) };
    let name = |names: &[(String, String)], at: Option<u16>| {
        at.map_or("-".to_owned(), |at| names[usize::from(at)].0.clone())
    };
    let columns = whole.columns.iter().map(|sources| {
        let sources = sources.iter().map(|source| {
            let label = name(&whole.labels, source.label);
            let kind = name(&whole.information_types, source.information_type);
            format!("{label}/{kind}/{}", source.rank.unwrap())
        });
        sources.collect::<Vec<_>>().join("+")
    });
    format!("{}: {}", whole.rank.unwrap(), columns.collect::<Vec<_>>().join(", "))
}

#[test]
fn classifications_follow_columns_to_results() {
    let server = TestServer::shared();
    let raw = &mut asking(&server, 2);
    for (text, expected) in [
        ("select id, mail from people", "20: , Internal/Contact/20"),
        ("select id from people", "0 results"),
        ("select id from people where mail > '' order by name", "0 results"),
        ("select name + mail as x from people", "20: Internal/Name/10+Internal/Contact/20"),
        ("select cast(pay as int) + 1, twice from people", "30: Secret/-/30, Secret/-/30"),
        ("select count(*), count(mail), max(name) from people", "20: , Internal/Contact/20, Internal/Name/10"),
        ("select address from v", "20: Internal/Contact/20"),
        ("select p.name, b.boss from bosses b left join people p on p.id = b.boss", "10: Internal/Name/10, "),
        ("exec p", "10: Internal/Name/10"),
        ("select (select max(pay) from people) as m", "30: Secret/-/30"),
        ("select name from people union all select mail from people", "20: Internal/Name/10+Internal/Contact/20"),
        (
            "with r as (select 1 as n, cast('' as nvarchar(100)) as x union all
             select n + 1, cast(name as nvarchar(100)) from r join people on n < 3) select n, x from r",
            "10: , Internal/Name/10",
        ),
        ("select lag(mail) over (order by id), row_number() over (order by mail) from people", "20: Internal/Contact/20, "),
        ("select name, mail from people for json path", "20: Internal/Name/10+Internal/Contact/20"),
        ("update people set pay = 6 output deleted.pay, inserted.id", "30: Secret/-/30, "),
        ("merge people as t using (select 1 as id) as s on s.id = t.id when matched then update set pay = 7 output inserted.mail;", "20: Internal/Contact/20"),
        ("select top 1 * into #copy from people select mail from #copy", "0 results"),
        ("declare c cursor for select mail from people open c fetch c close c deallocate c", "20: Internal/Contact/20"),
    ] {
        assert_eq!(shown(raw, text), expected, "{text}");
    }
    // Plans and descriptions that are kept do not outlive a classification.
    let text = "select id, mail from people";
    let change = "add sensitivity classification to people.mail with (label = 'Public')";
    assert!(told(raw, 2, change).is_empty());
    assert_eq!(shown(raw, text), "-1: , Public/-/-1");
    assert!(told(raw, 2, "drop sensitivity classification from people.mail").is_empty());
    assert_eq!(shown(raw, text), "0 results");
}

#[test]
fn older_clients_get_no_ranks_and_others_nothing() {
    let server = TestServer::shared();
    let mut raw = asking(&server, 1);
    let told_first = told(&mut raw, 1, "select mail from people");
    assert_eq!(told_first.len(), 1);
    assert_eq!((told_first[0].rank, told_first[0].columns[0][0].rank), (None, None));
    let mut plain = Raw::login_at(server.address());
    assert!(told(&mut plain, 2, "select mail from classified1.dbo.people").is_empty());
}
