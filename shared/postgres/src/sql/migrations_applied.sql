-- Applied migrations. Called by: migrate and the ready check. Locks: none.
SELECT id, checksum FROM openeve.openeve_schema_migrations ORDER BY id
