//! What the server says it is.
//!
//! Clients choose by version and edition what they send, so both are those of the SQL Server whose
//! language and catalog are spoken here.

use base::ids::DbId;
use base::value::DateTime;
use base::{Collation, SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::{FnContext, ServerFacts};
use ir::function::signature::Call;

use super::values::{optional_text, string, variant, variant_int, variant_text};

/// Major, minor, build and revision of the SQL Server that this one is compatible with.
pub const VERSION: (u8, u8, u16, u16) = (16, 0, 1000, 6);

/// The edition, `SERVERPROPERTY('Edition')`.
pub const EDITION: &str = "Developer Edition (64-bit)";

/// The name by which LOGINACK and `@@VERSION` begin.
pub const PRODUCT: &str = "Microsoft SQL Server";

/// This server's own version.
pub const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Functions of the server.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::fact("@@VERSION", (0, 0), version_type, version),
    ScalarFunction::fact("@@SERVERNAME", (0, 0), sysname, server_name),
    ScalarFunction::fact("@@SERVICENAME", (0, 0), sysname, service_name),
    ScalarFunction::fact("@@MICROSOFTVERSION", (0, 0), int, microsoft_version),
    ScalarFunction::fact("@@MAX_CONNECTIONS", (0, 0), int, max_connections),
    ScalarFunction::fact("SERVERPROPERTY", (1, 1), types_of_property, property),
    ScalarFunction::fact("FULLTEXTSERVICEPROPERTY", (1, 1), types_of_fulltext, fulltext_property),
    ScalarFunction::fact("COLLATIONPROPERTY", (2, 2), types_of_collation, collation_property),
];

/// `@@MAX_CONNECTIONS`
const CONNECTIONS_MAX: i64 = 32_767;

no_arguments! {
    int: |call| SqlType::int();
    sysname: |call| SqlType::sysname(call.collation);
    version_type: |call| SqlType::nvarchar(300, call.collation);
}

/// `16.0.1000.6`
pub fn product_version() -> String {
    let (major, minor, build, revision) = VERSION;
    format!("{major}.{minor}.{build}.{revision}")
}

/// `@@VERSION`, and what sqlcmd and tools print.
pub fn version_text(operating_system: &str) -> String {
    format!(
        "{PRODUCT} 2022 (Thermocline {OWN_VERSION}) - {} (X64) \n\tThermocline contributors\n\t\
         {EDITION} on {operating_system} <X64>",
        product_version()
    )
}

fn version<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let text = version_text(&ctx.facts.server().operating_system);
    Ok(string(ctx.arena, &text, &types.result))
}

fn server_name<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(string(ctx.arena, &ctx.facts.server().name, &types.result))
}

fn service_name<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let server = ctx.facts.server();
    Ok(string(ctx.arena, server.instance.as_deref().unwrap_or("MSSQLSERVER"), &types.result))
}

/// The version in one number: major, minor and build.
fn microsoft_version<'a>(
    _: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (major, minor, build, _) = VERSION;
    Ok(ValueRef::Int(i64::from(major) << 24 | i64::from(minor) << 16 | i64::from(build)))
}

fn max_connections<'a>(
    _: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(CONNECTIONS_MAX))
}

fn types_of_property(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::sql_variant(), &[call.name_argument(0)?]))
}

/// The value of a server property.
enum Property {
    Int(i64),
    BigInt(i64),
    DateTime(DateTime),
    TinyInt(i64),
    Text(String),
}

fn property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = optional_text(args[0], &types.args[0]).unwrap_or_default().to_ascii_lowercase();
    let server = ctx.facts.server();
    let name = name.trim_end();
    let value = version_property(name)
        .or_else(|| identity_property(name, &server))
        .or_else(|| feature_property(name))
        .or_else(|| installation_property(ctx, name));
    Ok(match value {
        None => ValueRef::Null,
        Some(Property::Int(v)) => variant_int(ctx, v),
        Some(Property::BigInt(v)) => variant(ctx.arena, &SqlType::bigint(), ValueRef::Int(v)),
        Some(Property::DateTime(v)) => {
            variant(ctx.arena, &SqlType::datetime(), ValueRef::DateTime(v))
        }
        Some(Property::TinyInt(v)) => variant(ctx.arena, &SqlType::tinyint(), ValueRef::Int(v)),
        Some(Property::Text(text)) => variant_text(ctx, &text, types.args[0].collation),
    })
}

/// Properties of version and edition.
fn version_property(name: &str) -> Option<Property> {
    let (major, minor, build, _) = VERSION;
    Some(match name {
        "productversion" => Property::Text(product_version()),
        "productmajorversion" => Property::Text(major.to_string()),
        "productminorversion" => Property::Text(minor.to_string()),
        "productbuild" => Property::Text(build.to_string()),
        "productlevel" => Property::Text("RTM".into()),
        "resourceversion" => Property::Text(format!("{major}.{minor:02}.{build}")),
        "buildclrversion" => Property::Text("v4.0.30319".into()),
        "edition" => Property::Text(EDITION.into()),
        "editionid" => Property::BigInt(-2_117_995_310),
        "engineedition" => Property::Int(3),
        "licensetype" => Property::Text("DISABLED".into()),
        _ => return None,
    })
}

/// Properties of this very server: its names, places and collation.
fn identity_property(name: &str, server: &ServerFacts) -> Option<Property> {
    let collation = server.collation.info();
    Some(match name {
        "servername" => Property::Text(server.name.to_string()),
        "machinename" | "computernamephysicalnetbios" => Property::Text(server.machine.to_string()),
        "instancename" => Property::Text(server.instance.as_ref()?.to_string()),
        "processid" => Property::Int(server.process_id.into()),
        "pathseparator" => Property::Text(std::path::MAIN_SEPARATOR.to_string()),
        "instancedefaultdatapath" | "instancedefaultlogpath" => {
            Property::Text(server.data_path.to_string())
        }
        "errorlogfilename" => Property::Text(server.error_log_path.as_ref()?.to_string()),
        "instancedefaultbackuppath" => Property::Text(server.backup_path.to_string()),
        "collation" => Property::Text(collation.name.into()),
        "collationid" => Property::Int(collation_id(server.collation)?),
        "comparisonstyle" => Property::Int(collation.flags.comparison_style().into()),
        "lcid" => Property::Int(collation.lcid.into()),
        "sqlsortorder" => Property::TinyInt(collation.sort_id.into()),
        "sqlsortordername" => Property::Text(sort_order_name(collation.sort_id)?.into()),
        "sqlcharset" => Property::TinyInt(1),
        "sqlcharsetname" => Property::Text("iso_1".into()),
        "issingleuser" => Property::Int(server.is_single_user.into()),
        _ => return None,
    })
}

/// When the server's own objects were made: they come with the program, and `master` with its first
/// start.
fn installation_property(ctx: &FnContext<'_>, name: &str) -> Option<Property> {
    if name != "resourcelastupdatedatetime" {
        return None;
    }
    let master = ctx.facts.schema(DbId::MASTER)?;
    Some(Property::DateTime(master.server().database(DbId::MASTER)?.created))
}

/// What the server can do.
fn feature_property(name: &str) -> Option<Property> {
    Some(Property::Int(match name {
        "isxtpsupported" => 1,
        "isclustered"
        | "isfulltextinstalled"
        | "ishadrenabled"
        | "isintegratedsecurityonly"
        | "islocaldb"
        | "ispolybaseinstalled"
        | "isadvancedanalyticsinstalled"
        | "isbigdatacluster"
        | "isexternalauthenticationonly"
        | "isexternalgovernanceenabled"
        | "isserversuspendedforsnapshotbackup"
        | "istempdbmetadatamemoryoptimized"
        | "suspendeddatabasecount"
        | "filestreamconfiguredlevel"
        | "filestreameffectivelevel" => 0,
        _ => return None,
    }))
}

/// The name of a sort order that SQL collations have from the time before Windows ones.
fn sort_order_name(sort_id: u8) -> Option<&'static str> {
    Some(match sort_id {
        50 => "bin_iso_1",
        51 => "dictionary_iso",
        52 => "nocase_iso",
        53 => "nocasepref_iso",
        54 => "noaccents_iso",
        _ => return None,
    })
}

/// `CollationID` of a Latin collation; `None` for others.
fn collation_id(collation: Collation) -> Option<i64> {
    const LATIN: i64 = 0x8;
    const IGNORES_CASE: i64 = 0x1000;
    const IGNORES_ACCENTS: i64 = 0x2000;
    const IGNORES_KANA_AND_WIDTH: i64 = 0xC000;
    let info = collation.info();
    if info.lcid != 1033 || info.flags.is_binary() {
        return None;
    }
    let flags = [
        (info.flags.ignores_case(), IGNORES_CASE),
        (info.flags.ignores_accents(), IGNORES_ACCENTS),
        (info.flags.ignores_kana() && info.flags.ignores_width(), IGNORES_KANA_AND_WIDTH),
    ];
    let flags: i64 = flags.iter().map(|(on, bits)| if *on { *bits } else { 0 }).sum();
    Some(i64::from(info.sort_id) << 24 | flags | LATIN)
}

fn types_of_fulltext(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::int(), &[call.name_argument(0)?]))
}

/// There is no full-text search.
fn fulltext_property<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = optional_text(args[0], &types.args[0]).unwrap_or_default();
    let installed = name.trim_end().eq_ignore_ascii_case("IsFullTextInstalled");
    Ok(if installed { ValueRef::Int(0) } else { ValueRef::Null })
}

fn types_of_collation(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::sql_variant(), &[call.name_argument(0)?, call.name_argument(1)?]))
}

fn collation_property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let argument = |at: usize| optional_text(args[at], &types.args[at]).unwrap_or_default();
    let Ok(collation) = Collation::by_name(argument(0).trim_end()) else {
        return Ok(ValueRef::Null);
    };
    let info = collation.info();
    let number = match argument(1).trim_end().to_ascii_lowercase().as_str() {
        "codepage" => i64::from(info.code_page),
        "lcid" => i64::from(info.lcid),
        "comparisonstyle" => i64::from(info.flags.comparison_style()),
        "version" => i64::from(info.version),
        "tdscollation" => {
            let bytes = collation.to_tds();
            let ty = SqlType::binary(bytes.len() as u16);
            return Ok(variant(ctx.arena, &ty, ValueRef::Bytes(&bytes)));
        }
        "collationid" => match collation_id(collation) {
            Some(id) => id,
            None => return Ok(ValueRef::Null),
        },
        _ => return Ok(ValueRef::Null),
    };
    Ok(variant_int(ctx, number))
}

#[cfg(test)]
mod tests;
