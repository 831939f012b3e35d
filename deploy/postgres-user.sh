#!/bin/sh
# Creates Cairn's database user, which is no superuser but may create roles, and its database. The postgres image runs
# this once, with the password in CAIRN_DATABASE_PASSWORD.
set -eu
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$CAIRN_DATABASE_PASSWORD" <<'END'
CREATE ROLE cairn LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE cairn OWNER cairn;
END
