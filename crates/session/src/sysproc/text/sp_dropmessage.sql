CREATE PROCEDURE sys.sp_dropmessage (@msgnum int, @lang sysname = NULL) AS RETURN 0
