-- The database's clock. Called by: doctor. Locks: none. Rows: one.
SELECT clock_timestamp() AS now
