#include <stddef.h>

/// The built-in password filter (see README.md), and its size.
const unsigned char *latchkey_common_passwords(size_t *count);
