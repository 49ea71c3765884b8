CREATE PROCEDURE sys.sp_recompile_object (@object int, @done bit OUTPUT) AS RETURN 0
