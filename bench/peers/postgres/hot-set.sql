-- The table of hot-set, and the functions that look rows up, and update some of them, by keys in an array.

CREATE TABLE t (
    id int NOT NULL PRIMARY KEY,
    a int NOT NULL,
    b int NOT NULL,
    v int NOT NULL,
    u int NOT NULL,
    n char(160) NOT NULL
);

CREATE FUNCTION look_up(keys int[], OUT total bigint, OUT seconds float8) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
    key int;
    found_value int;
BEGIN
    total := 0;
    FOREACH key IN ARRAY keys LOOP
        SELECT v + u INTO found_value FROM t WHERE id = key;
        total := total + found_value;
    END LOOP;
    seconds := extract(epoch FROM clock_timestamp() - began);
END $$;

-- A call is a transaction, so what its commit takes is not in the seconds: a flush of the log, once a call.
CREATE FUNCTION mixed(keys int[], OUT total bigint, OUT seconds float8) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
    key int;
    found_value int;
    place int := 0;
BEGIN
    total := 0;
    FOREACH key IN ARRAY keys LOOP
        IF place % 2 = 0 THEN
            SELECT v + u INTO found_value FROM t WHERE id = key;
            total := total + found_value;
        ELSE
            UPDATE t SET u = u + 1 WHERE id = key;
        END IF;
        place := place + 1;
    END LOOP;
    seconds := extract(epoch FROM clock_timestamp() - began);
END $$;
