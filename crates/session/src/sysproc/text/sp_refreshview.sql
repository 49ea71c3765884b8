CREATE PROCEDURE sys.sp_refreshview (@viewname nvarchar(776)) AS RETURN 0
