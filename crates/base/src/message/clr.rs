//! CLR types: their methods, and what these raise.

super::messages! {
    CLR_NO_METHOD = 6506, 16, 10, "Could not find method '%s' for type '%s' in assembly '%s'";
    CLR_EXCEPTION = 6522, 16, 1, "A .NET Framework error occurred during execution of user-defined routine or aggregate \"%s\": %s.";
    CLR_NULL_ARGUMENT = 6569, 16, 1, "'%s' failed because parameter %s is not allowed to be null.";
    CLR_NOT_STATIC = 6573, 16, 1, "Method, property or field '%s' of class '%s' in assembly '%s' is not static.";
    CLR_STATIC = 6574, 16, 1, "Method, property or field '%s' of class '%s' in assembly '%s' is static.";
    CLR_NO_SETTER = 6595, 16, 1, "Could not assign to property '%s' for type '%s' in assembly '%s' because it is read only.";
    CLR_NO_PROPERTY = 6592, 16, 3, "Could not find property or field '%s' for type '%s' in assembly '%s'.";
}
