//! OBJECTPROPERTY, COLUMNPROPERTY, INDEXPROPERTY, TYPEPROPERTY.

use base::ids::ObjectId;
use base::types::Repr;
use base::{SqlResult, SqlType, TypeKind, ValueRef};
use engine::catalog::def::*;
use engine::catalog::{Object, Schema};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::{FnContext, SystemObject};
use ir::function::signature::Call;

use super::object::{id_argument, text_argument, type_id_of};
use super::{LONG_NAME, columns_of, current_schema, seen_indexed, seen_object, seen_table};
use crate::func::values::{optional, string, variant, variant_int};

pub(super) fn types_of_objectproperty(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::int(), &[call.int(0)?, call.name_argument(1)?]))
}

pub(super) fn types_of_objectpropertyex(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::sql_variant(), &[call.int(0)?, call.name_argument(1)?]))
}

/// The name of a property in lower case.
fn property_name(args: &[ValueRef<'_>], types: &CallTypes, at: usize) -> String {
    text_argument(args, types, at).unwrap_or_default().trim_end().to_ascii_lowercase()
}

pub(super) fn objectproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(optional(number(ctx, args, &property_name(args, types, 1))))
}

pub(super) fn objectpropertyex<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let property = property_name(args, types, 1);
    if property == "basetype" {
        let kind = id_argument(args, 0).and_then(|id| kind_of(ctx, ObjectId(id)));
        let Some(kind) = kind else { return Ok(ValueRef::Null) };
        let ty = SqlType::char(2, types.args[1].collation);
        let code = format!("{:<2}", kind.code());
        return Ok(variant(ctx.arena, &ty, string(ctx.arena, &code, &ty)));
    }
    Ok(number(ctx, args, &property).map_or(ValueRef::Null, |v| variant_int(ctx, v)))
}

fn kind_of(ctx: &FnContext<'_>, id: ObjectId) -> Option<ObjectKind> {
    if let Some(object) = ctx.facts.system_object_by_id(id) {
        return Some(object.kind);
    }
    let schema = current_schema(ctx)?;
    seen_object(ctx, &schema, id).map(|object| object.kind())
}

/// The value of a property; `None` for one that does not exist or does not fit the object.
fn number(ctx: &FnContext<'_>, args: &[ValueRef<'_>], property: &str) -> Option<i64> {
    let id = ObjectId(id_argument(args, 0)?);
    if let Some(object) = ctx.facts.system_object_by_id(id) {
        return system_object(&object, property);
    }
    let schema = current_schema(ctx)?;
    let object = seen_object(ctx, &schema, id)?;
    if let Some(is) = bindable_test(&object, property).or(kind_test(object.kind(), property)) {
        return Some(i64::from(is));
    }
    common(&schema, &object, property).or_else(|| match &object {
        Object::Table(table) => of_table(&schema, table, property),
        Object::Module(module) => of_module(&schema, module, property),
        Object::Constraint { table, header, .. } => of_constraint(table, header, property),
        _ => None,
    })
}

fn system_object(object: &SystemObject, property: &str) -> Option<i64> {
    match property {
        "ismsshipped" => Some(1),
        "schemaid" if object.schema == "sys" => Some(SchemaId::SYS.0.into()),
        "schemaid" => Some(SchemaId::INFORMATION_SCHEMA.0.into()),
        _ => kind_test(object.kind, property).map(i64::from),
    }
}

/// The properties that ask whether an object is a rule or default, and no constraint.
fn bindable_test(object: &Object<'_>, property: &str) -> Option<bool> {
    let is = matches!(object, Object::Module(module) if module.is_bindable());
    Some(match property {
        "isdefault" => is && object.kind() == ObjectKind::Default,
        "isconstraint" | "isdefaultcnst" if is => false,
        _ => return None,
    })
}

/// The properties that ask what an object is.
fn kind_test(kind: ObjectKind, property: &str) -> Option<bool> {
    use ObjectKind::*;
    Some(match property {
        "istable" => matches!(kind, Table | TypeTable),
        "isusertable" => kind == Table,
        "isview" => kind == View,
        "isprocedure" => kind == Procedure,
        "isscalarfunction" => kind == ScalarFunction,
        "isinlinefunction" => kind == InlineFunction,
        "istablefunction" => matches!(kind, InlineFunction | TableFunction),
        "istrigger" => kind == Trigger,
        "isconstraint" => kind.is_constraint(),
        "ischeckcnst" => kind == Check,
        "isdefaultcnst" => kind == Default,
        "isforeignkey" => kind == ForeignKey,
        "isprimarykey" => kind == PrimaryKey,
        "isuniquecnst" => kind == Unique,
        "isexecuted" => {
            matches!(
                kind,
                Procedure | View | ScalarFunction | InlineFunction | TableFunction | Trigger
            )
        }
        "isrule" => kind == Rule,
        "isdefault" | "isextendedproc" | "isreplproc" | "issystemtable" | "isqueue" => false,
        _ => return None,
    })
}

/// What every object has.
fn common(schema: &Schema, object: &Object<'_>, property: &str) -> Option<i64> {
    let header = match object {
        Object::Table(d) => &d.header,
        Object::Module(d) => &d.header,
        Object::Sequence(d) => &d.header,
        Object::Synonym(d) => &d.header,
        Object::SecurityPolicy(d) => &d.header,
        Object::Constraint { table, .. } => &table.header,
    };
    Some(match property {
        "schemaid" => header.schema.0.into(),
        "ownerid" => match header.owner {
            Some(owner) => owner.0.into(),
            None => schema.schemas().get(header.schema)?.owner.0.into(),
        },
        "ismsshipped" => header.ms_shipped.into(),
        _ => return None,
    })
}

fn of_table(schema: &Schema, table: &TableDef, property: &str) -> Option<i64> {
    if let Some(count) = trigger_property(schema, &table.triggers, property) {
        return Some(count);
    }
    if property == "tabletemporaltype" {
        return Some(table.temporal_type().code().into());
    }
    let any = |kind: ObjectKind| table.constraints().any(|(own, _)| own == kind);
    let column = |test: fn(&ColumnDef) -> bool| table.columns.iter().any(test);
    Some(i64::from(match property {
        "isansinullson" => table.ansi_nulls,
        "isquotedidenton" => table.quoted_identifier,
        "isindexed" | "tablehasindex" => !table.indexes.is_empty(),
        "isindexable" => true,
        "isschemabound" => false,
        "tablehascheckcnst" => any(ObjectKind::Check),
        "tablehasclustindex" => table.clustered_index().is_some(),
        "tablehasdefaultcnst" => any(ObjectKind::Default),
        "tablehasforeignkey" => any(ObjectKind::ForeignKey),
        "tablehasforeignref" => !table.referenced_by.is_empty(),
        "tablehasidentity" => table.identity_column().is_some(),
        "tablehasnonclustindex" => table.indexes.iter().any(|i| i.kind != IndexKind::Clustered),
        "tablehasprimarykey" => any(ObjectKind::PrimaryKey),
        "tablehasuniquecnst" => any(ObjectKind::Unique),
        "tablehasrowguidcol" => column(|c| c.rowguidcol),
        "tablehastextimage" => column(|c| c.ty.kind.is_legacy_lob()),
        "tablehastimestamp" => column(|c| c.ty.kind == TypeKind::RowVersion),
        "tableismemoryoptimized" => table.kind.is_memory_optimized(),
        "tablehasactivefulltextindex"
        | "tablehascolumnset"
        | "tablehasvardecimalstorageformat"
        | "tableisfake"
        | "tableislockedonbulkload"
        | "tableispinned"
        | "tabletextinrowlimit"
        | "tablefulltextcatalogid" => false,
        _ => return None,
    }))
}

/// How many triggers of a kind there are, and whether there are any.
fn trigger_property(schema: &Schema, triggers: &[ObjectId], property: &str) -> Option<i64> {
    let defs = || triggers.iter().filter_map(|id| schema.module(*id)?.trigger());
    let fires = |t: &TriggerDef, kind| t.events.iter().any(|e| e.kind == kind);
    let count = |kind| defs().filter(|t| fires(t, kind)).count() as i64;
    let short = property.strip_prefix("table").unwrap_or(property);
    Some(match short {
        "deletetriggercount" => count(TriggerEventKind::Delete),
        "inserttriggercount" => count(TriggerEventKind::Insert),
        "updatetriggercount" => count(TriggerEventKind::Update),
        "hasdeletetrigger" => i64::from(count(TriggerEventKind::Delete) > 0),
        "hasinserttrigger" => i64::from(count(TriggerEventKind::Insert) > 0),
        "hasupdatetrigger" => i64::from(count(TriggerEventKind::Update) > 0),
        "hasaftertrigger" => i64::from(defs().any(|t| !t.instead_of)),
        "hasinsteadoftrigger" => i64::from(defs().any(|t| t.instead_of)),
        _ => return None,
    })
}

fn of_module(schema: &Schema, module: &ModuleDef, property: &str) -> Option<i64> {
    if let Some(trigger) = module.trigger() {
        if let Some(value) = of_trigger(trigger, property) {
            return Some(i64::from(value));
        }
    }
    if let Some(count) = trigger_property(schema, &module.triggers, property) {
        return Some(count);
    }
    let is_view = module.object_kind() == ObjectKind::View;
    Some(i64::from(match property {
        "isansinullson" | "execisansinullson" => module.uses_ansi_nulls,
        "isquotedidenton" | "execisquotedidenton" => module.uses_quoted_identifier,
        "isschemabound" => module.schema_bound,
        "isencrypted" => module.encrypted,
        "execiswithnativecompilation" => module.native,
        "execisstartup" => matches!(module.kind, ModuleKind::Procedure { auto_executed: true }),
        "isindexed" | "isindexable" if is_view => {
            let rows = module.rows.and_then(|rows| schema.table(rows));
            rows.is_some_and(|rows| rows.clustered_index().is_some())
        }
        "isdeterministic" | "issystemverified" if is_view => false,
        "isdeterministic" | "issystemverified" if module.trigger().is_none() => false,
        _ => return None,
    }))
}

fn of_trigger(trigger: &TriggerDef, property: &str) -> Option<bool> {
    let fires = |kind| trigger.events.iter().any(|e| e.kind == kind);
    let event = |kind| trigger.events.iter().find(|e| e.kind == kind);
    Some(match property {
        "execisaftertrigger" => !trigger.instead_of,
        "execisinsteadoftrigger" => trigger.instead_of,
        "execisdeletetrigger" => fires(TriggerEventKind::Delete),
        "execisinserttrigger" => fires(TriggerEventKind::Insert),
        "execisupdatetrigger" => fires(TriggerEventKind::Update),
        "execisfirstdeletetrigger" => event(TriggerEventKind::Delete).is_some_and(|e| e.first),
        "execisfirstinserttrigger" => event(TriggerEventKind::Insert).is_some_and(|e| e.first),
        "execisfirstupdatetrigger" => event(TriggerEventKind::Update).is_some_and(|e| e.first),
        "execislastdeletetrigger" => event(TriggerEventKind::Delete).is_some_and(|e| e.last),
        "execislastinserttrigger" => event(TriggerEventKind::Insert).is_some_and(|e| e.last),
        "execislastupdatetrigger" => event(TriggerEventKind::Update).is_some_and(|e| e.last),
        "execistriggerdisabled" => trigger.disabled,
        "execistriggernotforrepl" => trigger.not_for_replication,
        _ => return None,
    })
}

fn of_constraint(table: &TableDef, header: &ConstraintHeader, property: &str) -> Option<i64> {
    let id = header.id;
    let check = table.checks.iter().find(|c| c.header.id == id);
    let foreign = table.foreign_keys.iter().find(|f| f.header.id == id);
    let key =
        table.indexes.iter().find(|i| i.constraint.as_ref().is_some_and(|c| c.header.id == id));
    let default =
        table.columns.iter().any(|c| c.default.as_ref().is_some_and(|d| d.header.id == id));
    let either = |of_check: fn(&CheckDef) -> bool, of_key: fn(&ForeignKeyDef) -> bool| {
        check.map(of_check).or(foreign.map(of_key)).unwrap_or(false)
    };
    let value = match property {
        "cnstiscolumn" => default || check.is_some_and(|c| c.column.is_some()),
        "cnstisclustkey" => key.is_some_and(|k| k.kind == IndexKind::Clustered),
        "cnstisnonclustkey" => key.is_some_and(|k| k.kind != IndexKind::Clustered),
        "cnstisdisabled" => either(|c| c.disabled, |f| f.disabled),
        "cnstisnottrusted" => either(|c| c.not_trusted, |f| f.not_trusted),
        "cnstisnotrepl" => either(|c| c.not_for_replication, |f| f.not_for_replication),
        "cnstisdeletecascade" => foreign.is_some_and(|f| f.on_delete == ReferentialAction::Cascade),
        "cnstisupdatecascade" => foreign.is_some_and(|f| f.on_update == ReferentialAction::Cascade),
        _ => return None,
    };
    Some(i64::from(value))
}

/// An id, a name and the name of a property.
pub(super) fn types_of_columnproperty(call: &Call<'_>) -> SqlResult<Inferred> {
    let args = [call.int(0)?, call.unicode(1, LONG_NAME)?, call.name_argument(2)?];
    Ok(call.types(SqlType::int(), &args))
}

pub(super) fn columnproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let property = property_name(args, types, 2);
    let value = text_argument(args, types, 1).and_then(|name| {
        let schema = current_schema(ctx)?;
        let object = seen_object(ctx, &schema, ObjectId(id_argument(args, 0)?))?;
        if let Some(columns) = columns_of(&object) {
            let column = columns.iter().find(|c| schema.same_name(&c.name, &name))?;
            return of_column(&object, column, &property);
        }
        let Object::Module(module) = &object else { return None };
        let at = module.parameters.iter().position(|p| schema.same_name(&p.name, &name))?;
        of_parameter(&module.parameters[at], at, &property)
    });
    Ok(optional(value))
}

/// Properties that follow from a type.
fn of_type(ty: &SqlType, property: &str) -> Option<i64> {
    let is_string = matches!(ty.kind.repr(), Repr::Chars | Repr::Unicode | Repr::Bytes)
        && ty.kind != TypeKind::RowVersion;
    // Large types have the length that they were given before there was (max).
    const LOB_BYTES: i64 = 2_147_483_647;
    let characters = || match ty.kind {
        TypeKind::NText => LOB_BYTES / 2,
        TypeKind::Text | TypeKind::Image => LOB_BYTES,
        _ if ty.is_max() => -1,
        kind if kind.is_unicode() => i64::from(ty.length / 2),
        _ => i64::from(ty.length),
    };
    match property {
        "precision" if is_string => Some(characters()),
        "precision" => Some(ty.shown_digits().0.into()),
        "scale" if ty.kind.is_numeric() && !ty.kind.is_float() || ty.kind.is_temporal() => {
            Some(ty.scale.into())
        }
        "charmaxlen" if is_string => Some(characters()),
        "octetmaxlen" if is_string => Some(match ty.kind {
            TypeKind::NText => LOB_BYTES - 1,
            _ if ty.kind.is_legacy_lob() => LOB_BYTES,
            _ => ty.max_length().into(),
        }),
        _ => None,
    }
}

fn of_column(object: &Object<'_>, column: &ColumnDef, property: &str) -> Option<i64> {
    let of_table = matches!(object, Object::Table(_));
    if let (Object::Table(table), "generatedalwaystype") = (object, property) {
        return Some(table.generated(column.id).map_or(0, Generated::code).into());
    }
    let identity = column.identity.as_ref();
    Some(match property {
        "columnid" => column.id.0.into(),
        "allowsnull" => column.nullable.into(),
        "iscomputed" => (column.computed.is_some() && !column.column_set).into(),
        "iscolumnset" => column.column_set.into(),
        "isidentity" => identity.is_some().into(),
        "isidnotforrepl" => identity.is_some_and(|i| i.not_for_replication).into(),
        "isrowguidcol" => column.rowguidcol.into(),
        "issparse" => column.sparse.into(),
        "ishidden" => column.hidden.into(),
        "ismasked" => column.mask.is_some().into(),
        "isindexable" => (of_table && !column.ty.is_max()).into(),
        "isdeterministic" | "isprecise" => match &column.computed {
            Some(computed) => (computed.stored && computed.persisted).into(),
            None => return None,
        },
        "usesansitrim" if column.ty.kind.is_character() || column.ty.kind.is_binary() => {
            column.ansi_padded.into()
        }
        "iscursortype"
        | "generatedalwaystype"
        | "isfulltextindexed"
        | "isoutparam"
        | "isxmlindexable"
        | "fulltexttypecolumn"
        | "statisticalsemantics"
        | "systemdataaccess"
        | "userdataaccess" => 0,
        _ => return of_type(&column.declared_type(), property),
    })
}

fn of_parameter(parameter: &ParameterDef, at: usize, property: &str) -> Option<i64> {
    Some(match property {
        "columnid" => at as i64 + 1,
        "allowsnull" => parameter.nullable.into(),
        "isoutparam" => parameter.output.into(),
        "iscursortype" => parameter.cursor.into(),
        _ => return of_type(&parameter.ty, property),
    })
}

pub(super) fn indexproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let property = property_name(args, types, 2);
    let value = text_argument(args, types, 1).and_then(|name| {
        let schema = current_schema(ctx)?;
        let table = seen_indexed(ctx, &schema, ObjectId(id_argument(args, 0)?))?;
        let index = table.indexes.iter().find(|i| schema.same_name(&i.name, &name));
        let derived = table.derived_indexes.iter().find(|i| schema.same_name(&i.name, &name));
        match (index, derived) {
            (Some(index), _) => of_index(index, &property),
            (None, Some(index)) => of_derived_index(index, &property),
            (None, None) => None,
        }
    });
    Ok(optional(value))
}

fn of_index(index: &IndexDef, property: &str) -> Option<i64> {
    Some(match property {
        "indexid" => index.id.0.into(),
        "indexfillfactor" => index.fill_factor.into(),
        "isclustered" => (index.kind == IndexKind::Clustered).into(),
        "isunique" => index.unique.into(),
        "isdisabled" => index.disabled.into(),
        "ispadindex" => index.padded.into(),
        "ispagelockdisallowed" => (!index.allow_page_locks).into(),
        "isrowlockdisallowed" => (!index.allow_row_locks).into(),
        "isoptimizedforsequentialkey" => index.optimize_for_sequential_key.into(),
        "isautostatistics" | "iscolumnstore" | "isfulltextkey" | "ishypothetical"
        | "isstatistics" => 0,
        _ => return None,
    })
}

fn of_derived_index(index: &DerivedIndexDef, property: &str) -> Option<i64> {
    Some(match property {
        "indexid" => index.id.0.into(),
        "indexfillfactor" => index.fill_factor.into(),
        "isdisabled" => index.disabled.into(),
        "ispadindex" => index.padded.into(),
        "ispagelockdisallowed" => (!index.allow_page_locks).into(),
        "isrowlockdisallowed" => (!index.allow_row_locks).into(),
        "isclustered"
        | "isunique"
        | "isoptimizedforsequentialkey"
        | "isautostatistics"
        | "iscolumnstore"
        | "isfulltextkey"
        | "ishypothetical"
        | "isstatistics" => 0,
        _ => return None,
    })
}

pub(super) fn types_of_indexkey_property(call: &Call<'_>) -> SqlResult<Inferred> {
    let args = [call.int(0)?, call.int(1)?, call.int(2)?, call.name_argument(3)?];
    Ok(call.types(SqlType::int(), &args))
}

pub(super) fn indexkey_property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let property = property_name(args, types, 3);
    let value = || {
        let schema = current_schema(ctx)?;
        let table = seen_table(ctx, &schema, ObjectId(id_argument(args, 0)?))?;
        let index = table.index(IndexId(id_argument(args, 1)?))?;
        let at = usize::try_from(id_argument(args, 2)?).ok()?.checked_sub(1)?;
        let key = index.key.get(at)?;
        match property.as_str() {
            "columnid" => Some(i64::from(key.column.0)),
            "isdescending" => Some(i64::from(key.descending)),
            _ => None,
        }
    };
    Ok(optional(value()))
}

pub(super) fn typeproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let property = property_name(args, types, 1);
    let value = text_argument(args, types, 0).and_then(|name| {
        let id = type_id_of(ctx, &name)?;
        let schema = current_schema(ctx)?;
        let DescribedType { ty, nullable, owner } = describe(&schema, id)?;
        match property.as_str() {
            "allowsnull" => Some(i64::from(nullable)),
            "ownerid" => Some(i64::from(owner.0)),
            "usesansitrim" => (ty.kind.is_character() || ty.kind.is_binary()).then_some(1),
            _ => of_type(&ty, &property),
        }
    });
    Ok(optional(value))
}

struct DescribedType {
    /// The base type.
    ty: SqlType,
    /// Whether columns of the type may be NULL.
    nullable: bool,
    owner: PrincipalId,
}

fn describe(schema: &Schema, id: UserTypeId) -> Option<DescribedType> {
    let owner = PrincipalId::SYS;
    if id == UserTypeId::SYSNAME {
        let ty = SqlType::sysname(schema.collation());
        return Some(DescribedType { ty, nullable: false, owner });
    }
    if let Some(def) = schema.types().get(id) {
        let TypeDefKind::Alias { ty, nullable, .. } = def.kind else { return None };
        let owner = def.owner.or_else(|| Some(schema.schemas().get(def.schema)?.owner))?;
        return Some(DescribedType { ty, nullable, owner });
    }
    let kind = TypeKind::from_user_type_id(u8::try_from(id.0).ok()?)?;
    let mut ty = SqlType::of_kind(kind, schema.collation());
    let info = kind.info();
    if ty.declared_length().is_some() {
        ty.length = info.max_length as u16;
    }
    (ty.precision, ty.scale) = (info.precision, info.scale);
    Some(DescribedType { ty, nullable: kind != TypeKind::RowVersion, owner })
}
