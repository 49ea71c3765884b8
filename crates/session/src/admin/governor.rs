//! `CREATE`, `ALTER` and `DROP RESOURCE POOL`, `ALTER RESOURCE GOVERNOR`.

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::{Permission, ResourcePoolDef};
use engine::catalog::{Definition, DefinitionKey};
use tsql::ast::{CreateAction, DatabaseOption, OptionValue, ResourceGovernor};

use crate::context::Context;
use crate::fault::Run;

type Shown<'a> = &'a dyn std::fmt::Display;

impl Context<'_> {
    /// A statement of the resource governor. Error 10901 without the permission.
    pub(crate) fn govern(&mut self, statement: &ResourceGovernor) -> Run<()> {
        if !self.login_may(Permission::AlterServerState) {
            return Err(SqlError::new(&message::RESOURCE_GOVERNOR_PERMISSION, &[]).into());
        }
        self.refuse_in_transaction("ALTER RESOURCE GOVERNOR")?;
        let unknown = |what: &str| Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into());
        match statement {
            ResourceGovernor::Pool { external: true, .. }
            | ResourceGovernor::DropPool { external: true, .. } => {
                unknown("EXTERNAL RESOURCE POOL")
            }
            ResourceGovernor::Pool { action, name, options, .. } => {
                self.put_pool(*action, &name.name, options)
            }
            ResourceGovernor::DropPool { name, .. } => self.drop_pool(&name.name),
            ResourceGovernor::Group { .. } | ResourceGovernor::DropGroup(_) => {
                unknown("WORKLOAD GROUP")
            }
            ResourceGovernor::Reconfigure => self.reconfigure_pools(true),
            ResourceGovernor::Disable => self.reconfigure_pools(false),
            ResourceGovernor::ResetStatistics => Ok(()),
            ResourceGovernor::Set(options) => {
                // No function classifies sessions.
                let is_none = |option: &DatabaseOption| {
                    &*option.name == "CLASSIFIER_FUNCTION"
                        && matches!(option.value, OptionValue::None)
                };
                match options.iter().all(is_none) {
                    true => Ok(()),
                    false => unknown("CLASSIFIER_FUNCTION"),
                }
            }
        }
    }

    /// Makes or changes a resource pool. Errors 10907, 10911, 10912, 10918.
    fn put_pool(
        &mut self,
        action: CreateAction,
        name: &str,
        options: &[DatabaseOption],
    ) -> Run<()> {
        let instance = self.instance();
        let pools = instance.resource_pools();
        let found = pools.iter().find(|pool| pool.name.eq_ignore_ascii_case(name));
        let mut pool = match (action, found) {
            (CreateAction::Create, Some(_)) => {
                let args: [Shown; 2] = [&"resource pool", &name];
                return Err(SqlError::new(&message::RESOURCE_EXISTS, &args).into());
            }
            (CreateAction::Create, None) => {
                let last = pools.last().map_or(0, |pool| pool.id);
                ResourcePoolDef::new((last + 1).max(ResourcePoolDef::FIRST), name)
            }
            (_, Some(pool)) if pool.id == ResourcePoolDef::INTERNAL => {
                return Err(
                    SqlError::new(&message::RESOURCE_PREDEFINED, &[&"resource pool"]).into()
                );
            }
            (_, Some(pool)) => ResourcePoolDef::clone(pool),
            (_, None) => {
                return Err(SqlError::new(&message::RESOURCE_POOL_MISSING, &[&name]).into());
            }
        };
        options.iter().try_for_each(|option| set(&mut pool, option))?;
        let pairs = [
            ("MIN_CPU_PERCENT", pool.cpu_min, "MAX_CPU_PERCENT", pool.cpu_max),
            ("MIN_MEMORY_PERCENT", pool.memory_min, "MAX_MEMORY_PERCENT", pool.memory_max),
        ];
        for (min_name, min, max_name, max) in pairs {
            if min > max {
                let args: [Shown; 4] = [&min_name, &min, &max_name, &max];
                return Err(SqlError::new(&message::RESOURCE_VALUE_ABOVE, &args).into());
            }
        }
        self.change_pools(vec![pool], None)
    }

    /// Errors 10911, 10912, and 10916 for a pool that databases are bound to.
    fn drop_pool(&mut self, name: &str) -> Run<()> {
        let instance = self.instance();
        let pools = instance.resource_pools();
        let Some(pool) = pools.iter().find(|pool| pool.name.eq_ignore_ascii_case(name)) else {
            return Err(SqlError::new(&message::RESOURCE_POOL_MISSING, &[&name]).into());
        };
        if pool.id < ResourcePoolDef::FIRST {
            return Err(SqlError::new(&message::RESOURCE_PREDEFINED, &[&"resource pool"]).into());
        }
        let master = self.schema(DbId::MASTER)?;
        let databases = master.server().databases();
        if let Some(bound) = databases.iter().find(|def| def.options.resource_pool == pool.id) {
            // SQL Server's words are about workload groups, which is what it knows of.
            let text = format!(
                "Cannot drop resource pool '{}' because database '{}' is bound to it.",
                pool.name, bound.name
            );
            return Err(SqlError::custom(10916, 16, 1, text).into());
        }
        self.change_pools(Vec::new(), Some(pool.id))
    }

    /// What was configured takes effect, or nothing does any more.
    fn reconfigure_pools(&mut self, active: bool) -> Run<()> {
        let pools = self.instance().resource_pools();
        let changed =
            pools.iter().filter(|pool| pool.id != ResourcePoolDef::INTERNAL).map(|pool| {
                let memory_in_use = if active { pool.memory_max } else { pool.memory_in_use };
                ResourcePoolDef { active, memory_in_use, ..ResourcePoolDef::clone(pool) }
            });
        self.change_pools(changed.collect(), None)
    }

    fn change_pools(&mut self, put: Vec<ResourcePoolDef>, drop: Option<i32>) -> Run<()> {
        self.definition(|context| {
            context.lock_edit(DbId::MASTER)?;
            for pool in &put {
                context.change(DbId::MASTER, |task, part, edit| {
                    edit.put(task, part, Definition::ResourcePool(pool.clone().into()))
                })?;
            }
            if let Some(id) = drop {
                context.change(DbId::MASTER, |task, part, edit| {
                    edit.drop(task, part, DefinitionKey::ResourcePool(id))
                })?;
            }
            Ok(())
        })?;
        self.instance().govern();
        Ok(())
    }
}

/// Sets one option of a pool. Error 102 for others and for what is not a share.
fn set(pool: &mut ResourcePoolDef, option: &DatabaseOption) -> Result<(), SqlError> {
    let wrong = || SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&option.name]);
    let (target, range) = match &*option.name {
        "MIN_CPU_PERCENT" => (&mut pool.cpu_min, 0..=100),
        "MAX_CPU_PERCENT" => (&mut pool.cpu_max, 1..=100),
        "CAP_CPU_PERCENT" => (&mut pool.cpu_cap, 1..=100),
        "MIN_MEMORY_PERCENT" => (&mut pool.memory_min, 0..=100),
        "MAX_MEMORY_PERCENT" => (&mut pool.memory_max, 1..=100),
        "MIN_IOPS_PER_VOLUME" => (&mut pool.iops_min, 0..=i32::MAX),
        "MAX_IOPS_PER_VOLUME" => (&mut pool.iops_max, 0..=i32::MAX),
        // Threads are not tied to processors.
        "AFFINITY SCHEDULER" | "AFFINITY NUMANODE" => return Ok(()),
        _ => return Err(wrong()),
    };
    let OptionValue::Number(number, None) = &option.value else { return Err(wrong()) };
    *target = number.parse().ok().filter(|value| range.contains(value)).ok_or_else(wrong)?;
    Ok(())
}
