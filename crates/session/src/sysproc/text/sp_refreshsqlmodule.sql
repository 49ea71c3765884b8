CREATE PROCEDURE sys.sp_refreshsqlmodule (@name nvarchar(776), @namespace nvarchar(20) = N'OBJECT') AS RETURN 0
