CREATE PROCEDURE sys.sp_describe_parameter_encryption (
  @tsql nvarchar(max), @params nvarchar(max) = NULL
) AS RETURN 0
