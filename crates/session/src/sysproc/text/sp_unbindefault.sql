CREATE PROCEDURE sys.sp_unbindefault (
  @objname nvarchar(776), @futureonly varchar(15) = NULL
) AS RETURN 0
