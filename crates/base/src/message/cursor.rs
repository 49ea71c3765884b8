//! Cursors, in T-SQL and through the sp_cursor procedures.

super::messages! {
    CURSOR_NOT_IMPLEMENTED = 16901, 16, 1, "%s: This feature has not been implemented yet.";
    CURSOR_PARAMETER_INVALID = 16902, 16, 1, "%s: The value of the parameter %s is invalid.";
    CURSOR_PARAMETER_COUNT = 16903, 16, 1, "The \"%s\" procedure was called with an incorrect number of parameters.";
    CURSOR_ABSOLUTE_ONLY = 16904, 16, 1, "sp_cursor: optype: You can only specify ABSOLUTE in conjunction with DELETE or UPDATE.";
    CURSOR_ALREADY_OPEN = 16905, 16, 1, "The cursor is already open.";
    CURSOR_STATEMENT_NOT_ALLOWED = 16907, 16, 1, "%s is not allowed in cursor statements.";
    CURSOR_HANDLE_INVALID = 16909, 16, 1, "%s: The cursor identifier value provided (%s) is not valid.";
    CURSOR_IN_USE = 16910, 16, 1, "The cursor %s is currently used by another statement.";
    CURSOR_FORWARD_ONLY = 16911, 16, 1, "%s: The fetch type %s cannot be used with forward only cursors.";
    CURSOR_TOO_MANY_PARAMETERS = 16914, 16, 1, "The \"%s\" procedure was called with too many parameters.";
    CURSOR_EXISTS = 16915, 16, 1, "A cursor with the name '%s' already exists.";
    CURSOR_DOES_NOT_EXIST = 16916, 16, 1, "A cursor with the name '%s' does not exist.";
    CURSOR_NOT_OPEN = 16917, 16, 1, "Cursor is not open.";
    CURSOR_FETCH_CONVERSION = 16922, 16, 1, "Cursor Fetch: Implicit conversion from data type %s to %s is not allowed.";
    CURSOR_FETCH_COLUMN_COUNT = 16924, 16, 1, "Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.";
    CURSOR_FETCH_TYPE_DYNAMIC = 16925, 16, 1, "The fetch type %s cannot be used with dynamic cursors.";
    CURSOR_FETCH_INTO_LEGACY_LOB = 16927, 16, 1, "Cannot fetch into text, ntext, and image variables.";
    CURSOR_READ_ONLY = 16929, 16, 1, "The cursor is READ ONLY.";
    CURSOR_ROW_NOT_IN_BUFFER = 16930, 16, 1, "The requested row is not in the fetch buffer.";
    CURSOR_NO_CURRENT_ROW = 16931, 16, 1, "There are no rows in the current fetch buffer.";
    CURSOR_COLUMN_NOT_UPDATABLE = 16932, 16, 1, "The cursor has a FOR UPDATE list and the requested column to be updated is not in this list.";
    CURSOR_TABLE_NOT_UPDATABLE = 16933, 16, 1, "The cursor does not include the table being modified or the table is not updatable through the cursor.";
    CURSOR_OPTIMISTIC_FAILED = 16934, 16, 1, "Optimistic concurrency check failed. The row was modified outside of this cursor.";
    CURSOR_NO_VALUES = 16935, 16, 1, "No parameter values were specified for the sp_cursor-%s statement.";
    CURSOR_VALUES_INVALID = 16936, 16, 1, "sp_cursor: One or more values parameters were invalid.";
    CURSOR_STATEMENT_NOT_SUPPORTED = 16937, 16, 1, "A server cursor cannot be opened on the given statement or statements. Use a default result set or client cursor.";
    CURSOR_NOT_A_SINGLE_SELECT = 16938, 16, 1, "sp_cursoropen/sp_cursorprepare: The statement parameter can only be a batch or a stored procedure with a single select, without FOR BROWSE, COMPUTE BY, or variable assignments.";
    CURSOR_UPDATE_NOLOCK = 16941, 16, 1, "Cursor updates are not allowed on tables opened with the NOLOCK option.";
    CURSOR_SCHEMA_CHANGED = 16943, 16, 4, "Could not complete cursor operation because the table schema changed after the cursor was declared.";
    CURSOR_NOT_DECLARED = 16945, 16, 1, "The cursor was not declared.";
    CURSOR_TABLE_OUT_OF_SCOPE = 16946, 16, 1, "Could not open the cursor because one or more of its tables have gone out of scope.";
    CURSOR_NO_ROWS_CHANGED = 16947, 16, 1, "No rows were updated or deleted.";
    NOT_A_CURSOR_VARIABLE = 16948, 16, 4, "The variable '%s' is not a cursor variable, but it is used in a place where a cursor variable is expected.";
    CURSOR_VARIABLE_MISPLACED = 16949, 16, 2, "The variable '%s' is a cursor variable, but it is used in a place where a cursor variable is not valid.";
    CURSOR_VARIABLE_UNSET = 16950, 16, 2, "The variable '%s' does not currently have a cursor allocated to it.";
    CURSOR_VARIABLE_ALREADY_SET = 16951, 16, 1, "The variable '%s' cannot be used as a parameter because a CURSOR OUTPUT parameter must not have a cursor allocated to it before execution of the procedure.";
    CURSOR_DIRECT_EXECUTION = 16954, 10, 1, "Executing SQL directly; no cursor.";
    CURSOR_NOT_ACCEPTABLE = 16955, 16, 2, "Could not create an acceptable cursor.";
    CURSOR_TYPE_CHANGED = 16956, 10, 1, "The created cursor is not of the requested type.";
    CURSOR_FOR_UPDATE_READ_ONLY = 16957, 16, 4, "FOR UPDATE cannot be specified on a READ ONLY cursor.";
    CURSOR_SET_OPTIONS_CHANGED = 16958, 16, 3, "Could not complete cursor operation because the set options have changed since the cursor was declared.";
    CURSOR_UNIQUE_TABLE_FAILED = 16959, 16, 1, "Unique table computation failed.";
    CURSOR_TOO_MANY = 16960, 16, 1, "You have reached the maximum number of cursors allowed.";
    CURSOR_CONCURRENCY_INCOMPATIBLE = 16966, 16, 1, "%s: Specified concurrency control option %s (%s) is incompatible with static or fast forward only cursors. Only read-only is compatible with static or fast forward only cursors.";
}
