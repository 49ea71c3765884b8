//! BACKUP and RESTORE.

super::messages! {
    BACKUP_PROCESSED = 3014, 10, 1, "%s successfully processed %s pages in %s seconds (%s MB/sec).";
    BACKUP_FILE_PROCESSED = 4035, 10, 1, "Processed %s pages for database '%s', file '%s' on file %s.";
    BACKUP_IN_TRANSACTION = 3021, 16, 0, "Cannot perform a backup or restore operation within a transaction.";
    BACKUP_CONFLICT = 3023, 16, 3, "Backup, file manipulation operations (such as ALTER DATABASE ADD FILE) and encryption changes on a database must be serialized. Reissue the statement after the current backup or file manipulation operation is completed.";
    BACKUP_TERMINATED = 3013, 16, 1, "%s is terminating abnormally.";
    BACKUP_PERCENT = 3211, 10, 1, "%s percent processed.";
    BACKUP_DEVICE_OPEN = 3201, 16, 1, "Cannot open backup device '%s'. Operating system error %s.";
    BACKUP_DEVICE_WRITE = 3202, 16, 1, "Write on \"%s\" failed: %s";
    BACKUP_DEVICE_READ = 3203, 16, 1, "Read on \"%s\" failed: %s";
    BACKUP_CANCELLED = 3204, 16, 1, "The backup or restore was aborted.";
    BACKUP_DEVICE_UNKNOWN = 3206, 16, 1, "Backup device '%s' does not exist. To view existing backup devices, use the sys.backup_devices catalog view. To create a new backup device use either sp_addumpdevice or SQL Server Management Studio.";
    BACKUP_MEDIA_EMPTY = 3254, 16, 1, "The volume on device '%s' is empty.";
    BACKUP_MEDIA_DAMAGED = 3241, 16, 0, "The media family on device '%s' is incorrectly formed. SQL Server cannot process this media family.";
    BACKUP_CHECKSUM_FAILED = 3189, 16, 1, "Damage to the backup set was detected.";
    BACKUP_SET_MISMATCH = 3154, 16, 4, "The backup set holds a backup of a database other than the existing '%s' database.";
    RESTORE_DATABASE_IN_USE = 3101, 16, 1, "Exclusive access could not be obtained because the database is in use.";
    RESTORE_SYSTEM_DATABASE = 3102, 16, 1, "RESTORE cannot process database '%s' because it is in use by this session. It is recommended that the master database be used when performing this operation.";
    RESTORE_EXISTS = 3142, 16, 1, "File \"%s\" cannot be restored over the existing \"%s\". Reissue the RESTORE statement using WITH REPLACE to overwrite pre-existing files, or WITH MOVE to identify an alternate location.";
    RESTORE_FILE_IN_USE = 3156, 16, 8, "File '%s' cannot be restored to '%s'. Use WITH MOVE to identify a valid location for the file.";
    RESTORE_TAIL_NOT_BACKED_UP = 3159, 16, 1, "The tail of the log for the database \"%s\" has not been backed up. Use BACKUP LOG WITH NORECOVERY to backup the log if it contains work you do not want to lose. Use the WITH REPLACE or WITH STOPAT clause of the RESTORE statement to just overwrite the contents of the log.";
    RESTORE_NOT_A_BACKUP_FILE = 3234, 16, 1, "Logical file '%s' is not part of database '%s'. Use RESTORE FILELISTONLY to list the logical file names.";
    RESTORE_LOG_TOO_EARLY = 4305, 16, 1, "The log in this backup set begins at LSN %s, which is too recent to apply to the database. An earlier log backup that includes LSN %s can be restored.";
    RESTORE_LOG_TOO_RECENT = 4326, 16, 1, "The log in this backup set terminates at LSN %s, which is too early to apply to the database. A more recent log backup that includes LSN %s can be restored.";
    RESTORE_NOT_READY_FOR_LOG = 3117, 16, 1, "The log or differential backup cannot be restored because no files are ready to rollforward.";
    BACKUP_LOG_SIMPLE = 4208, 16, 1, "The statement %s is not allowed while the recovery model is SIMPLE. Use BACKUP DATABASE or change the recovery model using ALTER DATABASE.";
    BACKUP_LOG_NO_DATABASE_BACKUP = 4214, 16, 1, "BACKUP LOG cannot be performed because there is no current database backup.";
    BACKUP_PAGE_DAMAGED = 3043, 16, 1, "BACKUP '%s' detected an error on page (%s:%s) in file '%s'.";
    DIFFERENTIAL_NO_BASE = 3035, 16, 1, "Cannot perform a differential backup for database \"%s\", because a current database backup does not exist. Perform a full database backup by reissuing BACKUP DATABASE, omitting the WITH DIFFERENTIAL option.";
    MASTER_FULL_BACKUP_ONLY = 3024, 16, 0, "You can only perform a full backup of the master database. Use BACKUP DATABASE to back up the entire master database.";
    RESTORE_MASTER_SINGLE_USER = 3108, 16, 1, "To restore the master database, the server must be running in single-user mode. For information on starting in single-user mode, see \"How to: Start an Instance of SQL Server (sqlservr.exe)\" in Books Online.";
    RESTORE_DATABASE_MISSING = 3118, 16, 1, "The database \"%s\" does not exist. RESTORE can only create a database when restoring either a full backup or a file backup of the primary file.";
    BACKUP_SET_KIND = 3135, 16, 1, "The backup set in file '%s' was created by %s and cannot be used for this restore operation.";
    DIFFERENTIAL_BASE_MISMATCH = 3136, 16, 3, "This differential backup cannot be restored because the database has not been restored to the correct earlier state.";
    BACKUP_TEMPDB = 3147, 16, 1, "Backup and restore operations are not allowed on database tempdb.";
    RESTORE_CANNOT_START = 3167, 16, 1, "RESTORE could not start database '%s'.";
    BACKUP_VERSION = 3169, 16, 1, "The database was backed up on a server running version %s. That version is incompatible with this server, which is running version %s. Either restore the database on a server that supports the backup, or use a backup that is compatible with this server.";
    BACKUP_FAMILIES = 3231, 16, 1, "The media loaded on \"%s\" is formatted to support %s media families, but %s media families are expected according to the backup device specification.";
    BACKUP_NOT_A_BACKUP = 3242, 16, 2, "The file on device '%s' is not a valid Microsoft Tape Format backup set.";
    BACKUP_SET_NOT_FOUND = 4038, 16, 1, "Cannot find file ID %s on device '%s'.";
    RESTORE_LEFT_RESTORING = 4322, 10, 1, "This backup set contains records that were logged before the designated point in time. The database is being left in the restoring state so that more roll forward can be performed.";
    RESTORE_OTHER_PATH = 4330, 16, 1, "This backup set cannot be applied because it is on a recovery path that is inconsistent with the database. The recovery path is the sequence of data and log backups that have brought the database to a particular recovery point. Find a compatible backup to restore, or restore the rest of the database to match a recovery point within this backup set, which will restore the database to a different point in time.  For more information about recovery paths, see SQL Server Books Online.";
    RESTORE_STOP_TOO_EARLY_LOG = 4335, 16, 1, "The specified STOPAT time is too early. All or part of the database is already rolled forward beyond that point.";
    RESTORE_STOP_TOO_EARLY = 4338, 16, 1, "The STOPAT clause specifies a point too early to allow this backup set to be restored. Choose a different stop point or use RESTORE DATABASE WITH RECOVERY to recover at the current point.";
    VERIFY_VALID = 3262, 10, 1, "The backup set on file %s is valid.";
}
