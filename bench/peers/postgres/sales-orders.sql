-- The sales-order workload on PostgreSQL: the same tables, indexes and rows an order, a function for what the
-- procedure of the sample does, and a procedure that commits each of twenty orders.

CREATE TABLE product (
    product_id int PRIMARY KEY,
    name varchar(50) NOT NULL,
    list_price numeric(19, 4) NOT NULL
);

CREATE TABLE special_offer (
    special_offer_id int PRIMARY KEY,
    description varchar(255) NOT NULL,
    discount_pct numeric(10, 4) NOT NULL
);

CREATE TABLE sales_order_header (
    sales_order_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    revision_number smallint NOT NULL DEFAULT 0,
    order_date timestamp NOT NULL,
    due_date timestamp NOT NULL,
    ship_date timestamp,
    status smallint NOT NULL DEFAULT 1,
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
    sub_total numeric(19, 4) NOT NULL DEFAULT 0,
    tax_amt numeric(19, 4) NOT NULL DEFAULT 0,
    freight numeric(19, 4) NOT NULL DEFAULT 0,
    comment varchar(128),
    modified_date timestamp NOT NULL
);
CREATE INDEX ON sales_order_header (sales_person_id);
CREATE INDEX ON sales_order_header (customer_id);

-- The primary key serves look-ups by order, too, so there is no index for them alone.
CREATE TABLE sales_order_detail (
    sales_order_id int NOT NULL,
    sales_order_detail_id bigint GENERATED ALWAYS AS IDENTITY,
    carrier_tracking_number varchar(25),
    order_qty smallint NOT NULL,
    product_id int NOT NULL,
    special_offer_id int NOT NULL,
    unit_price numeric(19, 4) NOT NULL,
    unit_price_discount numeric(19, 4) NOT NULL DEFAULT 0,
    modified_date timestamp NOT NULL,
    PRIMARY KEY (sales_order_id, sales_order_detail_id)
);
CREATE INDEX ON sales_order_detail (product_id);

CREATE TABLE seed (
    order_id int NOT NULL,
    order_qty smallint NOT NULL,
    product_id int NOT NULL,
    special_offer_id int NOT NULL
);
CREATE INDEX ON seed (order_id);

INSERT INTO product SELECT i, 'Product ' || i, (i * 37 % 3400) + 0.99 FROM generate_series(1, 504) AS i;
INSERT INTO special_offer SELECT i, 'Offer ' || i, (i - 1) * 0.02 FROM generate_series(1, 16) AS i;
INSERT INTO seed
SELECT i % 108, i % 6 + 1, 210 + i * 7 % 295, CASE WHEN i <= 295 THEN 1 ELSE i % 15 + 2 END
FROM generate_series(1, 538) AS i;

CREATE FUNCTION insert_order(
    due timestamp, customer int, bill_to int, ship_to int, ship_method int,
    quantities smallint[], products int[], offers int[]
) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    now timestamp := clock_timestamp();
    total numeric(19, 4);
    id int;
BEGIN
    SELECT coalesce(sum(p.list_price * (1 - coalesce(o.discount_pct, 0))), 0) INTO total
    FROM unnest(products, offers) AS line (product_id, special_offer_id)
    JOIN product AS p USING (product_id)
    LEFT JOIN special_offer AS o USING (special_offer_id);

    INSERT INTO sales_order_header
        (due_date, customer_id, bill_to_address_id, ship_to_address_id, ship_method_id, order_date,
         sub_total, modified_date)
    VALUES (due, customer, bill_to, ship_to, ship_method, now, total, now)
    RETURNING sales_order_id INTO id;

    INSERT INTO sales_order_detail
        (sales_order_id, order_qty, product_id, special_offer_id, unit_price, unit_price_discount,
         modified_date)
    SELECT id, line.order_qty, line.product_id, line.special_offer_id, p.list_price,
           coalesce(p.list_price * o.discount_pct, 0), now
    FROM unnest(quantities, products, offers) AS line (order_qty, product_id, special_offer_id)
    JOIN product AS p USING (product_id)
    LEFT JOIN special_offer AS o USING (special_offer_id);
    RETURN id;
END $$;

CREATE PROCEDURE twenty_orders() LANGUAGE plpgsql AS $$
DECLARE
    due timestamp := clock_timestamp();
    customer int := random() * 8000;
    bill_to int := random() * 10000;
    ship_to int := random() * 10000;
    ship_method int := random() * 5 + 1;
    sample int := floor(random() * 106 + 1);
    quantities smallint[];
    products int[];
    offers int[];
BEGIN
    SELECT array_agg(order_qty), array_agg(product_id), array_agg(special_offer_id)
    INTO quantities, products, offers
    FROM seed WHERE order_id = sample;
    FOR i IN 1..20 LOOP
        PERFORM insert_order(due, customer, bill_to, ship_to, ship_method, quantities, products, offers);
        COMMIT;
    END LOOP;
END $$;

ANALYZE;
