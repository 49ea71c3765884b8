CREATE PROCEDURE sys.$name$ (
  @rootkey sysname, @key nvarchar(4000), @value_name nvarchar(4000) = NULL,
  @value nvarchar(4000) = NULL OUTPUT, @no_output varchar(20) = NULL
) AS
SET NOCOUNT ON
-- There is no registry; these are the values that tools look for.
SET @value = CASE
  WHEN @value_name IN ('DefaultData', 'DefaultLog')
    THEN CONVERT(nvarchar(4000), SERVERPROPERTY('InstanceDefaultDataPath'))
  WHEN @value_name = 'BackupDirectory'
    THEN CONVERT(nvarchar(4000), SERVERPROPERTY('InstanceDefaultBackupPath'))
  WHEN @value_name = 'LoginMode' THEN '2'
END
