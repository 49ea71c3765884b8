//! BULK INSERT and bulk load over the wire.

super::messages! {
    BULK_IN_MULTI_STATEMENT = 428, 16, 1, "Insert bulk cannot be used in a multi-statement batch.";
    BULK_COLUMN_LENGTH_RECEIVED = 4815, 16, 1, "Received an invalid column length from the bcp client for colid %s.";
    BULK_COLUMN_TYPE_INVALID = 4816, 16, 1, "Invalid column type from bcp client for colid %s.";
    BULK_NOT_SORTED = 4819, 16, 1, "Cannot bulk load. The bulk data stream was incorrectly specified as sorted or the data violates the uniqueness constraint imposed by the target table. Sort order incorrect for the following two rows: primary key of first row: %s, primary key of second row: %s.";
    SINGLE_CLOB_IS_UNICODE = 4806, 16, 1, "SINGLE_CLOB requires a double-byte character set (DBCS) (char) input file. The file specified is Unicode.";
    SINGLE_NCLOB_IS_NOT_UNICODE = 4809, 16, 1, "SINGLE_NCLOB requires a UNICODE (widechar) input file. The file specified is not Unicode.";
    BULK_ROWSET_WITHOUT_NAME = 491, 16, 1, "A correlation name must be specified for the bulk rowset in the from clause.";
    AD_HOC_QUERIES_OFF = 15281, 16, 1, "SQL Server blocked access to STATEMENT 'OpenRowset/OpenDatasource' of component 'Ad Hoc Distributed Queries' because this component is turned off as part of the security configuration for this server. A system administrator can enable the use of 'Ad Hoc Distributed Queries' by using sp_configure. For more information about enabling 'Ad Hoc Distributed Queries', search for 'Ad Hoc Distributed Queries' in SQL Server Books Online.";
    BULK_PREMATURE_END = 4804, 21, 1, "While reading current row from host, a premature end-of-message was encountered--an incoming data stream was interrupted when the server expected to see more data. The host program may have terminated. Ensure that you are using a supported client application programming interface (API).";
    BULK_ROW_LENGTH = 4803, 21, 1, "The bulk copy (bcp) client has sent a row length of %s. This is not a valid size. The maximum row size is %s. Use a supported client application programming interface (API).";
    BULK_FILE_OPEN = 4860, 16, 1, "Cannot bulk load. The file \"%s\" does not exist or you don't have file access rights.";
    BULK_FILE_OPERATING_SYSTEM_ERROR = 4861, 16, 1, "Cannot bulk load because the file \"%s\" could not be opened. Operating system error code %s.";
    BULK_FORMAT_FILE_UNREADABLE = 4862, 16, 1, "Cannot bulk load because the file \"%s\" is incomplete or could not be read. Operating system error code %s.";
    BULK_TRUNCATION = 4863, 16, 1, "Bulk load data conversion error (truncation) for row %s, column %s (%s).";
    BULK_CONVERSION = 4864, 16, 1, "Bulk load data conversion error (type mismatch or invalid character for the specified codepage) for row %s, column %s (%s).";
    BULK_TOO_MANY_ERRORS = 4865, 16, 1, "Cannot bulk load because the maximum number of errors (%s) was exceeded.";
    BULK_COLUMN_TOO_LONG = 4866, 16, 1, "The bulk load failed. The column is too long in the data file for row %s, column %s. Verify that the field terminator and row terminator are specified correctly.";
    BULK_OVERFLOW = 4867, 16, 1, "Bulk load data conversion error (overflow) for row %s, column %s (%s).";
    BULK_CODE_PAGE_INVALID = 4868, 16, 1, "The bulk load failed. The codepage \"%s\" is not installed. Install the codepage and run the command again.";
    BULK_UNEXPECTED_NULL = 4869, 16, 1, "The bulk load failed. Unexpected NULL value in data file row %s, column %s. The destination column (%s) is defined as NOT NULL.";
    BULK_ERROR_FILE_IO = 4870, 16, 1, "Cannot bulk load because of an error writing file \"%s\". Operating system error code %s.";
    BULK_LOG_ERROR = 4871, 16, 1, "Bulk load error while attempting to log errors.";
    BULK_END_OF_FILE = 4832, 16, 1, "Bulk load: An unexpected end of file was encountered in the data file.";
    BULK_PERMISSION = 4834, 16, 1, "You do not have permission to use the bulk load statement.";
    BULK_FORMAT_COLUMN = 4823, 16, 1, "Cannot bulk load. Invalid column number in the format file \"%s\".";
    BULK_CSV_VALUE = 4879, 16, 1, "Bulk load failed due to invalid column value in CSV data file %s in row %s, column %s.";
    BULK_PROVIDER_FAILED = 7301, 16, 2, "Cannot obtain the required interface (\"%s\") from OLE DB provider \"%s\" for linked server \"%s\".";
    BULK_PROVIDER_FETCH = 7330, 16, 2, "Cannot fetch a row from OLE DB provider \"%s\" for linked server \"%s\".";
    BULK_PROVIDER_ERROR = 7399, 16, 1, "The OLE DB provider \"%s\" for linked server \"%s\" reported an error. %s";
    BULK_FIRST_ROW_AFTER_LAST = 4880, 16, 1, "Cannot bulk load. When you use the FIRSTROW and LASTROW parameters, the value for FIRSTROW cannot be greater than the value for LASTROW.";
    BULK_FILE_OPEN_SYSTEM_ERROR = 4886, 16, 1, "Cannot open the file \"%s\". Operating system error: %s";
    BULK_SCHEMA_CHANGED = 4892, 16, 1, "Bulk insert failed due to a schema change of the target table.";
    INSERT_BULK_SCHEMA_CHANGED = 4891, 16, 1, "Insert bulk failed due to a schema change of the target table.";
    BULK_METADATA_MISSING = 4894, 21, 1, "COLMETADATA must be present when using bcp.";
    BULK_ODD_UNICODE = 4895, 21, 1, "Unicode data is odd byte size for column %s. Should be even byte size.";
    BULK_COLUMN_VALUE_INVALID = 4896, 16, 1, "Invalid column value from bcp client for colid %s.";
    BULK_CHUNK_LENGTH_INVALID = 4897, 16, 1, "Received an invalid length for chunked LOB data for colid %s.";
    BULK_ATTRIBUTE_INVALID = 4875, 16, 1, "Invalid column attribute from bcp client for colid %s.";
}
