CREATE PROCEDURE sys.sp_describe_first_result_set (
  @tsql nvarchar(max), @params nvarchar(max) = NULL, @browse_information_mode tinyint = 0
) AS RETURN 0
