-- Whether the table of applied migrations exists. Called by: migrate --plan and the ready check.
SELECT to_regclass('openeve.openeve_schema_migrations') IS NOT NULL AS exists
