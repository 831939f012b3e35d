#!/bin/sh
# Makes the user that Cairn works as, which is no superuser and may make its roles, and its database. Run once by the
# postgres image, with the password in CAIRN_DATABASE_PASSWORD.
set -eu
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$CAIRN_DATABASE_PASSWORD" <<'END'
CREATE ROLE cairn LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE cairn OWNER cairn;
END
