-- Records a migration in the transaction that applied it. Called by: migrate. Rows: one.
INSERT INTO openeve.openeve_schema_migrations (id, checksum, description, package_version)
VALUES ($1, $2, $3, $4)
