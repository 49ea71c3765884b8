use super::*;

/// What `@@OPTIONS` shows for these.
fn odbc() -> Options {
    Options::at_login(ClientKind::Odbc, &US_ENGLISH)
}

#[test]
fn logins_start_with_the_defaults_of_their_library() {
    let s = odbc().settings;
    assert!(s.ansi_nulls && s.ansi_warnings && s.ansi_padding && s.quoted_identifier);
    assert!(s.ansi_null_default_on && !s.arithabort && !s.implicit_transactions);
    let s = Options::at_login(ClientKind::DbLibrary, &US_ENGLISH).settings;
    assert!(!s.ansi_nulls && !s.ansi_warnings && !s.quoted_identifier);
    assert!(!s.ansi_null_default_on && !s.concat_null_yields_null);
}

#[test]
fn what_is_not_set_is_the_databases() {
    let on = DatabaseOptions {
        ansi_nulls: true,
        quoted_identifier: true,
        concat_null_yields_null: true,
        arithabort: true,
        ..DatabaseOptions::default()
    };
    let mut options = Options::at_login(ClientKind::DbLibrary, &US_ENGLISH);
    options.switch(SwitchOption::QuotedIdentifier, false);
    options.inherit(&on);
    let s = options.settings;
    assert!(s.ansi_nulls && s.concat_null_yields_null && s.arithabort);
    assert!(!s.quoted_identifier && !s.ansi_warnings && !s.numeric_roundabort);
    options.inherit(&DatabaseOptions::default());
    assert!(!options.settings.ansi_nulls && !options.settings.arithabort);
    options.switch(SwitchOption::AnsiDefaults, true);
    options.inherit(&DatabaseOptions::default());
    assert!(options.settings.ansi_nulls && options.settings.quoted_identifier);
    // A login of ODBC sets what is ANSI, and not the rest.
    let mut options = odbc();
    options.inherit(&on);
    assert!(options.settings.ansi_warnings && options.settings.arithabort);
}

#[test]
fn the_two_null_defaults_exclude_each_other() {
    let mut options = odbc();
    options.switch(SwitchOption::AnsiNullDfltOff, true);
    assert!(!options.settings.ansi_null_default_on);
    options.switch(SwitchOption::AnsiNullDfltOn, true);
    assert!(!options.settings.ansi_null_default_off);
}

#[test]
fn what_a_plan_depends_on_has_different_keys() {
    let base = odbc();
    let mut keys = vec![base.compile().key()];
    let switches = [
        (SwitchOption::QuotedIdentifier, false),
        (SwitchOption::AnsiNulls, false),
        (SwitchOption::AnsiWarnings, false),
        (SwitchOption::AnsiPadding, false),
        (SwitchOption::ConcatNullYieldsNull, false),
        (SwitchOption::ArithAbort, true),
        (SwitchOption::NumericRoundAbort, true),
    ];
    for (option, on) in switches {
        let mut changed = base.clone();
        changed.switch(option, on);
        keys.push(changed.compile().key());
    }
    let mut dmy = base.clone();
    dmy.dates.order = base::datetime::DateOrder::Dmy;
    keys.push(dmy.compile().key());
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 9);
    let module = base.compile().of_module(false, false);
    assert!(!module.ansi_nulls() && !module.quoted_identifier() && module.ansi_warnings());
}
