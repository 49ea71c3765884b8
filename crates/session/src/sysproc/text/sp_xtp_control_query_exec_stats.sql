CREATE PROCEDURE sys.$name$
  @new_collection_value bit = NULL,
  @database_id int = NULL,
  @xtp_object_id int = NULL,
  @old_collection_value bit = NULL OUTPUT
AS
RETURN 0
