-- The tables of the workloads in SQLite: the same columns and indexes. Amounts are whole ten-thousandths, as
-- money is elsewhere.

CREATE TABLE product (product_id INTEGER PRIMARY KEY, name TEXT NOT NULL, list_price INTEGER NOT NULL);
CREATE TABLE special_offer (special_offer_id INTEGER PRIMARY KEY, description TEXT NOT NULL, discount_pct REAL NOT NULL);

CREATE TABLE sales_order_header (
    sales_order_id INTEGER PRIMARY KEY,
    revision_number INTEGER NOT NULL DEFAULT 0,
    order_date TEXT NOT NULL,
    due_date TEXT NOT NULL,
    ship_date TEXT,
    status INTEGER NOT NULL DEFAULT 1,
    online_order_flag INTEGER NOT NULL DEFAULT 1,
    purchase_order_number TEXT,
    account_number TEXT,
    customer_id INTEGER NOT NULL,
    sales_person_id INTEGER NOT NULL DEFAULT -1,
    territory_id INTEGER,
    bill_to_address_id INTEGER NOT NULL,
    ship_to_address_id INTEGER NOT NULL,
    ship_method_id INTEGER NOT NULL,
    credit_card_id INTEGER,
    credit_card_approval_code TEXT,
    currency_rate_id INTEGER,
    sub_total INTEGER NOT NULL DEFAULT 0,
    tax_amt INTEGER NOT NULL DEFAULT 0,
    freight INTEGER NOT NULL DEFAULT 0,
    comment TEXT,
    modified_date TEXT NOT NULL
);
CREATE INDEX header_person ON sales_order_header (sales_person_id);
CREATE INDEX header_customer ON sales_order_header (customer_id);

CREATE TABLE sales_order_detail (
    sales_order_id INTEGER NOT NULL,
    sales_order_detail_id INTEGER NOT NULL,
    carrier_tracking_number TEXT,
    order_qty INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    special_offer_id INTEGER NOT NULL,
    unit_price INTEGER NOT NULL,
    unit_price_discount INTEGER NOT NULL DEFAULT 0,
    modified_date TEXT NOT NULL,
    PRIMARY KEY (sales_order_id, sales_order_detail_id)
) WITHOUT ROWID;
CREATE INDEX detail_product ON sales_order_detail (product_id);

CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    order_date TEXT NOT NULL,
    customer_id INTEGER,
    source_id INTEGER,
    status_id INTEGER,
    amount INTEGER
);
CREATE INDEX orders_date ON orders (order_date);

CREATE TABLE items (item_id INTEGER PRIMARY KEY, code INTEGER NOT NULL UNIQUE, value INTEGER NOT NULL);

CREATE TABLE accounts (
    account_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL,
    opened_on INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    updates INTEGER NOT NULL
);
CREATE INDEX accounts_customer ON accounts (customer_id);
CREATE INDEX accounts_opened ON accounts (opened_on);
