#include "CPageStylesheet.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char stylesheet[] = {
#embed "pages.css"
};

const unsigned char *latchkey_page_stylesheet(size_t *count) {
    *count = sizeof stylesheet;
    return stylesheet;
}
