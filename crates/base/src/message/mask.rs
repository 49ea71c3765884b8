//! Dynamic data masking.

super::messages! {
    MASK_FUNCTION_INVALID = 16002, 16, 0, "Invalid data masking function in column '%s'.";
    MASK_TYPE_UNSUPPORTED = 16003, 16, 0, "The data type of column '%s' does not support data masking function '%s'.";
    MASK_PARAMETER_COUNT = 16004, 16, 0, "Incorrect number of parameters for data masking function '%s' for column '%s'.";
    MASK_ARGUMENT_INVALID = 16005, 16, 0, "Invalid argument for data masking function '%s' for column '%s'.";
    MASK_FORMAT_INVALID = 16006, 16, 0, "Invalid data masking format for function '%s' in column '%s'.";
    COLUMN_NOT_MASKED = 16007, 16, 0, "The column '%s' does not have a data masking function.";
}
