//! JSON: functions that read it, functions and clauses that write it, and the type.

super::messages! {
    FOR_JSON_AUTO_NEEDS_TABLE = 13600, 16, 1, "FOR JSON AUTO requires at least one table for generating JSON objects. Use FOR JSON PATH or add a FROM clause with a table name.";
    FOR_JSON_CONFLICT = 13601, 16, 1, "Property '%s' cannot be generated in JSON output due to a conflict with another column name or alias. FOR JSON PATH requires that the column expressions are ordered based on the JSON document paths specified in the column aliases.";
    FOR_JSON_NOT_ALLOWED = 13602, 16, 1, "The FOR JSON clause is not allowed in a %s statement.";
    FOR_JSON_NAME_INVALID = 13603, 16, 1, "Property '%s' cannot be generated in JSON output due to invalid character in the column name or alias. Column name or alias that contains '..', starts or ends with '.' is not allowed in query that has FOR JSON clause.";
    FOR_JSON_CLR = 13604, 16, 1, "FOR JSON cannot serialize CLR objects. Cast CLR types explicitly into one of the supported types in FOR JSON queries.";
    FOR_JSON_WITHOUT_NAME = 13605, 16, 1, "Column expressions and data sources without names or aliases cannot be formatted as JSON text using FOR JSON clause. Add alias to the unnamed column or table.";
    JSON_TOO_DEEP = 13606, 16, 1, "JSON text/path that has more than 128 nesting levels cannot be parsed.";
    JSON_PATH_INVALID = 13607, 16, 22, "JSON path is not properly formatted. Unexpected character '%s' is found at position %s.";
    JSON_PROPERTY_NOT_FOUND = 13608, 16, 1, "Property cannot be found on the specified JSON path.";
    JSON_TEXT_INVALID = 13609, 16, 1, "JSON text is not properly formatted. Unexpected character '%s' is found at position %s.";
    OPENJSON_OF_SCALAR = 13611, 16, 1, "Value referenced by JSON path is not an array or object and cannot be opened with OPENJSON.";
    JSON_NOT_BASE64 = 13612, 16, 1, "Cannot convert a string value found in the JSON text to binary value because it is not Base64 encoded.";
    JSON_BASE64_TOO_LONG = 13613, 16, 1, "Base64 encoded string cannot be converted to binary value. Binary data would be truncated.";
    OPENJSON_TYPE_LOB = 13614, 16, 1, "TEXT, NTEXT, SQL_VARIANT and IMAGE types cannot be used as column types in OPENJSON function with explicit schema. These types are not supported in WITH clause.";
    OPENJSON_TYPE_TABLE = 13617, 16, 1, "Table types cannot be used as column types in OPENJSON function with explicit schema. This type is not supported in WITH clause.";
    OPENJSON_AS_JSON_TYPE = 13618, 16, 1, "AS JSON option can be specified only for column of nvarchar(max) type in WITH clause.";
    JSON_MODIFY_PATH = 13619, 16, 1, "Unsupported JSON path found in argument %s of JSON_MODIFY.";
    FOR_JSON_ROOT_WITHOUT_WRAPPER = 13620, 16, 1, "ROOT option and WITHOUT_ARRAY_WRAPPER option cannot be used together in FOR JSON. Remove one of these options.";
    JSON_ARRAY_NOT_FOUND = 13621, 16, 1, "Array cannot be found in the specified JSON path.";
    JSON_SCALAR_NOT_FOUND = 13623, 16, 2, "Scalar value cannot be found in the specified JSON path.";
    JSON_CONTAINER_NOT_FOUND = 13624, 16, 2, "Object or array cannot be found in the specified JSON path.";
    JSON_STRING_TRUNCATED = 13625, 16, 1, "String value in the specified JSON path would be truncated.";
    OPENJSON_COLUMNS = 13626, 16, 1, "Openjson cannot have more than %s columns in with clause.";
    JSON_NOT_COMPARABLE = 13636, 16, 1, "The JSON data type cannot be compared or sorted, except when using the IS NULL operator.";
    JSON_KEY_NULL = 13638, 16, 1, "User error : Name parameter value in '%s' cannot be null";
    JSON_TO_TEXT_SPACE = 13639, 16, 1, "Target string size is too small to represent the JSON instance.";
    JSON_TYPE_TOO_DEEP = 13645, 16, 1, "Nested level of JSON document exceeds limit 128.";
    JSON_TYPE_TOO_MANY_ITEMS = 13647, 16, 1, "Number of items in one object/array exceeds limit 65535 in JSON type.";
    JSON_TYPE_TOO_MANY_NAMES = 13649, 16, 1, "Number of unique keys exceeds limit 32768 in JSON type.";
    JSON_ALIAS_BASE = 13657, 16, 1, "The JSON data type cannot be the base type of an alias type.";
    JSON_CONTAINS_MODE = 13692, 16, 1, "The comparison_mode argument of JSON_CONTAINS must be 0 or 1.";
}
