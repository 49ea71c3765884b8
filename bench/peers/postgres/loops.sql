-- The loops of native-insert, point-lookup and update-hot, each a procedure that runs in one call.

CREATE UNLOGGED TABLE orders_unlogged (
    order_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_date timestamp NOT NULL,
    customer_id int,
    source_id int,
    status_id int,
    amount numeric(18, 2)
);
CREATE INDEX ON orders_unlogged (order_date);
CREATE TABLE orders (LIKE orders_unlogged INCLUDING ALL);

CREATE PROCEDURE insert_orders_unlogged(rows int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..rows LOOP
        INSERT INTO orders_unlogged (order_date, customer_id, source_id, status_id, amount)
        VALUES (clock_timestamp(), 1, 1, 1, 1);
    END LOOP;
END $$;

CREATE PROCEDURE insert_orders(rows int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..rows LOOP
        INSERT INTO orders (order_date, customer_id, source_id, status_id, amount)
        VALUES (clock_timestamp(), 1, 1, 1, 1);
    END LOOP;
END $$;

CREATE TABLE items (item_id int NOT NULL, code int NOT NULL UNIQUE, value int NOT NULL);
INSERT INTO items SELECT n, n * 7919 % 1000000, n * 3 + 1 FROM generate_series(0::bigint, 999999) AS n;
CREATE INDEX ON items USING hash (item_id);

CREATE FUNCTION look_up_by_hash(rows int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    key int := 0;
    found_value int;
    total bigint := 0;
BEGIN
    FOR i IN 1..rows LOOP
        key := (key * 2141 + 12347) % 1000000;
        SELECT value INTO found_value FROM items WHERE item_id = key;
        total := total + found_value;
    END LOOP;
    RETURN total;
END $$;

CREATE FUNCTION look_up_by_range(rows int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    key int := 0;
    found_value int;
    total bigint := 0;
BEGIN
    FOR i IN 1..rows LOOP
        key := (key * 2141 + 12347) % 1000000;
        SELECT value INTO found_value FROM items WHERE code = key;
        total := total + found_value;
    END LOOP;
    RETURN total;
END $$;

CREATE TABLE accounts (
    account_id int NOT NULL PRIMARY KEY,
    customer_id int NOT NULL,
    opened_on date NOT NULL,
    balance bigint NOT NULL,
    updates int NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX ON accounts (customer_id);
CREATE INDEX ON accounts (opened_on);
INSERT INTO accounts
SELECT n, n / 2, date '2015-01-01' + (n * 7919 % 3650)::int, 0, 0 FROM generate_series(0::bigint, 999999) AS n;

CREATE PROCEDURE update_accounts(rows int, INOUT key int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..rows LOOP
        key := (key * 2141 + 12347) % 1000000;
        UPDATE accounts SET balance = balance + key, updates = updates + 1 WHERE account_id = key;
    END LOOP;
END $$;

VACUUM ANALYZE;
