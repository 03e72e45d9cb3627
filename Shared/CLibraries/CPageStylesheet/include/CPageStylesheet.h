#include <stddef.h>

/// The stylesheet of the pages for users (`pages.css`), and its size.
const unsigned char *latchkey_page_stylesheet(size_t *count);
