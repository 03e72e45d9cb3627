#include "CCommonPasswords.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char filter[] = {
#embed "common-passwords.filter"
};

const unsigned char *latchkey_common_passwords(size_t *count) {
    *count = sizeof filter;
    return filter;
}
