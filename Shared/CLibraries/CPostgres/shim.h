#pragma once
/* Debian installs the header in a directory that only pkg-config and pg_config know. */
#include <postgresql/libpq-fe.h>

/* The fields of an error are macros of character constants, which Swift imports with another type than it needs. */
static const int cpostgres_field_state = PG_DIAG_SQLSTATE;
static const int cpostgres_field_message = PG_DIAG_MESSAGE_PRIMARY;
static const int cpostgres_field_table = PG_DIAG_TABLE_NAME;
static const int cpostgres_field_column = PG_DIAG_COLUMN_NAME;
static const int cpostgres_field_constraint = PG_DIAG_CONSTRAINT_NAME;
