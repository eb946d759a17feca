ALTER TABLE departments ADD PRIMARY KEY (id);
ALTER TABLE employees ADD PRIMARY KEY (id);
ALTER TABLE customers ADD PRIMARY KEY (id);
ALTER TABLE products ADD PRIMARY KEY (id);
ALTER TABLE quotes ADD PRIMARY KEY (id);
ALTER TABLE orders ADD PRIMARY KEY (id);
ALTER TABLE order_items ADD PRIMARY KEY (order_id, line);

ALTER TABLE employees ADD FOREIGN KEY (department_id) REFERENCES departments (id);
ALTER TABLE quotes
    ADD FOREIGN KEY (customer_id) REFERENCES customers (id),
    ADD FOREIGN KEY (employee_id) REFERENCES employees (id);
ALTER TABLE orders
    ADD FOREIGN KEY (customer_id) REFERENCES customers (id),
    ADD FOREIGN KEY (employee_id) REFERENCES employees (id);
ALTER TABLE order_items
    ADD FOREIGN KEY (order_id) REFERENCES orders (id),
    ADD FOREIGN KEY (product_id) REFERENCES products (id);

CREATE INDEX orders_ordered_at ON orders (ordered_at);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX quotes_created_at ON quotes (created_at);
CREATE INDEX order_items_product ON order_items (product_id);
ANALYZE;
