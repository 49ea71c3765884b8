CREATE PROCEDURE sys.$name$
  @database_name sysname,
  @transaction_lower_bound bigint = NULL,
  @transaction_upper_bound bigint = NULL
AS
RETURN 0
