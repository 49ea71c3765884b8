//! Digests of values, and unique identifiers.

use base::arithmetic::hash;
use base::collation::hash_paced;
use base::pace::STRIDE;
use base::types::Repr;
use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, variant as encoding};
use ir::function::descriptor::{CallTypes, Inferred, Placement, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::{BYTES_MAX, Call};
use md5::digest::Output;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use super::values::{bytes, text};

/// Digests and identifiers.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("CHECKSUM", (1, 254), types_of_checksum, checksum).own_nulls(),
    ScalarFunction::strict("BINARY_CHECKSUM", (1, 254), types_of_checksum, binary_checksum)
        .own_nulls(),
    ScalarFunction::strict("HASHBYTES", (2, 2), types_of_hashbytes, hashbytes),
    ScalarFunction::strict("NEWID", (0, 0), types_of_newid, newid).volatile().native(),
    SEQUENTIAL.native(),
    ScalarFunction::strict("PWDENCRYPT", (1, 1), types_of_encrypt, encrypt).volatile(),
    ScalarFunction::strict("PWDCOMPARE", (2, 3), types_of_compare, compare),
];

/// What hashes of passwords begin with: by SHA-512, and by SHA-1 in old ones. Then comes the salt.
const BY_SHA512: [u8; 2] = [2, 0];
const BY_SHA1: [u8; 2] = [1, 0];
const SALT_LEN: usize = 4;
/// The longest password, in characters.
const PASSWORD_MAX: u16 = 128;

const SEQUENTIAL: ScalarFunction = {
    let function =
        ScalarFunction::strict("NEWSEQUENTIALID", (0, 0), types_of_newid, newsequentialid);
    let mut function = function.volatile();
    function.placement = Placement::DefaultOnly;
    function
};

fn types_of_checksum(call: &Call<'_>) -> SqlResult<Inferred> {
    let refused = call.args.iter().position(|a| a.ty.kind.is_legacy_lob());
    if let Some(at) = refused {
        return Err(call.refuse(at));
    }
    if let Some(at) = call.args.iter().position(|a| a.ty.kind.is_incomparable()) {
        return Err(call.refuse(at).with_state(4));
    }
    let types: Vec<SqlType> = call.args.iter().map(|a| a.ty).collect();
    Ok(call.types(SqlType::int(), &types).not_null())
}

/// Four bits to the left, round about.
fn turn(sum: u32, value: u32) -> u32 {
    sum.rotate_left(4) ^ value
}

/// Both halves of a word in one.
fn fold(word: u64) -> u32 {
    (word >> 32) as u32 ^ word as u32
}

/// Equal values have equal sums, strings by their collation.
fn checksum<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut sum = 0;
    for (value, ty) in args.iter().zip(&types.args) {
        let own = match (*value, ty.kind.repr()) {
            (ValueRef::Null, _) => i32::MAX as u32,
            (ValueRef::Int(v), _) => small(v, ty.kind),
            (ValueRef::Chars(_) | ValueRef::Unicode(_), _) => {
                fold(hash_paced(ty.collation, *value, ctx)?)
            }
            (value, _) => fold(hash(value, ty)),
        };
        sum = turn(sum, own);
    }
    Ok(ValueRef::Int(i64::from(sum as i32)))
}

/// An integer as 32 bits.
fn small(value: i64, kind: TypeKind) -> u32 {
    if kind == TypeKind::BigInt { fold(value as u64) } else { value as u32 }
}

/// Sums over the bytes of the values, so that case and accents count; trailing blanks do not.
fn binary_checksum<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut sum = 0;
    for (value, ty) in args.iter().zip(&types.args) {
        sum = add_bytes(ctx, sum, *value, ty)?;
    }
    Ok(ValueRef::Int(i64::from(sum as i32)))
}

fn add_bytes(ctx: &FnContext<'_>, sum: u32, value: ValueRef<'_>, ty: &SqlType) -> SqlResult<u32> {
    if ty.kind.repr() == Repr::Variant {
        return match encoding::content(value) {
            Some((ty, value)) => add_bytes(ctx, sum, value, &ty),
            None => Ok(turn(sum, i32::MAX as u32)),
        };
    }
    let all = |bytes: &[u8]| {
        let mut sum = sum;
        for piece in bytes.chunks(STRIDE) {
            ctx.pace()?;
            sum = piece.iter().fold(sum, |sum, byte| turn(sum, u32::from(*byte)));
        }
        Ok::<u32, SqlError>(sum)
    };
    Ok(match value {
        ValueRef::Null => turn(sum, i32::MAX as u32),
        ValueRef::Int(v) => turn(sum, small(v, ty.kind)),
        ValueRef::Chars(b) => all(b.trim_ascii_end())?,
        ValueRef::Unicode(mut b) => {
            while let [rest @ .., b' ', 0] = b {
                b = rest;
            }
            all(b)?
        }
        ValueRef::Bytes(b) => all(b)?,
        other => turn(sum, fold(hash(other, ty))),
    })
}

fn types_of_hashbytes(call: &Call<'_>) -> SqlResult<Inferred> {
    let algorithm = call.unicode(0, 128)?;
    let input = &call.args[1];
    let ty = match input.ty.kind {
        _ if input.bare_null => return Err(call.refuse(1)),
        TypeKind::RowVersion | TypeKind::UniqueIdentifier => SqlType::varbinary(16),
        kind if kind.is_legacy_lob() => return Err(call.refuse(1)),
        kind if kind.is_character() || kind.is_binary() => input.ty,
        _ => return Err(call.refuse(1)),
    };
    Ok(call.types(SqlType::varbinary(BYTES_MAX), &[algorithm, ty]))
}

/// A digest, piece by piece.
fn digest<D: Digest>(ctx: &FnContext<'_>, input: &[u8]) -> SqlResult<Output<D>> {
    let mut state = D::new();
    for piece in input.chunks(STRIDE) {
        ctx.pace()?;
        state.update(piece);
    }
    Ok(state.finalize())
}

/// NULL for an algorithm that does not exist (the broken MD2 and MD4 among them).
fn hashbytes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let input = bytes(args[1]);
    let keep = |digest: &[u8]| ValueRef::Bytes(ctx.arena.alloc_bytes(digest));
    let algorithm = text(args[0], types.args[0].collation).to_ascii_uppercase();
    Ok(match algorithm.trim_end() {
        "MD5" => keep(&digest::<Md5>(ctx, input)?),
        "SHA" | "SHA1" => keep(&digest::<Sha1>(ctx, input)?),
        "SHA2_256" => keep(&digest::<Sha256>(ctx, input)?),
        "SHA2_512" => keep(&digest::<Sha512>(ctx, input)?),
        _ => ValueRef::Null,
    })
}

fn types_of_newid(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::uniqueidentifier(), &[]).not_null())
}

/// A random identifier (version 4).
fn newid<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut guid = [0; 16];
    ctx.facts.random_bytes(&mut guid);
    // The third group is little-endian, so that the version leads its second byte.
    guid[7] = guid[7] & 0x0F | 0x40;
    guid[8] = guid[8] & 0x3F | 0x80;
    Ok(ValueRef::Guid(guid))
}

fn newsequentialid<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Guid(ctx.facts.sequential_guid()))
}

fn types_of_encrypt(call: &Call<'_>) -> SqlResult<Inferred> {
    let password = call.unicode(0, PASSWORD_MAX)?;
    Ok(call.types(SqlType::varbinary(256), &[password]))
}

/// The hash of a password, with a salt of its own.
fn encrypt<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut salt = [0; SALT_LEN];
    ctx.facts.random_bytes(&mut salt);
    let hash = salted::<Sha512>(bytes(args[0]), &salt);
    let all = [&BY_SHA512[..], &salt, &hash].concat();
    Ok(ValueRef::Bytes(ctx.arena.alloc_bytes(&all)))
}

fn salted<D: Digest>(password: &[u8], salt: &[u8]) -> Output<D> {
    D::new().chain_update(password).chain_update(salt).finalize()
}

/// The third argument, the hash's version, is not looked at: the hash says which it is.
fn types_of_compare(call: &Call<'_>) -> SqlResult<Inferred> {
    let password = call.unicode(0, PASSWORD_MAX)?;
    if !call.args[1].bare_null && !call.kind(1).is_binary() {
        return Err(call.refuse(1));
    }
    let mut types = vec![password, SqlType::varbinary(256)];
    if call.args.len() == 3 {
        types.push(call.int(2)?);
    }
    Ok(call.types(SqlType::int(), &types))
}

/// Whether a hash is that of a password.
fn compare<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let password = bytes(args[0]);
    let parts = bytes(args[1]).split_at_checked(BY_SHA512.len());
    let is_hash = parts.and_then(|(version, rest)| {
        let (salt, hash) = rest.split_at_checked(SALT_LEN)?;
        // Old hashes have a second one behind, of the password in upper case.
        Some(match version {
            _ if version == BY_SHA512 => salted::<Sha512>(password, salt)[..] == *hash,
            _ if version == BY_SHA1 => hash.starts_with(&salted::<Sha1>(password, salt)),
            _ => false,
        })
    });
    Ok(ValueRef::Int(i64::from(is_hash.unwrap_or(false))))
}

#[cfg(test)]
mod tests;
