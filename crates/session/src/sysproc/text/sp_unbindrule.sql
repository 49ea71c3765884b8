CREATE PROCEDURE sys.sp_unbindrule (
  @objname nvarchar(776), @futureonly varchar(15) = NULL
) AS RETURN 0
