//! The bodies of system procedures that T-SQL cannot express.

mod application_role;
mod applock;
mod arguments;
mod attach;
mod bindings;
mod changes;
mod checkpoints;
mod collection;
mod configuration;
mod contained;
mod describe;
mod directory;
mod error_log;
mod histories;
mod messages;
mod naming;
mod plans;
mod pools;
mod prewarm;
mod properties;
mod refresh;
mod row_caches;
pub(crate) mod rows;
mod sequences;
mod session;
mod triggers;

use base::SqlResult;

use crate::context::Context;
use crate::sysproc::Builtin;

pub use arguments::Arguments;

/// What a body does: the status that it returns.
type Body = fn(&mut Context<'_>, &mut Arguments<'_>) -> SqlResult<i32>;

/// Runs a body in the place of its procedure's steps: the status that it returns.
pub fn run(
    builtin: Builtin,
    context: &mut Context<'_>,
    arguments: &mut Arguments<'_>,
) -> SqlResult<i32> {
    body(builtin)(context, arguments)
}

fn body(builtin: Builtin) -> Body {
    match builtin {
        Builtin::DetachDatabase => attach::detach,
        Builtin::Recompile => plans::recompile,
        Builtin::RefreshView => refresh::view,
        Builtin::RefreshModule => refresh::module,
        Builtin::Rename => naming::rename,
        Builtin::BindDefault => bindings::bind_default,
        Builtin::BindRule => bindings::bind_rule,
        Builtin::UnbindDefault => bindings::unbind_default,
        Builtin::UnbindRule => bindings::unbind_rule,
        Builtin::AddProperty => properties::add,
        Builtin::UpdateProperty => properties::update,
        Builtin::DropProperty => properties::drop,
        Builtin::SetTriggerOrder => triggers::set_order,
        Builtin::AddMessage => messages::add,
        Builtin::DropMessage => messages::drop,
        Builtin::AcquireAppLock => applock::acquire,
        Builtin::ReleaseAppLock => applock::release,
        Builtin::SetApplicationRole => application_role::set,
        Builtin::UnsetApplicationRole => application_role::unset,
        Builtin::MigrateUser => contained::migrate,
        Builtin::SetSessionContext => session::set_context,
        Builtin::Configure => configuration::set,
        Builtin::CollectModuleStatistics => collection::modules,
        Builtin::CollectStatementStatistics => collection::statements,
        Builtin::MergeCheckpointFiles => checkpoints::merge,
        Builtin::CollectCheckpointGarbage => checkpoints::collect_garbage,
        Builtin::BindResourcePool => pools::bind,
        Builtin::UnbindResourcePool => pools::unbind,
        Builtin::ConfigureRowCaches => row_caches::configure,
        Builtin::ShowRowsInMemory => row_caches::show_rows,
        Builtin::SetDatabaseOption => row_caches::database_option,
        Builtin::ReadErrorLog => error_log::read,
        Builtin::ReadErrorLogAsAdministrator => error_log::read_as_administrator,
        Builtin::ListErrorLogs => error_log::list,
        Builtin::ListErrorLogsAsAdministrator => error_log::list_as_administrator,
        Builtin::CreateDirectory => directory::create,
        Builtin::DescribeFirstResultSet => describe::first_result_set,
        Builtin::DescribeUndeclaredParameters => describe::undeclared_parameters,
        Builtin::DescribeParameterEncryption => describe::parameter_encryption,
        Builtin::GetSequenceRange => sequences::get_range,
        Builtin::PrewarmRowCache => prewarm::prewarm,
        Builtin::CleanUpHistory => histories::clean_up,
        Builtin::CleanUpChanges => changes::clean_up,
    }
}
