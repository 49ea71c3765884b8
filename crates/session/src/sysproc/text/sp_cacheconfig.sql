CREATE PROCEDURE sys.sp_cacheconfig (
  @cachename sysname = NULL, @cache_size varchar(30) = NULL, @option1 varchar(30) = NULL,
  @option2 varchar(30) = NULL, @option3 varchar(30) = NULL
) AS RETURN 0
