-- Serialises migrators for one transaction; no session state is left behind. Called by: migrate.
SELECT pg_advisory_xact_lock(7881600)
