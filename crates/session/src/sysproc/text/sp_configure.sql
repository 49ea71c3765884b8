CREATE PROCEDURE sys.sp_configure (
  @configname varchar(35) = NULL, @configvalue int = NULL, @configstring varchar(30) = NULL
) AS
SET NOCOUNT ON
DECLARE @advanced int = (SELECT CONVERT(int, value_in_use) FROM sys.configurations
  WHERE name = 'show advanced options')
IF @configname IS NULL
BEGIN
  SELECT CONVERT(nvarchar(35), name) AS name, CONVERT(int, minimum) AS minimum,
    CONVERT(int, maximum) AS maximum, CONVERT(int, value) AS config_value,
    CONVERT(int, value_in_use) AS run_value
  FROM sys.configurations WHERE is_advanced = 0 OR @advanced = 1 ORDER BY LOWER(name)
  RETURN 0
END
-- The name may be given by its beginning, as long as one option alone begins so.
DECLARE @full nvarchar(35), @count int
SELECT @full = name FROM sys.configurations
WHERE name = @configname AND (is_advanced = 0 OR @advanced = 1)
IF @full IS NULL
BEGIN
  SELECT @count = COUNT(*), @full = MIN(name) FROM sys.configurations
  WHERE LEFT(name, LEN(@configname)) = @configname AND (is_advanced = 0 OR @advanced = 1)
  IF @count = 0
  BEGIN
    DECLARE @known int
    EXEC @known = sys.sp_configure_ase @configname, @configstring
    IF @known = 1 RETURN 0
    IF @known > 1
    BEGIN
      RAISERROR (15124, -1, -1, @configname)
      RETURN 1
    END
    RAISERROR (15123, -1, -1, @configname)
    RETURN 1
  END
  IF @count > 1
  BEGIN
    RAISERROR (15124, -1, -1, @configname)
    SELECT name AS duplicate_options FROM sys.configurations
    WHERE LEFT(name, LEN(@configname)) = @configname AND (is_advanced = 0 OR @advanced = 1)
    RETURN 1
  END
END
IF @configstring IS NOT NULL
BEGIN
  RAISERROR (15600, -1, -1, 'sys.sp_configure')
  RETURN 1
END
IF @configvalue IS NULL
BEGIN
  SELECT CONVERT(nvarchar(35), name) AS name, CONVERT(int, minimum) AS minimum,
    CONVERT(int, maximum) AS maximum, CONVERT(int, value) AS config_value,
    CONVERT(int, value_in_use) AS run_value
  FROM sys.configurations WHERE name = @full
  RETURN 0
END
IF @@TRANCOUNT > 0
BEGIN
  RAISERROR (15002, -1, -1, 'sys.sp_configure')
  RETURN 1
END
IF NOT EXISTS (SELECT * FROM sys.configurations
  WHERE name = @full AND @configvalue BETWEEN CONVERT(int, minimum) AND CONVERT(int, maximum))
  OR @full = 'default language' AND NOT EXISTS (SELECT * FROM sys.syslanguages WHERE langid = @configvalue)
BEGIN
  DECLARE @given varchar(11) = @configvalue
  RAISERROR (15129, -1, -1, @given, @full)
  RETURN 1
END
DECLARE @new varchar(11) = @configvalue
DECLARE @old varchar(11) = (SELECT CONVERT(int, value) FROM sys.configurations WHERE name = @full)
EXEC sys.sp_configure_set @full, @configvalue
IF @@ERROR <> 0 RETURN 1
RAISERROR (15457, 0, 1, @full, @old, @new) WITH LOG
