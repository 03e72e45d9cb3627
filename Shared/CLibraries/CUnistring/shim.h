#pragma once
#include <stdlib.h>
#include <uninorm.h>

/* UTF-8 in form NFKC, to be freed; NULL without memory, or for invalid UTF-8. The macro is an address, which Swift does not
   import. */
static inline uint8_t *latchkey_nfkc(const uint8_t *text, size_t size, size_t *result_size) {
  return u8_normalize(UNINORM_NFKC, text, size, NULL, result_size);
}
