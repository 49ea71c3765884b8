CREATE PROCEDURE sys.xp_create_subdir (@path nvarchar(4000)) AS RETURN 0
