//! Spatial indexes.

super::messages! {
    SPATIAL_COLUMN_TYPE = 12002, 16, 1, "The requested %s index on column '%s' of table '%s' could not be created because the column type is not %s . Specify a column name that refers to a column with a %s data type.";
    SPATIAL_NO_SCHEME = 12003, 16, 1, "Could not find spatial tessellation scheme '%s'. Specify a valid tessellation scheme name in your USING clause.";
    SPATIAL_NO_DEFAULT_SCHEME = 12004, 16, 1, "Could not find the default spatial tessellation scheme for the column '%s' on table '%s'. Make sure that the column reference is correct, or specify the extension scheme in a USING clause.";
    SPATIAL_PARAMETER_WRONG = 12005, 16, 1, "Incorrect parameters were passed to the CREATE %s statement near '%s'. Validate the statement against the index-creation syntax.";
    SPATIAL_PARAMETER_TWICE = 12006, 16, 1, "Duplicate parameters were passed to the create index statement. Validate the statement against the index-creation syntax.";
    SPATIAL_PARAMETER_MISSING = 12007, 16, 1, "The CREATE %s statement is missing the required parameter '%s'. Validate the statement against the index-creation syntax.";
    SPATIAL_NEEDS_PRIMARY_KEY = 12008, 16, 1, "Table '%s' does not have a clustered primary key as required by the %s index. Make sure that the primary key column exists on the table before creating a %s index.";
    SPATIAL_INDEX_NOT_FOUND = 12009, 16, 1, "Could not find the %s index '%s' on table '%s'. Either no %s index with this name exists, or a non-spatial index might be using the same name. Fix the index name, avoiding duplicates. If a relational index has the same name, drop the regular relational index.";
    SPATIAL_PARAMETER_ABOVE = 12011, 16, 1, "The value of parameter '%s' of CREATE %s must be less than %s.";
    SPATIAL_PARAMETER_BELOW = 12012, 16, 1, "The value of parameter '%s' of CREATE %s must be greater than %s.";
    SPATIAL_PARAMETER_NOT_ABOVE = 12013, 16, 1, "The value of parameter '%s' of CREATE %s must be greater than the value of parameter '%s'.";
    SPATIAL_PARAMETER_INCOMPLETE = 12014, 16, 1, "The '%s' parameter of CREATE %s is incompletely defined. If the parameter has more than one part, all the parts must be defined.";
    SPATIAL_PARAMETER_ORDER = 12015, 16, 1, "The index option %s in the CREATE %s statement has to appear before the general index options.";
    SPATIAL_KEY_SIZE = 12016, 16, 1, "Creating a %s index requires that the primary key in the base table satisfy the following restrictions. The maximum number of primary-key columns is %s. The maximum combined per-row size of the primary-key columns is %s bytes. The primary key on the base table '%s' has %s columns, and contains %s bytes. Alter the base table to satisfy the primary-key restrictions imposed by the %s index.";
}
