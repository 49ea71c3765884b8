//! The procedures for texts, handles, cursors and XML documents, which have no definition in T-SQL.

/// The procedures that run a text, prepare one, or run one by its handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextProcedure {
    ExecuteSql,
    Prepare,
    Execute,
    PrepExec,
    PrepExecRpc,
    Unprepare,
}

impl TextProcedure {
    const ALL: [(&'static str, TextProcedure); 6] = [
        ("sp_executesql", TextProcedure::ExecuteSql),
        ("sp_prepare", TextProcedure::Prepare),
        ("sp_execute", TextProcedure::Execute),
        ("sp_prepexec", TextProcedure::PrepExec),
        ("sp_prepexecrpc", TextProcedure::PrepExecRpc),
        ("sp_unprepare", TextProcedure::Unprepare),
    ];

    /// The procedure of a name, in any case.
    pub fn find(name: &str) -> Option<TextProcedure> {
        Self::ALL.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, found)| found)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }
}

/// The procedures that prepare XML documents for OPENXML.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum XmlProcedure {
    Prepare,
    Remove,
}

impl XmlProcedure {
    const ALL: [(&'static str, XmlProcedure); 2] = [
        ("sp_xml_preparedocument", XmlProcedure::Prepare),
        ("sp_xml_removedocument", XmlProcedure::Remove),
    ];

    /// The procedure of a name, in any case.
    pub fn find(name: &str) -> Option<XmlProcedure> {
        Self::ALL.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, found)| found)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }
}

/// The procedures by which clients use cursors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CursorProcedure {
    Open,
    Prepare,
    Execute,
    PrepExec,
    Unprepare,
    Fetch,
    Option,
    Close,
    Cursor,
}

impl CursorProcedure {
    const ALL: [(&'static str, CursorProcedure); 9] = [
        ("sp_cursoropen", CursorProcedure::Open),
        ("sp_cursorprepare", CursorProcedure::Prepare),
        ("sp_cursorexecute", CursorProcedure::Execute),
        ("sp_cursorprepexec", CursorProcedure::PrepExec),
        ("sp_cursorunprepare", CursorProcedure::Unprepare),
        ("sp_cursorfetch", CursorProcedure::Fetch),
        ("sp_cursoroption", CursorProcedure::Option),
        ("sp_cursorclose", CursorProcedure::Close),
        ("sp_cursor", CursorProcedure::Cursor),
    ];

    /// The procedure of a name, in any case.
    pub fn find(name: &str) -> Option<CursorProcedure> {
        Self::ALL.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, found)| found)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }
}
