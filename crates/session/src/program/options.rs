//! The options that binding depends on.

use ::compile::bind::BindOptions;

use super::ProgramKind;
use crate::options::CompileOptions;

/// The options for binding, from those of the session.
pub(crate) fn bind_options(options: CompileOptions, kind: ProgramKind) -> BindOptions {
    BindOptions {
        ansi_nulls: options.ansi_nulls(),
        quoted_identifier: options.quoted_identifier(),
        ansi_warnings: options.ansi_warnings(),
        ansi_padding: options.ansi_padding(),
        arithabort: options.arithabort(),
        concat_null_yields_null: options.concat_null_yields_null(),
        numeric_roundabort: options.numeric_roundabort(),
        force_plan: options.force_plan(),
        sees_all_rows: options.sees_all_rows(),
        in_function: kind.is_function(),
        ..BindOptions::default()
    }
}
