CREATE PROCEDURE sys.sp_bindefault (
  @defname nvarchar(776), @objname nvarchar(776), @futureonly varchar(15) = NULL
) AS RETURN 0
