CREATE PROCEDURE sys.sp_settriggerorder (
  @triggername nvarchar(517), @order varchar(10), @stmttype varchar(50),
  @namespace varchar(10) = NULL
) AS RETURN 0
