#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, sqlite3_config and sqlite3_db_config are variadic, and the extended codes are
// expressions: Swift imports none of them.

static const int csqlite_constraint_check = SQLITE_CONSTRAINT_CHECK;
static const int csqlite_constraint_foreign_key = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int csqlite_constraint_not_null = SQLITE_CONSTRAINT_NOTNULL;
static const int csqlite_constraint_primary_key = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int csqlite_constraint_rowid = SQLITE_CONSTRAINT_ROWID;
static const int csqlite_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;

/// Binds a copy of the text, so the caller may free its memory at once.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 bytes) {
    return sqlite3_bind_text64(statement, index, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a copy of the bytes, so the caller may free its memory at once.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *blob, sqlite3_uint64 bytes) {
    return sqlite3_bind_blob64(statement, index, blob, bytes, SQLITE_TRANSIENT);
}

/// Without this, a misspelled column in double quotes is read as a text literal.
static inline int csqlite_refuse_quoted_literals(sqlite3 *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return result != SQLITE_OK ? result : sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}

/// Allocates each page of a cache when it is used. SQLite would allocate, and write to, twenty pages for each connection with
/// its first one, and most connections use fewer. Must be called before the library is first used.
static inline int csqlite_allocate_single_pages(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

/// Sends SQLite's log messages to `receive`. Must be called before the library is first used.
static inline int csqlite_set_log(void (*receive)(void *, int, const char *)) {
    return sqlite3_config(SQLITE_CONFIG_LOG, receive, (void *)0);
}
