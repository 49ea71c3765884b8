//! Calls of procedures, from the wire's form to the session's.

use base::value::Variant;
use base::{Collation, SqlType, Value, variant};
use session::request::{RpcArg, RpcCall, RpcProcedure, RpcValue, TableValue};
use tds::ProtocolError;
use tds::server::rpc::{self, ProcedureRef, RpcError, RpcParameter};
use tds::server::{RpcReader, TableParameter};
use tds::value::Datum;

/// A call, and what its place in the message means for it.
pub struct ReceivedCall {
    /// The call.
    pub call: RpcCall,
    /// Another one follows.
    pub is_followed: bool,
    /// The client knows the columns of its results.
    pub no_metadata: bool,
    /// It is to be parsed and not to be executed.
    pub no_execute: bool,
}

/// The next call of a message, owned.
///
/// # Errors
/// Those of [`RpcReader::next_call`], and values that are none of their type.
pub fn next_call(reader: &mut RpcReader<'_>) -> Result<Option<ReceivedCall>, RpcError> {
    let Some(call) = reader.next_call()? else { return Ok(None) };
    let rpc::RpcCall { procedure, parameters, with_recompile, .. } = call;
    let (is_followed, no_metadata, no_execute) =
        (call.is_followed, call.no_metadata, call.no_execute);
    let procedure = match procedure {
        ProcedureRef::Id(id) => RpcProcedure::Id(id as u16),
        ProcedureRef::Name(name) => RpcProcedure::Name(name.to_text()),
    };
    let place = |(place, parameter): (usize, RpcParameter<'_>)| {
        let name = parameter.name;
        argument(parameter)
            .map_err(|error| RpcError { error, parameter: Some((place + 1, name.to_text())) })
    };
    let mut args = Vec::with_capacity(parameters.len());
    for parameter in parameters.into_iter().enumerate() {
        args.push(place(parameter)?);
    }
    let call = RpcCall { procedure, args, recompile: with_recompile };
    Ok(Some(ReceivedCall { call, is_followed, no_metadata, no_execute }))
}

fn argument(parameter: RpcParameter<'_>) -> Result<RpcArg, ProtocolError> {
    let mut name = parameter.name.to_text();
    // Some clients leave the sign out.
    if !name.is_empty() && !name.starts_with('@') {
        name.insert(0, '@');
    }
    let (ty, value) = match parameter.value {
        rpc::RpcValue::Scalar(ty, datum) => (ty, RpcValue::Scalar(owned(datum))),
        rpc::RpcValue::Table(table) => (SqlType::int(), RpcValue::Table(table_value(&table)?)),
    };
    let value = if parameter.is_default { RpcValue::Default } else { value };
    Ok(RpcArg { name, ty, value, output: parameter.by_reference })
}

/// A value to keep; variants in their encoded form.
fn owned(datum: Datum<'_>) -> Value {
    match datum.into_value() {
        Value::Variant(variant) => encoded(&variant),
        value => value,
    }
}

/// A variant in its encoded form.
pub fn encoded(value: &Variant) -> Value {
    let mut bytes = Vec::new();
    variant::encode_variant(&value.ty, value.value.as_ref(), &mut bytes);
    Value::Bytes(bytes.into())
}

fn table_value(table: &TableParameter<'_>) -> Result<TableValue, ProtocolError> {
    let columns: Vec<_> = table.columns.iter().map(|c| (c.ty, c.is_default)).collect();
    let order = column_order(table)?;
    let mut rows = Vec::new();
    let (mut source, mut values) = (table.rows(), Vec::new());
    while source.next_into(&mut values)? {
        let mut row: Vec<Value> = values.drain(..).map(owned).collect();
        if let Some(order) = &order {
            row = order.iter().map(|from| std::mem::take(&mut row[*from])).collect();
        }
        rows.push(row);
    }
    let columns = match order {
        Some(order) => order.iter().map(|from| columns[*from]).collect(),
        None => columns,
    };
    Ok(TableValue {
        schema: table.schema.to_text(),
        name: table.type_name.to_text(),
        columns,
        rows,
    })
}

/// For each column of the type, which of those sent it is; nothing if they are in order.
fn column_order(table: &TableParameter<'_>) -> Result<Option<Vec<usize>>, ProtocolError> {
    if table.column_ordering.is_empty() {
        return Ok(None);
    }
    const WRONG: ProtocolError = ProtocolError::Malformed("the order of columns is none");
    if table.column_ordering.len() != table.columns.len() {
        return Err(WRONG);
    }
    let mut order = vec![usize::MAX; table.columns.len()];
    for (sent, of_type) in table.column_ordering.iter().enumerate() {
        let place = usize::from(*of_type).checked_sub(1).and_then(|at| order.get_mut(at));
        match place {
            Some(place) if *place == usize::MAX => *place = sent,
            _ => return Err(WRONG),
        }
    }
    Ok(Some(order))
}

/// The collation that stands for unknown ones.
pub fn unknown_collation() -> Collation {
    Collation::default()
}
