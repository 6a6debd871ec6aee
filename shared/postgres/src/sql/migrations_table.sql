-- Where applied migrations are recorded [O.05]. Called by: migrate. Idempotent.
CREATE SCHEMA IF NOT EXISTS openeve;
CREATE TABLE IF NOT EXISTS openeve.openeve_schema_migrations (
    id text PRIMARY KEY,
    checksum text NOT NULL,
    description text NOT NULL,
    package_version text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
