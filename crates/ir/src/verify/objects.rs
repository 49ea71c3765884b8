//! Which kind of object an instruction works on.

use crate::inst::Inst;
use crate::object::{ObjId, ObjectDesc};

/// The kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Cursor,
    LocalCursor,
    Work,
    Sort,
    Hash,
    Groups,
    Set,
    Window,
    Stream,
}

pub(super) fn kind_of(object: &ObjectDesc) -> Kind {
    match object {
        ObjectDesc::Cursor(_) => Kind::Cursor,
        ObjectDesc::LocalCursor(_) => Kind::LocalCursor,
        ObjectDesc::Work(_) => Kind::Work,
        ObjectDesc::Sort(_) => Kind::Sort,
        ObjectDesc::Hash(_) => Kind::Hash,
        ObjectDesc::Groups(_) => Kind::Groups,
        ObjectDesc::Set(_) => Kind::Set,
        ObjectDesc::Window(_) => Kind::Window,
        ObjectDesc::Stream(_) => Kind::Stream,
    }
}

/// The object that an instruction works on, and the kind that it must have.
pub(super) fn object_of(inst: &Inst) -> Option<(ObjId, Kind)> {
    use Inst::*;
    Some(match *inst {
        Open { cursor } | Find { cursor, .. } | Next { cursor, .. } => (cursor, Kind::Cursor),
        LocalOpen { cursor } | LocalNext { cursor, .. } => (cursor, Kind::LocalCursor),
        FillRowset { work, .. }
        | WorkClear { work }
        | WorkPush { work, .. }
        | WorkSwap { a: work, .. }
        | WorkCount { work, .. } => (work, Kind::Work),
        SortClear { sort, .. }
        | SortPush { sort }
        | SortFinish { sort }
        | SortNext { sort, .. } => (sort, Kind::Sort),
        HashClear { hash }
        | HashPush { hash }
        | HashPushUnkeyed { hash }
        | HashProbe { hash, .. }
        | HashPutOff { hash, .. }
        | HashPartition { hash, .. }
        | HashReplay { hash, .. }
        | HashNext { hash, .. }
        | HashMark { hash }
        | HashRewind { hash }
        | HashUnmatched { hash, .. }
        | HashEmpty { hash, .. } => (hash, Kind::Hash),
        GroupClear { groups }
        | GroupFind { groups, .. }
        | GroupSame { groups, .. }
        | GroupEmpty { groups, .. }
        | GroupAdd { groups, .. }
        | GroupCount { groups, .. }
        | GroupRewind { groups }
        | GroupNext { groups, .. }
        | GroupResult { groups, .. } => (groups, Kind::Groups),
        SetClear { set } | SetAdd { set, .. } | SetNext { set, .. } => (set, Kind::Set),
        WindowClear { window }
        | WindowPush { window }
        | WindowFinish { window }
        | WindowNext { window, .. }
        | WindowResult { window, .. } => (window, Kind::Window),
        StreamOpen { stream } | StreamNext { stream, .. } => (stream, Kind::Stream),
        _ => return None,
    })
}

/// As `object_of`, for the second object of an instruction that works on two.
pub(super) fn other_object_of(inst: &Inst) -> Option<(ObjId, Kind)> {
    match *inst {
        Inst::GroupCount { cursor, .. } => Some((cursor, Kind::Cursor)),
        Inst::WorkSwap { b, .. } => Some((b, Kind::Work)),
        _ => None,
    }
}
