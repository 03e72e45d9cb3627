#pragma once
#include <stdint.h>
#include <unicode/unorm2.h>

/* The names of ICU's functions are macros with the version of the library, which Swift does not import.

   Writes the UTF-16 `text` in form NFKC to `result`, and returns its length, which may be greater than `capacity`; then the
   result is incomplete. Negative if the library fails: without memory or without its data. */
static inline int32_t latchkey_nfkc(const uint16_t *text, int32_t count, uint16_t *result, int32_t capacity) {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2 *form = unorm2_getNFKCInstance(&error);
  int32_t length = unorm2_normalize(form, text, count, result, capacity, &error);
  return U_SUCCESS(error) || error == U_BUFFER_OVERFLOW_ERROR ? length : -1;
}
