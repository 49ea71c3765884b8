CREATE PROCEDURE sys.sp_helplanguage (@language sysname = NULL) AS
SET NOCOUNT ON
IF @language IS NOT NULL AND NOT EXISTS (
  SELECT * FROM sys.syslanguages WHERE name = @language OR alias = @language)
BEGIN
  RAISERROR (15033, -1, -1, @language)
  RETURN 1
END
SELECT langid, dateformat, datefirst, upgrade, name, alias, months, shortmonths, days, lcid, msglangid
FROM sys.syslanguages WHERE @language IS NULL OR name = @language OR alias = @language
ORDER BY langid
