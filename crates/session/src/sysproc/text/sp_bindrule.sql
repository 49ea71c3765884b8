CREATE PROCEDURE sys.sp_bindrule (
  @rulename nvarchar(776), @objname nvarchar(776), @futureonly varchar(15) = NULL
) AS RETURN 0
