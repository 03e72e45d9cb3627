#include <stddef.h>

/// The text of a script by the name of its file, and its size. NULL for an unknown name.
const unsigned char *latchkey_page_script(const char *name, size_t *count);
