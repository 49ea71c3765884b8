CREATE PROCEDURE sys.sp_sequence_get_range (
  @sequence_name nvarchar(776), @range_size bigint, @range_first_value sql_variant OUTPUT,
  @range_last_value sql_variant = NULL OUTPUT, @range_cycle_count int = NULL OUTPUT,
  @sequence_increment sql_variant = NULL OUTPUT, @sequence_min_value sql_variant = NULL OUTPUT,
  @sequence_max_value sql_variant = NULL OUTPUT
) AS RETURN 0
