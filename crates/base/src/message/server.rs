//! Connections, logins, and the information a session gets.

super::messages! {
    CONTEXT_DATABASE_CHANGED = 5701, 10, 2, "Changed database context to '%s'.";
    ERROR_LOG_NOT_CYCLED = 17049, 16, 1, "Unable to cycle error log file from 'errorlog' to 'errorlog.1' due to OS error '%s'. A process outside of SQL Server may be preventing SQL Server from reading the files. As a result, errorlog entries may be lost and it may not be possible to view some SQL Server errorlogs. Make sure no other processes have locked the file with write-only access.";
    CONTEXT_LANGUAGE_CHANGED = 5703, 10, 1, "Changed language setting to %s.";
    SESSION_ENDING = 5702, 10, 1, "SQL Server is terminating this process.";
    SESSION_KILLED = 596, 21, 1, "Cannot continue the execution because the session is in the kill state.";
    FATAL_READ_ERROR = 4014, 20, 11, "A fatal error occurred while reading the input stream from the network. The session will be terminated (input error: %s, output error: %s).";
    LOGIN_DATABASE_CANNOT_OPEN = 4060, 11, 1, "Cannot open database \"%s\" requested by the login. The login failed.";
    LOGIN_DEFAULT_DATABASE = 4063, 11, 1, "Cannot open database \"%s\" that was requested by the login. Using the user default database \"%s\" instead.";
    USER_DEFAULT_DATABASE = 4064, 11, 1, "Cannot open user default database. Login failed.";
    LOGIN_PACKET_INVALID = 17832, 20, 18, "The login packet used to open the connection is structurally invalid; the connection has been closed. Please contact the vendor of the client library.%s";
    PACKET_LENGTH_MISMATCH = 17836, 20, 17, "Length specified in network packet payload did not match number of bytes read; the connection has been closed. Please contact the vendor of the client library.%s";
    ENCRYPTION_REQUIRED = 17835, 20, 1, "Encryption is required to connect to this server but the client library does not support encryption; the connection has been closed. Please upgrade your client library.%s";
    TOO_MANY_CONNECTIONS = 17809, 16, 3, "Could not connect because the maximum number of '%s' user connections has already been reached. The system administrator can use sp_configure to increase the maximum value. The connection has been closed.%s";
    LOGON_TRIGGER_FAILED = 17892, 14, 1, "Logon failed for login '%s' due to trigger execution.";
    LOGON_TRIGGER_RESULTS = 575, 16, 1, "A LOGON trigger returned a resultset. Modify the LOGON trigger to not return resultsets.";
    INTEGRATED_LOGIN_FAILED = 18452, 14, 1, "Login failed. The login is from an untrusted domain and cannot be used with Integrated authentication.%s";
    LOGIN_FAILED = 18456, 14, 1, "Login failed for user '%s'.";
    LOGIN_DISABLED = 18470, 14, 1, "Login failed for user '%s'. Reason: The account is disabled.%s";
    LOGIN_PASSWORD_EXPIRED = 18487, 14, 1, "Login failed for user '%s'.  Reason: The password of the account has expired.%s";
    LOGIN_PASSWORD_CHANGE = 18488, 14, 1, "Login failed for user '%s'.  Reason: The password of the account must be changed.%s";
    LOGIN_SINGLE_USER = 18461, 14, 1, "Login failed for user '%s'. Reason: Server is in single user mode. Only one administrator can connect at this time.%s";
    LOGIN_SERVER_PAUSED = 18451, 14, 1, "Login failed for user '%s'. Only administrators may connect at this time.%s";
    SQL_LOGIN_NOT_ALLOWED = 18450, 14, 1, "Login failed for login \"%s\". The login is not defined as a valid login of a trusted SQL Server connection.%s";
    EXECUTION_CONTEXT_FAILED = 18057, 20, 1, "Error: Failed to set up execution context.";
    CONNECTION_RESET_FAILED = 18056, 20, 46, "The client was unable to reuse a session with SPID %s, which had been reset for connection pooling. The failure ID is %s. This error may have been caused by an earlier operation failing. Check the error logs for failed operations immediately before this error message.";
    SESSION_BUSY = 3980, 16, 1, "The request failed to run because the batch is aborted, this can be caused by abort signal sent from client, or another request is running in the same session, which makes the session busy.";
    SERVER_STARTED = 17126, 10, 1, "SQL Server is now ready for client connections. This is an informational message; no user action is required.";
    SERVER_LISTENING = 26022, 10, 1, "Server is listening on [ %s ].";
    SERVER_SHUTTING_DOWN = 17142, 14, 1, "SQL Server service has been paused. No new connections will be allowed. To resume the service, use SQL Computer Manager or the Services application in Control Panel.";
    RECOVERY_COMPLETED = 3421, 10, 1, "Recovery completed for database %s (database ID %s) in %s second(s) (analysis %s ms, redo %s ms, undo %s ms [system undo %s ms, regular undo %s ms].) This is an informational message only. No user action is required.";
    RECOVERY_PHASE = 3450, 10, 1, "Recovery of database '%s' (%s) is %s% complete (approximately %s seconds remain). Phase %s of 3. This is an informational message only. No user action is required.";
    DATABASE_RECOVERY_FAILED = 3414, 21, 2, "An error occurred during recovery, preventing the database '%s' (%s:%s) from restarting. Diagnose the recovery errors and fix them, or restore from a known good backup. If errors are not corrected or expected, contact Technical Support.";
}
