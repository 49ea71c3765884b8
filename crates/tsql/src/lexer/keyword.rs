//! The words that the grammar knows: reserved ones, which no identifier may be without quotes, and
//! contextual ones, which mean something only where the grammar looks for them.

/// Declares [`Keyword`] and the list of all words, upper case, in the order of the variants.
macro_rules! keywords {
    (reserved { $($reserved:ident $reserved_text:literal)* }
     contextual { $($contextual:ident $contextual_text:literal)* }) => {
        /// A word of the grammar.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub(crate) enum Keyword {
            /// No word of the grammar.
            None,
            $($reserved,)*
            /// Divides reserved from contextual words; no word itself.
            EndOfReserved,
            $($contextual,)*
        }

        const RESERVED: &[(&str, Keyword)] = &[$(($reserved_text, Keyword::$reserved),)*];
        const CONTEXTUAL: &[(&str, Keyword)] = &[$(($contextual_text, Keyword::$contextual),)*];
    };
}

keywords! {
    reserved {
        Add "ADD" All "ALL" Alter "ALTER" And "AND" Any "ANY" As "AS" Asc "ASC"
        Authorization "AUTHORIZATION" Backup "BACKUP" Begin "BEGIN" Between "BETWEEN"
        Break "BREAK" Browse "BROWSE" Bulk "BULK" By "BY" Cascade "CASCADE" Case "CASE"
        Check "CHECK" Checkpoint "CHECKPOINT" Close "CLOSE" Clustered "CLUSTERED"
        Coalesce "COALESCE" Collate "COLLATE" Column "COLUMN" Commit "COMMIT" Compute "COMPUTE"
        Constraint "CONSTRAINT" Contains "CONTAINS" ContainsTable "CONTAINSTABLE"
        Continue "CONTINUE" Convert "CONVERT" Create "CREATE" Cross "CROSS" Current "CURRENT"
        CurrentDate "CURRENT_DATE" CurrentTime "CURRENT_TIME"
        CurrentTimestamp "CURRENT_TIMESTAMP" CurrentUser "CURRENT_USER" Cursor "CURSOR"
        Database "DATABASE" Dbcc "DBCC" Deallocate "DEALLOCATE" Declare "DECLARE"
        Default "DEFAULT" Delete "DELETE" Deny "DENY" Desc "DESC" Disk "DISK"
        Distinct "DISTINCT" Distributed "DISTRIBUTED" Double "DOUBLE" Drop "DROP" Dump "DUMP"
        Else "ELSE" End "END" ErrLvl "ERRLVL" Escape "ESCAPE" Except "EXCEPT" Exec "EXEC"
        Execute "EXECUTE" Exists "EXISTS" Exit "EXIT" External "EXTERNAL" Fetch "FETCH"
        File "FILE" FillFactor "FILLFACTOR" For "FOR" Foreign "FOREIGN" FreeText "FREETEXT"
        FreeTextTable "FREETEXTTABLE" From "FROM" Full "FULL" Function "FUNCTION" Goto "GOTO"
        Grant "GRANT" Group "GROUP" Having "HAVING" HoldLock "HOLDLOCK" Identity "IDENTITY"
        IdentityInsert "IDENTITY_INSERT" IdentityCol "IDENTITYCOL" If "IF" In "IN" Index "INDEX"
        Inner "INNER" Insert "INSERT" Intersect "INTERSECT" Into "INTO" Is "IS" Join "JOIN"
        Key "KEY" Kill "KILL" Left "LEFT" Like "LIKE" LineNo "LINENO" Load "LOAD" Merge "MERGE"
        National "NATIONAL" NoCheck "NOCHECK" NonClustered "NONCLUSTERED" Not "NOT" Null "NULL"
        NullIf "NULLIF" Of "OF" Off "OFF" Offsets "OFFSETS" On "ON" Open "OPEN"
        OpenDataSource "OPENDATASOURCE" OpenQuery "OPENQUERY" OpenRowset "OPENROWSET"
        OpenXml "OPENXML" Option "OPTION" Or "OR" Order "ORDER" Outer "OUTER" Over "OVER"
        Percent "PERCENT" Pivot "PIVOT" Plan "PLAN" Primary "PRIMARY"
        Print "PRINT" Proc "PROC" Procedure "PROCEDURE" Public "PUBLIC" RaisError "RAISERROR"
        Read "READ" ReadText "READTEXT" Reconfigure "RECONFIGURE" References "REFERENCES"
        Replication "REPLICATION" Restore "RESTORE" Restrict "RESTRICT" Return "RETURN"
        Revert "REVERT" Revoke "REVOKE" Right "RIGHT" Rollback "ROLLBACK" RowCount "ROWCOUNT"
        RowGuidCol "ROWGUIDCOL" Rule "RULE" Save "SAVE" Schema "SCHEMA"
        SecurityAudit "SECURITYAUDIT" Select "SELECT"
        SemanticKeyPhraseTable "SEMANTICKEYPHRASETABLE"
        SemanticSimilarityDetailsTable "SEMANTICSIMILARITYDETAILSTABLE"
        SemanticSimilarityTable "SEMANTICSIMILARITYTABLE" SessionUser "SESSION_USER" Set "SET"
        SetUser "SETUSER" Shutdown "SHUTDOWN" Some "SOME" Statistics "STATISTICS"
        SystemUser "SYSTEM_USER" Table "TABLE" TableSample "TABLESAMPLE" TextSize "TEXTSIZE"
        Then "THEN" To "TO" Top "TOP" Tran "TRAN" Transaction "TRANSACTION" Trigger "TRIGGER"
        Truncate "TRUNCATE" TryConvert "TRY_CONVERT" TsEqual "TSEQUAL" Union "UNION"
        Unique "UNIQUE" Unpivot "UNPIVOT" Update "UPDATE" UpdateText "UPDATETEXT" Use "USE"
        User "USER" Values "VALUES" Varying "VARYING" View "VIEW" WaitFor "WAITFOR" When "WHEN"
        Where "WHERE" While "WHILE" With "WITH" WriteText "WRITETEXT"
    }
    contextual {
        // The list of reserved words has it, but the server accepts it as a name: scripts select
        // `precision`.
        Precision "PRECISION"
        Abort "ABORT" Absolute "ABSOLUTE" Action "ACTION" After "AFTER" Always "ALWAYS"
        Application "APPLICATION" Apply "APPLY" AsymmetricKey "ASYMMETRIC" At "AT" Atomic "ATOMIC"
        Attach "ATTACH" AttachForceRebuildLog "ATTACH_FORCE_REBUILD_LOG"
        AttachRebuildLog "ATTACH_REBUILD_LOG" Auto "AUTO"
        Binary "BINARY" Both "BOTH" Buffer "BUFFER" Cache "CACHE" Call "CALL" Called "CALLED"
        Caller "CALLER" Cast "CAST" Catch "CATCH" Certificate "CERTIFICATE" Classification "CLASSIFICATION"
        ChangeTracking "CHANGE_TRACKING" Char "CHAR" Character "CHARACTER" Class "CLASS"
        Clear "CLEAR" Collection "COLLECTION" Columns "COLUMNS" Columnstore "COLUMNSTORE" Configuration "CONFIGURATION"
        Containment "CONTAINMENT" Cookie "COOKIE" Copy "COPY" Count "COUNT" Credential "CREDENTIAL"
        Cube "CUBE" Cycle "CYCLE" Data "DATA" Dateformat "DATEFORMAT" Delay "DELAY"
        DelayedDurability "DELAYED_DURABILITY" Disable "DISABLE" Enable "ENABLE"
        Encryption "ENCRYPTION" Error "ERROR" Expand "EXPAND" Extension "EXTENSION" Fast "FAST"
        FileGroup "FILEGROUP" FileListOnly "FILELISTONLY" FileStream "FILESTREAM"
        FileStreamOn "FILESTREAM_ON" First "FIRST" Fn "FN" Following "FOLLOWING" Force "FORCE"
        Forced "FORCED" ForwardOnly "FORWARD_ONLY" FullScan "FULLSCAN" Generated "GENERATED"
        Global "GLOBAL" Governor "GOVERNOR" Grouping "GROUPING" Hash "HASH" Hashed "HASHED"
        HeaderOnly "HEADERONLY" Hidden "HIDDEN" Hint "HINT" Ignore "IGNORE" Iif "IIF"
        Immediate "IMMEDIATE" Include "INCLUDE" Increment "INCREMENT" Inline "INLINE"
        Input "INPUT" Insensitive "INSENSITIVE" Instead "INSTEAD" Isolation "ISOLATION"
        Json "JSON" Keep "KEEP" KeepFixed "KEEPFIXED" Keyset "KEYSET" LabelOnly "LABELONLY"
        Language "LANGUAGE" Last "LAST" Leading "LEADING" Level "LEVEL" Local "LOCAL" Log "LOG"
        Login "LOGIN" Loop "LOOP" Mark "MARK" Masked "MASKED" Matched "MATCHED"
        MaxDop "MAXDOP" MaxValue "MAXVALUE" Member "MEMBER" MinValue "MINVALUE" Modify "MODIFY"
        Move "MOVE" MustChange "MUST_CHANGE" Name "NAME" Native "NATIVE_COMPILATION"
        NChar "NCHAR" Next "NEXT" No "NO" NoneWord "NONE" NoReset "NORESET" NoWait "NOWAIT"
        NoUnderscoreWait "NO_WAIT" Nulls "NULLS" Object "OBJECT" Offset "OFFSET" Oj "OJ"
        Online "ONLINE" Only "ONLY" OpenJson "OPENJSON" Optimistic "OPTIMISTIC"
        Optimize "OPTIMIZE" Out "OUT" Output "OUTPUT" Override "OVERRIDE" Owner "OWNER"
        Parameterization "PARAMETERIZATION" Parse "PARSE" Partition "PARTITION"
        Partitions "PARTITIONS" Password "PASSWORD" Path "PATH" Pause "PAUSE" Period "PERIOD"
        Persisted "PERSISTED" Policy "POLICY" Pool "POOL" Preceding "PRECEDING" Prior "PRIOR"
        ProcedureCache "PROCEDURE_CACHE" Provider "PROVIDER" Query "QUERY" Range "RANGE"
        ReadOnly "READONLY" ReadUnderscoreOnly "READ_ONLY" Rebuild "REBUILD"
        Recompile "RECOMPILE" Relative "RELATIVE" Remote "REMOTE" Remove "REMOVE"
        Reorganize "REORGANIZE" Repeatable "REPEATABLE" Resample "RESAMPLE" Reset "RESET"
        Resource "RESOURCE" Respect "RESPECT" Restart "RESTART" Result "RESULT" Resume "RESUME"
        Returns "RETURNS" RewindOnly "REWINDONLY" Robust "ROBUST" Role "ROLE" Rollup "ROLLUP"
        Row "ROW" Rows "ROWS" Sample "SAMPLE" SchemaBinding "SCHEMABINDING" Scoped "SCOPED"
        Scroll "SCROLL" Secondary "SECONDARY" Security "SECURITY" Sensitivity "SENSITIVITY"
        SelfWord "SELF" Sequence "SEQUENCE"
        Server "SERVER" Sets "SETS" Simple "SIMPLE" Snapshot "SNAPSHOT" Sparse "SPARSE"
        Spatial "SPATIAL"
        Start "START" StatusOnly "STATUSONLY" Switch "SWITCH" Synonym "SYNONYM" System "SYSTEM"
        SystemTime "SYSTEM_TIME" Text "TEXT" TextImageOn "TEXTIMAGE_ON" Throw "THROW"
        Ties "TIES" Time "TIME" Trailing "TRAILING" Transfer "TRANSFER" Trim "TRIM" Try "TRY"
        TryCast "TRY_CAST" TryParse "TRY_PARSE" Type "TYPE" TypeWarning "TYPE_WARNING"
        Unbounded "UNBOUNDED" Undefined "UNDEFINED" Unknown "UNKNOWN" Unlimited "UNLIMITED"
        Unlock "UNLOCK" Using "USING" Value "VALUE" VerifyOnly "VERIFYONLY"
        ViewMetadata "VIEW_METADATA" Views "VIEWS" Window "WINDOW" Windows "WINDOWS"
        Within "WITHIN" Without "WITHOUT" Work "WORK" Workload "WORKLOAD" Write "WRITE"
        Xml "XML" Zone "ZONE"
    }
}

/// One slot of the hash table, which is a power of two and at most half full.
const SLOTS: usize = 2048;
const TABLE: [u16; SLOTS] = build_table();
const LENGTH_MAX: usize = 30;

impl Keyword {
    /// The keyword that a word is, in any case.
    pub(crate) fn find(word: &[u8]) -> Keyword {
        if word.len() > LENGTH_MAX {
            return Keyword::None;
        }
        let mut slot = hash(word);
        loop {
            let entry = TABLE[slot] as usize;
            if entry == 0 {
                return Keyword::None;
            }
            let (text, keyword) = entry_at(entry - 1);
            if text.as_bytes().eq_ignore_ascii_case(word) {
                return keyword;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Whether no identifier may be this word without quotes.
    pub(crate) fn is_reserved(self) -> bool {
        self != Keyword::None && self < Keyword::EndOfReserved
    }
}

/// Whether a word must be quoted to serve as an identifier.
pub fn is_reserved(word: &str) -> bool {
    Keyword::find(word.as_bytes()).is_reserved()
}

/// Every reserved word, in upper case.
pub fn reserved_words() -> impl Iterator<Item = &'static str> {
    RESERVED.iter().map(|(text, _)| *text)
}

const fn entry_at(index: usize) -> (&'static str, Keyword) {
    match index < RESERVED.len() {
        true => RESERVED[index],
        false => CONTEXTUAL[index - RESERVED.len()],
    }
}

/// FNV-1a over the upper-case letters.
const fn hash(word: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut i = 0;
    while i < word.len() {
        hash = (hash ^ word[i].to_ascii_uppercase() as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    (hash ^ (hash >> 15)) as usize % SLOTS
}

const fn build_table() -> [u16; SLOTS] {
    let mut table = [0; SLOTS];
    let mut i = 0;
    while i < RESERVED.len() + CONTEXTUAL.len() {
        let text = entry_at(i).0.as_bytes();
        assert!(text.len() <= LENGTH_MAX);
        let mut slot = hash(text);
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = i as u16 + 1;
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests;
