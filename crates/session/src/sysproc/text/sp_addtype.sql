CREATE PROCEDURE sys.sp_addtype (
  @typename sysname, @phystype sysname, @nulltype varchar(8) = NULL, @owner sysname = NULL
) AS
SET NOCOUNT ON
SET @nulltype = UPPER(LTRIM(RTRIM(@nulltype)))
IF @nulltype NOT IN ('NULL', 'NOT NULL', 'NONULL')
BEGIN
  RAISERROR (15600, -1, -1, N'sp_addtype')
  RETURN 1
END
-- What stands for the type is the name of one and perhaps numbers, nothing else.
IF @phystype LIKE '%[^a-zA-Z0-9_ (),]%'
BEGIN
  RAISERROR (15036, -1, -1, @phystype)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'CREATE TYPE ' + ISNULL(QUOTENAME(@owner) + N'.', N'')
  + QUOTENAME(@typename) + N' FROM ' + @phystype
  + CASE WHEN @nulltype = 'NULL' THEN N' NULL' WHEN @nulltype IS NULL THEN N'' ELSE N' NOT NULL' END
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
