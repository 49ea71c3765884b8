CREATE PROCEDURE sys.$name$ (@p1 int = 1) AS RETURN 0
