use super::{product_version, version_text};
use crate::func::testing::{check, check_types};

#[test]
fn version_and_edition_are_those_of_a_known_server() {
    assert_eq!(product_version(), "16.0.1000.6");
    let text = version_text("Linux (Debian)");
    assert!(text.starts_with("Microsoft SQL Server 2022 (Thermocline "), "{text}");
    assert!(text.contains(") - 16.0.1000.6 (X64)"), "{text}");
    // Some clients look for the system after this word.
    assert!(text.contains(" on Linux"), "{text}");
    check(&[
        ("@@VERSION", &[], &version_text("Linux (test)")),
        ("@@SERVERNAME", &[], "host\\one"),
        ("@@SERVICENAME", &[], "one"),
        ("@@MICROSOFTVERSION", &[], "268436456"),
        ("@@MAX_CONNECTIONS", &[], "32767"),
    ]);
    check_types(&[("@@VERSION", &[], "nvarchar(300)"), ("@@MICROSOFTVERSION", &[], "int")]);
}

#[test]
fn the_server_has_properties() {
    check(&[
        ("SERVERPROPERTY", &["'ProductVersion'"], "nvarchar(128) 16.0.1000.6"),
        ("SERVERPROPERTY", &["'productmajorversion'"], "nvarchar(128) 16"),
        ("SERVERPROPERTY", &["'ProductLevel'"], "nvarchar(128) RTM"),
        ("SERVERPROPERTY", &["'Edition'"], "nvarchar(128) Developer Edition (64-bit)"),
        ("SERVERPROPERTY", &["'EngineEdition'"], "int 3"),
        ("SERVERPROPERTY", &["'EditionID'"], "bigint -2117995310"),
        ("SERVERPROPERTY", &["'IsXTPSupported'"], "int 1"),
        ("SERVERPROPERTY", &["'IsClustered'"], "int 0"),
        ("SERVERPROPERTY", &["'ServerName'"], "nvarchar(128) host\\one"),
        ("SERVERPROPERTY", &["'MachineName'"], "nvarchar(128) host"),
        ("SERVERPROPERTY", &["'InstanceName'"], "nvarchar(128) one"),
        ("SERVERPROPERTY", &["'Collation'"], "nvarchar(128) SQL_Latin1_General_CP1_CI_AS"),
        ("SERVERPROPERTY", &["'CollationID'"], "int 872468488"),
        ("SERVERPROPERTY", &["'LCID'"], "int 1033"),
        ("SERVERPROPERTY", &["'SqlSortOrder'"], "tinyint 52"),
        ("SERVERPROPERTY", &["'InstanceDefaultDataPath'"], "nvarchar(128) /data/"),
        ("SERVERPROPERTY", &["'ProcessID'"], "int 99"),
        ("SERVERPROPERTY", &["'nonsense'"], "NULL"),
        ("SERVERPROPERTY", &["NULL"], "NULL"),
        ("FULLTEXTSERVICEPROPERTY", &["'IsFullTextInstalled'"], "0"),
    ]);
    check_types(&[("SERVERPROPERTY", &["'x'"], "sql_variant")]);
}

#[test]
fn collations_have_properties() {
    check(&[
        ("COLLATIONPROPERTY", &["'Latin1_General_CI_AS'", "'CodePage'"], "int 1252"),
        ("COLLATIONPROPERTY", &["'Latin1_General_CI_AS'", "'CollationID'"], "int 53256"),
        ("COLLATIONPROPERTY", &["'Latin1_General_CS_AS'", "'collationid'"], "int 49160"),
        ("COLLATIONPROPERTY", &["'Latin1_General_CI_AS'", "'LCID'"], "int 1033"),
        ("COLLATIONPROPERTY", &["'Latin1_General_CI_AS'", "'ComparisonStyle'"], "int 196609"),
        ("COLLATIONPROPERTY", &["'nonsense'", "'LCID'"], "NULL"),
        ("COLLATIONPROPERTY", &["'Latin1_General_CI_AS'", "'x'"], "NULL"),
    ]);
}
