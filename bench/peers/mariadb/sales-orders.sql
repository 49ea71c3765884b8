-- The sales-order workload on MariaDB: the same tables, indexes and rows an order, and a procedure that commits
-- each of twenty orders. MariaDB has no arrays; the lines of the sample order are in a temporary table of the
-- session's, as the table-valued parameter is elsewhere.

CREATE TABLE product (
    product_id int PRIMARY KEY,
    name varchar(50) NOT NULL,
    list_price decimal(19, 4) NOT NULL
);

CREATE TABLE special_offer (
    special_offer_id int PRIMARY KEY,
    description varchar(255) NOT NULL,
    discount_pct decimal(10, 4) NOT NULL
);

CREATE TABLE sales_order_header (
    sales_order_id int AUTO_INCREMENT PRIMARY KEY,
    revision_number tinyint unsigned NOT NULL DEFAULT 0,
    order_date datetime(6) NOT NULL,
    due_date datetime(6) NOT NULL,
    ship_date datetime(6),
    status tinyint unsigned NOT NULL DEFAULT 1,
    online_order_flag boolean NOT NULL DEFAULT true,
    purchase_order_number varchar(25),
    account_number varchar(15),
    customer_id int NOT NULL,
    sales_person_id int NOT NULL DEFAULT -1,
    territory_id int,
    bill_to_address_id int NOT NULL,
    ship_to_address_id int NOT NULL,
    ship_method_id int NOT NULL,
    credit_card_id int,
    credit_card_approval_code varchar(15),
    currency_rate_id int,
    sub_total decimal(19, 4) NOT NULL DEFAULT 0,
    tax_amt decimal(19, 4) NOT NULL DEFAULT 0,
    freight decimal(19, 4) NOT NULL DEFAULT 0,
    comment varchar(128),
    modified_date datetime(6) NOT NULL,
    INDEX (sales_person_id),
    INDEX (customer_id)
);

-- The primary key serves look-ups by order, too, so there is no index for them alone. InnoDB wants an index
-- that begins with the counter; the lines' numbers are unique within an order here.
CREATE TABLE sales_order_detail (
    sales_order_id int NOT NULL,
    sales_order_detail_id smallint NOT NULL,
    carrier_tracking_number varchar(25),
    order_qty smallint NOT NULL,
    product_id int NOT NULL,
    special_offer_id int NOT NULL,
    unit_price decimal(19, 4) NOT NULL,
    unit_price_discount decimal(19, 4) NOT NULL DEFAULT 0,
    modified_date datetime(6) NOT NULL,
    PRIMARY KEY (sales_order_id, sales_order_detail_id),
    INDEX (product_id)
);

CREATE TABLE seed (
    order_id int NOT NULL,
    line smallint NOT NULL,
    order_qty smallint NOT NULL,
    product_id int NOT NULL,
    special_offer_id int NOT NULL,
    INDEX (order_id)
);

INSERT INTO product SELECT seq, CONCAT('Product ', seq), (seq * 37 % 3400) + 0.99 FROM seq_1_to_504;
INSERT INTO special_offer SELECT seq, CONCAT('Offer ', seq), (seq - 1) * 0.02 FROM seq_1_to_16;
INSERT INTO seed
SELECT seq % 108, seq DIV 108, seq % 6 + 1, 210 + seq * 7 % 295, IF(seq <= 295, 1, seq % 15 + 2) FROM seq_1_to_538;

DELIMITER //

CREATE PROCEDURE insert_order(due datetime(6), customer int, bill_to int, ship_to int, ship_method int)
BEGIN
    DECLARE now_6 datetime(6) DEFAULT SYSDATE(6);
    DECLARE total decimal(19, 4);
    DECLARE id int;

    SELECT COALESCE(SUM(p.list_price * (1 - COALESCE(o.discount_pct, 0))), 0) INTO total
    FROM order_lines AS line
    JOIN product AS p USING (product_id)
    LEFT JOIN special_offer AS o USING (special_offer_id);

    INSERT INTO sales_order_header
        (due_date, customer_id, bill_to_address_id, ship_to_address_id, ship_method_id, order_date,
         sub_total, modified_date)
    VALUES (due, customer, bill_to, ship_to, ship_method, now_6, total, now_6);
    SET id = LAST_INSERT_ID();

    INSERT INTO sales_order_detail
        (sales_order_id, sales_order_detail_id, order_qty, product_id, special_offer_id, unit_price,
         unit_price_discount, modified_date)
    SELECT id, line.line, line.order_qty, line.product_id, line.special_offer_id, p.list_price,
           COALESCE(p.list_price * o.discount_pct, 0), now_6
    FROM order_lines AS line
    JOIN product AS p USING (product_id)
    LEFT JOIN special_offer AS o USING (special_offer_id);
END //

CREATE PROCEDURE twenty_orders()
BEGIN
    DECLARE due datetime(6) DEFAULT SYSDATE(6);
    DECLARE customer int DEFAULT RAND() * 8000;
    DECLARE bill_to int DEFAULT RAND() * 10000;
    DECLARE ship_to int DEFAULT RAND() * 10000;
    DECLARE ship_method int DEFAULT RAND() * 5 + 1;
    DECLARE sample int DEFAULT FLOOR(RAND() * 106 + 1);
    DECLARE i int DEFAULT 0;

    CREATE TEMPORARY TABLE IF NOT EXISTS order_lines
        (line smallint NOT NULL, order_qty smallint NOT NULL, product_id int NOT NULL,
         special_offer_id int NOT NULL) ENGINE = MEMORY;
    DELETE FROM order_lines;
    INSERT INTO order_lines
    SELECT line, order_qty, product_id, special_offer_id FROM seed WHERE order_id = sample;
    WHILE i < 20 DO
        START TRANSACTION;
        CALL insert_order(due, customer, bill_to, ship_to, ship_method);
        COMMIT;
        SET i = i + 1;
    END WHILE;
END //

DELIMITER ;
