CREATE PROCEDURE sys.sp_readerrorlog (
  @p1 int = 0, @p2 int = NULL, @p3 nvarchar(4000) = NULL, @p4 nvarchar(4000) = NULL
) AS RETURN 0
