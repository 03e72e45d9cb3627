#pragma once
/* Debian keeps the header in a folder that only pkg-config and pg_config name. */
#include <postgresql/libpq-fe.h>

/* The fields of an error are macros of character constants, which Swift imports as another type than it wants. */
static const int cpostgres_field_state = PG_DIAG_SQLSTATE;
static const int cpostgres_field_message = PG_DIAG_MESSAGE_PRIMARY;
static const int cpostgres_field_table = PG_DIAG_TABLE_NAME;
static const int cpostgres_field_column = PG_DIAG_COLUMN_NAME;
static const int cpostgres_field_constraint = PG_DIAG_CONSTRAINT_NAME;
