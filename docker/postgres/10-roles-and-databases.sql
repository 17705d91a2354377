-- Run once by the postgres image when its data volume is empty. Passwords come from the container's environment,
-- so that none stands in a file. Four roles, because the one that serves requests must not be able to undo what
-- binds it: row-level security and missing grants do not bind a superuser or a table's owner.

\getenv owner_password COUNTERSIGN_OWNER_DB_PASSWORD
\getenv app_password COUNTERSIGN_APP_DB_PASSWORD
\getenv temporal_password TEMPORAL_DB_PASSWORD
\set sandbox_password ''
\getenv sandbox_password SANDBOX_DB_PASSWORD

-- A refused statement would otherwise be copied into the server's log, password and all.
SET log_min_error_statement = panic;

-- Owns the schema; only `countersign migrate` connects with it.
CREATE ROLE countersign_owner LOGIN PASSWORD :'owner_password'
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
-- What the migrations grant to. Nobody logs in as it.
CREATE ROLE countersign_app NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
-- What API and workers log in as: owns nothing, has what countersign_app was granted.
CREATE ROLE countersign_runtime LOGIN PASSWORD :'app_password'
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS IN ROLE countersign_app;
CREATE DATABASE countersign OWNER countersign_owner;
REVOKE ALL ON DATABASE countersign FROM PUBLIC;
GRANT CONNECT ON DATABASE countersign TO countersign_app;

-- Temporal's own two databases; its schema job owns their public schema and may add the extension it needs.
CREATE ROLE temporal LOGIN PASSWORD :'temporal_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE ALL ON DATABASE temporal FROM PUBLIC;
REVOKE ALL ON DATABASE temporal_visibility FROM PUBLIC;

-- The simulated payment provider of the `sandbox` profile remembers like a real one, in a database of its own.
-- Without a password for it there is no such role.
SELECT :'sandbox_password' <> '' AS with_sandbox \gset
\if :with_sandbox
CREATE ROLE countersign_sandbox LOGIN PASSWORD :'sandbox_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
CREATE DATABASE countersign_sandbox OWNER countersign_sandbox;
REVOKE ALL ON DATABASE countersign_sandbox FROM PUBLIC;
\endif
