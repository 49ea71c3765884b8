//! Change tracking.

super::messages! {
    TRACKING_OFF_IN_DATABASE = 1718, 16, 1, "Change tracking must be enabled on database '%s' before it can be enabled on table '%s'.";
    DROP_KEY_OF_TRACKED = 3735, 16, 1, "The primary key constraint '%s' on table '%s' cannot be dropped because change tracking is enabled on the table. Change tracking requires a primary key constraint on the table. Disable change tracking before dropping the constraint.";
    TRACKING_ALREADY_ON = 4996, 16, 1, "Change tracking is already enabled for table '%s'.";
    TRACKING_WITHOUT_KEY = 4997, 16, 1, "Cannot enable change tracking on table '%s'. Change tracking requires a primary key on the table. Create a primary key on the table before enabling change tracking.";
    TRACKING_NOT_ON = 4998, 16, 1, "Change tracking is not enabled on table '%s'.";
    TRACKING_KEY_TIMESTAMP = 4999, 16, 1, "Cannot enable change tracking on table '%s'. Change tracking does not support a primary key of type timestamp on a table.";
    DATABASE_TRACKING_ALREADY_ON = 5088, 16, 1, "Change tracking is already enabled for database '%s'.";
    DATABASE_TRACKING_NOT_ON = 5089, 16, 1, "Change tracking is disabled for database '%s'. Change tracking must be enabled on a database to modify change tracking settings.";
    TRACKING_IN_SYSTEM_DATABASE = 5090, 16, 1, "Database '%s' is a system database. Change tracking settings cannot be modified for system databases.";
    TRACKING_OPTION_TWICE = 5091, 15, 1, "ALTER DATABASE change tracking option '%s' was specified more than once. Each option can be specified only once.";
    TRACKING_OPTION_INVALID = 5092, 15, 1, "The value for change tracking option '%s' is not valid. The value must be between %s and %s minutes.";
    TRACKING_OF_HISTORY = 13563, 16, 1, "Enabling Change Tracking for a temporal history table '%s' is not allowed.";
    CHANGE_MASK_INVALID = 22101, 16, 1, "The value supplied for the change_columns argument of CHANGE_TRACKING_IS_COLUMN_IN_MASK function is not valid. The value must be a bitmask returned by the CHANGETABLE(CHANGES ...) function.";
    CHANGETABLE_VERSION_ARGUMENTS = 22103, 16, 1, "The arguments supplied are not valid for the VERSION option of the CHANGETABLE function.";
    CHANGETABLE_WITHOUT_ALIAS = 22104, 16, 1, "A table returned by the CHANGETABLE function must be aliased.";
    CHANGETABLE_NOT_TRACKED = 22105, 16, 1, "Change tracking is not enabled on table '%s'.";
    CHANGETABLE_NOT_A_TABLE = 22107, 16, 1, "Object '%s' is of a data type that is not supported by the CHANGETABLE function. The object must be a user-defined table.";
    CHANGE_CONTEXT_OF_SELECT = 22108, 16, 1, "The CHANGE_TRACKING_CONTEXT WITH clause cannot be used with a SELECT statement.";
    CHANGE_CONTEXT_TYPE = 22109, 16, 1, "The \"context\" argument for the CHANGE_TRACKING_CONTEXT WITH clause must be of type varbinary data type with a maximum length of 128.";
    CHANGETABLE_COLUMN_COUNT = 22110, 16, 1, "The number of columns specified in the CHANGETABLE(VERSION ...) function does not match the number of primary key columns for table '%s'.";
    CHANGETABLE_COLUMN_NOT_KEY = 22111, 16, 1, "The column '%s' specified in the CHANGETABLE(VERSION ...) function is not part of the primary key for table '%s'.";
    CHANGETABLE_COLUMN_TWICE = 22112, 16, 1, "Each primary key column must be specified once in the CHANGETABLE(VERSION ...) function. The column '%s' is specified more than once.";
    NOT_WHILE_TRACKED = 22113, 16, 1, "%s is not allowed because the table is being tracked for change tracking.";
    TRACKING_OPTIONS_ALONE = 22114, 16, 1, "Change tracking options for ALTER DATABASE cannot be combined with other ALTER DATABASE options.";
    TABLES_ARE_TRACKED = 22115, 16, 1, "Change tracking is enabled for one or more tables in database '%s'. Disable change tracking on each table before disabling it for the database. Use the sys.change_tracking_tables catalog view to obtain a list of tables for which change tracking is enabled.";
}
