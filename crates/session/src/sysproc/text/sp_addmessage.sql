CREATE PROCEDURE sys.sp_addmessage (
  @msgnum int, @severity smallint, @msgtext nvarchar(255), @lang sysname = NULL,
  @with_log varchar(5) = 'FALSE', @replace varchar(7) = NULL
) AS RETURN 0
