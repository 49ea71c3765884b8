-- The loops of native-insert, point-lookup and update-hot, each a procedure that runs in one call. The rows that
-- go with the server are in the engine MEMORY, the durable ones in InnoDB.

CREATE TABLE orders (
    order_id int AUTO_INCREMENT PRIMARY KEY,
    order_date datetime(6) NOT NULL,
    customer_id int,
    source_id int,
    status_id int,
    amount decimal(18, 2),
    INDEX (order_date)
);
CREATE TABLE orders_memory LIKE orders;
ALTER TABLE orders_memory ENGINE = MEMORY;

CREATE TABLE items_memory (
    item_id int NOT NULL PRIMARY KEY,
    code int NOT NULL,
    value int NOT NULL,
    UNIQUE INDEX (code) USING BTREE
) ENGINE = MEMORY;
INSERT INTO items_memory SELECT seq, seq * 7919 % 1000000, seq * 3 + 1 FROM seq_0_to_999999;
CREATE TABLE items (item_id int NOT NULL PRIMARY KEY, code int NOT NULL UNIQUE, value int NOT NULL);
INSERT INTO items SELECT * FROM items_memory;

CREATE TABLE accounts (
    account_id int NOT NULL PRIMARY KEY,
    customer_id int NOT NULL,
    opened_on date NOT NULL,
    balance bigint NOT NULL,
    updates int NOT NULL,
    INDEX (customer_id),
    INDEX (opened_on)
);
INSERT INTO accounts
SELECT seq, seq DIV 2, DATE '2015-01-01' + INTERVAL seq * 7919 % 3650 DAY, 0, 0 FROM seq_0_to_999999;
ANALYZE TABLE items, items_memory, accounts;

DELIMITER //

CREATE PROCEDURE insert_orders(row_count int)
BEGIN
    DECLARE i int DEFAULT 0;
    START TRANSACTION;
    WHILE i < row_count DO
        INSERT INTO orders (order_date, customer_id, source_id, status_id, amount)
        VALUES (SYSDATE(6), 1, 1, 1, 1);
        SET i = i + 1;
    END WHILE;
    COMMIT;
END //

CREATE PROCEDURE insert_orders_memory(row_count int)
BEGIN
    DECLARE i int DEFAULT 0;
    WHILE i < row_count DO
        INSERT INTO orders_memory (order_date, customer_id, source_id, status_id, amount)
        VALUES (SYSDATE(6), 1, 1, 1, 1);
        SET i = i + 1;
    END WHILE;
END //

CREATE PROCEDURE look_up_by_hash(row_count int)
BEGIN
    DECLARE i, found_key, found_value int DEFAULT 0;
    DECLARE total bigint DEFAULT 0;
    WHILE i < row_count DO
        SET found_key = (found_key * 2141 + 12347) % 1000000;
        SELECT value INTO found_value FROM items_memory WHERE item_id = found_key;
        SET total = total + found_value;
        SET i = i + 1;
    END WHILE;
    SELECT total;
END //

CREATE PROCEDURE look_up_by_range(row_count int)
BEGIN
    DECLARE i, found_key, found_value int DEFAULT 0;
    DECLARE total bigint DEFAULT 0;
    WHILE i < row_count DO
        SET found_key = (found_key * 2141 + 12347) % 1000000;
        SELECT value INTO found_value FROM items_memory WHERE code = found_key;
        SET total = total + found_value;
        SET i = i + 1;
    END WHILE;
    SELECT total;
END //

CREATE PROCEDURE update_accounts(row_count int, per_transaction int)
BEGIN
    DECLARE i, found_key int DEFAULT 0;
    START TRANSACTION;
    WHILE i < row_count DO
        SET found_key = (found_key * 2141 + 12347) % 1000000;
        UPDATE accounts SET balance = balance + found_key, updates = updates + 1 WHERE account_id = found_key;
        SET i = i + 1;
        IF i % per_transaction = 0 THEN
            COMMIT;
            START TRANSACTION;
        END IF;
    END WHILE;
    COMMIT;
END //

DELIMITER ;
