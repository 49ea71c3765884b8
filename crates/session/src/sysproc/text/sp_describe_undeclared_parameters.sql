CREATE PROCEDURE sys.sp_describe_undeclared_parameters (
  @tsql nvarchar(max), @params nvarchar(max) = NULL
) AS RETURN 0
