//! What `DONE` calls statements that change the catalog. Clients tell by it that a statement has
//! changed nothing rather than returned nothing.

use tsql::ast::{
    CreateAction, DropKind, Module, PermissionAction, RoleAction, StatementKind as Statement,
};

use crate::response::command;

/// The command of a definition; [`command::NONE`] for those without one that is known.
pub(super) fn of_definition(kind: &Statement) -> u16 {
    let altered = |action: CreateAction, create: u16, alter: u16| match action {
        CreateAction::Alter => alter,
        _ => create,
    };
    match kind {
        Statement::CreateTable(_) => 0xC6,
        Statement::AlterTable(_) => 0xD8,
        Statement::CreateIndex(_)
        | Statement::CreateXmlIndex(_)
        | Statement::CreateSpatialIndex(_) => 0xC8,
        Statement::AlterIndex(_) => 0x151,
        Statement::DropIndex(_) => 0xC9,
        Statement::DropStatistics(_) => 0x100,
        Statement::Module(module) => match &module.module {
            Module::Procedure(_) => 0xDE,
            Module::Function(_) => 0xB2,
            Module::View(_) => 0xCF,
            Module::Trigger(_) => 0xDD,
        },
        Statement::DropTrigger(_) => 0xE1,
        Statement::CreateSchema(_) => 0x14A,
        Statement::AlterSchema(_) => 0x14B,
        Statement::CreateType(_) => 0x111,
        Statement::CreateSynonym(_) => 0x148,
        Statement::CreateDatabase(_) => 0xCB,
        Statement::AlterDatabase(_) => 0xD7,
        Statement::Login(login) => altered(login.action, 0x145, 0x146),
        Statement::User(user) => altered(user.action, 0x13B, 0x13C),
        Statement::Role(role) => match role.action {
            RoleAction::Create(_) => 0x13F,
            _ => 0x140,
        },
        Statement::Permission(permission) => match permission.action {
            PermissionAction::Grant => 0xCD,
            PermissionAction::Deny => 0x99,
            PermissionAction::Revoke => 0xCE,
        },
        Statement::AlterAuthorization(_) => 0x18C,
        Statement::Dbcc(_) => 0xE6,
        Statement::Drop(drop) => of_drop(drop.kind),
        _ => command::NONE,
    }
}

fn of_drop(kind: DropKind) -> u16 {
    match kind {
        DropKind::Database => 0xCC,
        DropKind::Default => 0xEE,
        DropKind::Function => 0xB3,
        DropKind::Login => 0x147,
        DropKind::Procedure => 0xDF,
        DropKind::Role | DropKind::ServerRole | DropKind::ApplicationRole => 0x141,
        DropKind::Rule => 0xED,
        DropKind::Schema => 0xB0,
        DropKind::SecurityPolicy => command::NONE,
        DropKind::Sequence => command::NONE,
        DropKind::Synonym => 0x149,
        DropKind::Table => 0xC7,
        DropKind::Type => 0x110,
        DropKind::User => 0x13D,
        DropKind::View => 0xD0,
        DropKind::XmlSchemaCollection => command::NONE,
    }
}
