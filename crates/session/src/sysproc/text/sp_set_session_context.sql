CREATE PROCEDURE sys.sp_set_session_context (
  @key sysname, @value sql_variant, @read_only bit = 0
) AS RETURN 0
