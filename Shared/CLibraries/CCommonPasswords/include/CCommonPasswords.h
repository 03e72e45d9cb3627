#include <stddef.h>

/// The password filter that is shipped (see README.md), and its size.
const unsigned char *latchkey_common_passwords(size_t *count);
