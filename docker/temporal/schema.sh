#!/bin/sh
# One-shot, in temporalio/admin-tools: brings Temporal's two databases to the newest schema of this image.
# The databases exist already and belong to SQL_USER (docker/postgres). Safe to run again: setup-schema leaves a
# database alone that is past version 0.0, update-schema applies only what is missing.
# SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD are the tool's own variables.
set -eu

versions=${TEMPORAL_SCHEMA_DIR:-/etc/temporal/schema/postgresql/v12}

for part in temporal:temporal temporal_visibility:visibility; do
  database=${part%%:*}
  schema=${part##*:}
  echo "schema of $database"
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-dir "$versions/$schema/versioned"
done
