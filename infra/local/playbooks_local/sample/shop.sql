-- The sample shop. Orders are what was sold; quotes are offers, most of which nobody took.
-- Keys are added when the rows are in (shop_keys.sql): checked at once, not row by row.

CREATE TABLE departments (
    id integer NOT NULL,
    name text NOT NULL UNIQUE
);
CREATE TABLE employees (
    id integer NOT NULL,
    name text NOT NULL,
    department_id integer NOT NULL,
    hired_on date NOT NULL
);
CREATE TABLE customers (
    id integer NOT NULL,
    name text NOT NULL,
    region text NOT NULL,
    email text NOT NULL,
    since date NOT NULL
);
CREATE TABLE products (
    id integer NOT NULL,
    name text NOT NULL,
    category text NOT NULL,
    list_price numeric(10, 2) NOT NULL
);
CREATE TABLE quotes (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    employee_id integer NOT NULL,
    created_at timestamptz NOT NULL,
    amount numeric(12, 2) NOT NULL,
    accepted boolean NOT NULL
);
CREATE TABLE orders (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    employee_id integer NOT NULL,
    ordered_at timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('paid', 'shipped', 'delivered', 'cancelled')),
    amount numeric(12, 2) NOT NULL
);
CREATE TABLE order_items (
    order_id integer NOT NULL,
    line integer NOT NULL,
    product_id integer NOT NULL,
    quantity integer NOT NULL,
    unit_price numeric(10, 2) NOT NULL
);

COMMENT ON TABLE departments IS 'Departments that sell';
COMMENT ON TABLE employees IS 'Who sells; each belongs to one department';
COMMENT ON TABLE customers IS 'Companies that buy';
COMMENT ON TABLE products IS 'What is sold';
COMMENT ON TABLE quotes IS 'Offers made to customers. Not sales: most are never accepted';
COMMENT ON TABLE orders IS 'Sales. Cancelled orders stay in the table with status cancelled';
COMMENT ON TABLE order_items IS 'Lines of an order';
COMMENT ON COLUMN customers.region IS 'Region of the customer, not of the seller';
COMMENT ON COLUMN quotes.amount IS 'Offered total';
COMMENT ON COLUMN orders.employee_id IS 'Who sold it; the department is the employee''s';
COMMENT ON COLUMN orders.ordered_at IS 'When the customer ordered';
COMMENT ON COLUMN orders.amount IS 'Total of the order: the sum of its lines';
