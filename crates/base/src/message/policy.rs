//! Security policies.

super::messages! {
    POLICY_NAME_INVALID = 33259, 15, 1, "Invalid security policy name '%s'.";
    POLICY_WITHOUT_PREDICATE = 33261, 16, 1, "The security policy '%s' does not contain a predicate on table '%s'.";
    PREDICATE_EXISTS = 33262, 16, 1, "A %s predicate for the same operation has already been defined on table '%s' in the security policy '%s'.";
    PREDICATE_TARGET_KIND = 33263, 16, 1, "Security predicates can only be added to user tables and schema bound views. '%s' is not a user table or a schema bound view.";
    POLICY_TABLE_TAKEN = 33264, 16, 1, "The security policy '%s' cannot be enabled with a predicate on table '%s'. Table '%s' is already referenced by the enabled security policy '%s'.";
    POLICY_OBJECT_NOT_FOUND = 33268, 16, 1, "Cannot find the object \"%s\" because it does not exist or you do not have permissions.";
    PREDICATE_ON_TEMPORARY = 33269, 15, 1, "Security predicates are not allowed on temporary objects. Object names that begin with '#' denote temporary objects.";
    PREDICATE_FUNCTION_NOT_FOUND = 33270, 16, 1, "Cannot find the object \"%s\" or this object is not an inline table-valued function.";
    NOT_A_SECURITY_POLICY = 33271, 16, 1, "Cannot alter '%s' because it is not a security policy.";
    BLOCK_PREDICATE_TARGET_KIND = 33503, 16, 1, "BLOCK predicates can only be added to user tables. '%s' is not a user table.";
    BLOCK_PREDICATE_CONFLICT = 33504, 16, 1, "The attempted operation failed because the target object '%s' has a block predicate that conflicts with this operation. If the operation is performed on a view, the block predicate might be enforced on the underlying table. Modify the operation to target only the rows that are allowed by the block predicate.";
    PREDICATE_FUNCTION_NOT_NATIVE = 33506, 16, 1, "Only natively compiled inline table-valued functions can be used for security predicates on memory optimized tables. Table '%s' is memory optimized, but function '%s' is not natively compiled. Recreate the function using WITH NATIVE_COMPILATION.";
    BLOCK_PREDICATE_ON_HISTORY = 33510, 16, 1, "BLOCK security predicates cannot reference history tables. Table '%s' is a temporal or ledger history table.";
    PREDICATE_ON_MEMORY_UNBOUND = 33511, 16, 1, "Table '%s' is memory optimized. Only security policies with schema binding enabled may specify security predicates for memory optimized tables. Create a new security policy with schema binding enabled.";
    PREDICATE_UNBOUND = 33512, 16, 2, "Binding for the non-schema bound security predicate on object '%s' failed with one or more errors, indicating the schema of the predicate function has changed. Update or drop the affected security predicates.";
    PREDICATE_FUNCTION_NOT_INLINE = 33513, 16, 1, "Binding for the non-schema bound security predicate on object '%s' failed, because the predicate function is not an inline table-valued function. Only inline table-valued functions can be used for security predicates.";
}
