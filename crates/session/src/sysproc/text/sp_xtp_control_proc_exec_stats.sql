CREATE PROCEDURE sys.$name$
  @new_collection_value bit = NULL,
  @old_collection_value bit = NULL OUTPUT
AS
RETURN 0
