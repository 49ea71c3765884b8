CREATE PROCEDURE sys.sp_imrs (
  @action varchar(30) = NULL, @what varchar(30) = NULL, @cachename sysname = NULL
) AS RETURN 0
