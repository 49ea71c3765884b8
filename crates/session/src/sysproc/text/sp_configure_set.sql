CREATE PROCEDURE sys.sp_configure_set (@name nvarchar(35), @value int) AS RETURN 0
