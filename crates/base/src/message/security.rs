//! Logins, users, roles, permissions.

super::messages! {
    OBJECT_PERMISSION_DENIED = 229, 14, 5, "The %s permission was denied on the object '%s', database '%s', schema '%s'.";
    COLUMN_PERMISSION_DENIED = 230, 14, 1, "The %s permission was denied on the column '%s' of the object '%s', database '%s', schema '%s'.";
    DATABASE_PERMISSION_DENIED = 262, 14, 1, "%s permission denied in database '%s'.";
    NO_PERMISSION_FOR_ACTION = 297, 16, 1, "The user does not have permission to perform this action.";
    SERVER_PERMISSION_DENIED = 300, 14, 1, "%s permission was denied on object '%s', database '%s'.";
    PRIVILEGE_NOT_GRANTABLE = 165, 16, 1, "Privilege %s may not be granted or revoked.";
    PRINCIPAL_OR_ENTITY_NOT_FOUND = 15151, 16, 1, "Cannot %s the %s '%s', because it does not exist or you do not have permission.";
    SYSTEM_CATALOG_UPDATE = 259, 16, 1, "Ad hoc updates to system catalogs are not allowed.";
    USER_NAME_NOT_FOUND = 509, 11, 1, "User name '%s' not found.";
    PERMISSION_COLUMN_LIST = 1020, 15, 1, "Sub-entity lists (such as column or security expressions) cannot be specified for entity-level permissions.";
    GRANTOR_LACKS_PERMISSION = 4613, 16, 1, "Grantor does not have GRANT permission.";
    CANNOT_GRANT_SPECIAL = 4617, 16, 1, "Cannot grant, deny or revoke permissions to or from special roles.";
    SERVER_PERMISSION_ELSEWHERE = 4621, 16, 10, "Permissions at the server scope can only be granted when the current database is master";
    CANNOT_GRANT_TO_OWNER = 4624, 16, 1, "Cannot grant, deny, or revoke permissions to sa, dbo, entity owner, information_schema, sys, or yourself.";
    LOGIN_EXISTS = 15025, 16, 1, "The server principal '%s' already exists.";
    LOGIN_NOT_VALID = 15007, 16, 1, "'%s' is not a valid login or you do not have permission.";
    LOGIN_IN_USE = 15434, 16, 1, "Could not drop login '%s' as the user is currently logged in.";
    LOGIN_OWNS_DATABASE = 15174, 16, 1, "Login '%s' owns one or more database(s). Change the owner of the database(s) before dropping the login.";
    LOGIN_PASSWORD_MUST_CHANGE = 15128, 16, 1, "The CHECK_POLICY and CHECK_EXPIRATION options cannot be turned OFF when MUST_CHANGE is ON.";
    LOGIN_PASSWORD_SHORT = 15116, 16, 1, "Password validation failed. The password does not meet the operating system policy requirements because it is too short.";
    LOGIN_PASSWORD_WEAK = 15118, 16, 1, "Password validation failed. The password does not meet the operating system policy requirements because it is not complex enough.";
    SPECIAL_PRINCIPAL = 15405, 16, 1, "Cannot use the special principal '%s'.";
    USER_EXISTS = 15023, 16, 1, "User, group, or role '%s' already exists in the current database.";
    LOGIN_HAS_USER = 15063, 16, 1, "The login already has an account under a different user name.";
    USER_OWNS_SCHEMA = 15138, 16, 1, "The database principal owns a %s in the database, and cannot be dropped.";
    ROLE_NOT_EMPTY = 15144, 16, 1, "The role has members. It must be empty before it can be dropped.";
    ROLE_MEMBER_SELF = 15413, 16, 1, "Cannot make a role a member of itself.";
    FIXED_ROLE_CANNOT_DROP = 15150, 16, 1, "Cannot %s the %s '%s'.";
    ONLY_SYSADMIN = 15247, 16, 1, "User does not have permission to perform this action.";
    PRINCIPAL_CANNOT_EXECUTE_AS = 15517, 16, 1, "Cannot execute as the database principal because the principal \"%s\" does not exist, this type of principal cannot be impersonated, or you do not have permission.";
    LOGIN_CANNOT_EXECUTE_AS = 15406, 16, 1, "Cannot execute as the server principal because the principal \"%s\" does not exist, this type of principal cannot be impersonated, or you do not have permission.";
    REVERT_WRONG_DATABASE = 15199, 16, 1, "The current security context cannot be reverted. Please switch to the original database where '%s' was called and try it again.";
    SID_LENGTH = 15419, 16, 1, "Supplied parameter sid should be binary(16).";
    SID_IN_USE = 15433, 16, 1, "Supplied parameter sid is in use.";
    OWNER_ALREADY_USER = 15110, 16, 1, "The proposed new database owner is already a user or aliased in the database.";
    LOGIN_HAS_MAPPED_USERS = 15175, 16, 1, "Login '%s' is aliased or mapped to a user in one or more database(s). Drop the user or alias before dropping the login.";
    PRINCIPAL_OWNS_OBJECTS = 15183, 16, 1, "The database principal owns objects in the database and cannot be dropped.";
    LOGIN_OWNS_ENTITY = 15141, 16, 1, "The server principal owns one or more %s(s) and cannot be dropped.";
    PRIVILEGE_INCOMPATIBLE = 4606, 16, 1, "Granted or revoked privilege %s is not compatible with object.";
    NO_SUCH_USER_OR_GROUP = 4604, 16, 1, "There is no such user or group '%s' or you do not have permission.";
    REVOKE_NEEDS_CASCADE = 4611, 16, 1, "To revoke or deny grantable privileges, specify the CASCADE option.";
    PERMISSION_COLUMN_UNKNOWN = 4615, 16, 1, "Invalid column name '%s'.";
    IMPERSONATION_TOO_DEEP = 15159, 16, 1, "Maximum impersonation nesting level exceeded (limit %s)..";
}
