//! The configuration file: TOML, one line a setting.

use toml::de::{DeTable, DeValue};

use super::settings::Setting;
use super::{Config, ConfigError};

/// Sets what a file's text says. `name` names it in errors.
pub fn apply(config: &mut Config, name: &str, text: &str) -> Result<(), ConfigError> {
    let at = |offset: usize, reason: String| {
        let line = 1 + text[..offset.min(text.len())].matches('\n').count();
        ConfigError { place: format!("{name}, line {line}"), reason }
    };
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at(offset, error.message().to_string())
    })?;
    // In the order of the text, so that the first mistake is the one that is reported.
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let place = key.span().start;
        let setting = Setting::find(key.get_ref())
            .ok_or_else(|| at(place, format!("there is no setting '{}'", key.get_ref())))?;
        let value = as_text(value.get_ref())
            .ok_or_else(|| at(place, format!("'{}' cannot have such a value", setting.name)))?;
        (setting.set)(config, &value).map_err(|reason| at(place, reason))?;
    }
    Ok(())
}

/// A value as a flag would give it.
fn as_text(value: &DeValue<'_>) -> Option<String> {
    Some(match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', ""),
        DeValue::Boolean(true) => "true".into(),
        DeValue::Boolean(false) => "false".into(),
        DeValue::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| as_text(item.get_ref())).collect();
            items?.join(",")
        }
        _ => return None,
    })
}
