CREATE PROCEDURE sys.sp_unsetapprole (@cookie varbinary(8000)) AS RETURN 0
