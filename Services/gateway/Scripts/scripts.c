#include "CPageScripts.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char account_passkey[] = {
#embed "account-passkey.js"
};
static const unsigned char account_signals[] = {
#embed "account-signals.js"
};
static const unsigned char app_verification[] = {
#embed "app-verification.js"
};
static const unsigned char console_keys[] = {
#embed "console-keys.js"
};
static const unsigned char console_search[] = {
#embed "console-search.js"
};
static const unsigned char fragment[] = {
#embed "fragment.js"
};
static const unsigned char handler[] = {
#embed "handler.js"
};
static const unsigned char hosted_passkey[] = {
#embed "hosted-passkey.js"
};
static const unsigned char iframe[] = {
#embed "iframe.js"
};
static const unsigned char latchkey[] = {
#embed "latchkey.js"
};
static const unsigned char latchkey_passkeys[] = {
#embed "latchkey-passkeys.js"
};
static const unsigned char passkey_encoding[] = {
#embed "passkey-encoding.js"
};
static const unsigned char passkey_session[] = {
#embed "passkey-session.js"
};
static const unsigned char passkey_signals[] = {
#embed "passkey-signals.js"
};
static const unsigned char passkeys[] = {
#embed "passkeys.js"
};
static const unsigned char show_password[] = {
#embed "show-password.js"
};

static const struct {
    const char *name;
    const unsigned char *text;
    size_t count;
} scripts[] = {
    {"account-passkey.js", account_passkey, sizeof account_passkey},
    {"account-signals.js", account_signals, sizeof account_signals},
    {"app-verification.js", app_verification, sizeof app_verification},
    {"console-keys.js", console_keys, sizeof console_keys},
    {"console-search.js", console_search, sizeof console_search},
    {"fragment.js", fragment, sizeof fragment},
    {"handler.js", handler, sizeof handler},
    {"hosted-passkey.js", hosted_passkey, sizeof hosted_passkey},
    {"iframe.js", iframe, sizeof iframe},
    {"latchkey.js", latchkey, sizeof latchkey},
    {"latchkey-passkeys.js", latchkey_passkeys, sizeof latchkey_passkeys},
    {"passkey-encoding.js", passkey_encoding, sizeof passkey_encoding},
    {"passkey-session.js", passkey_session, sizeof passkey_session},
    {"passkey-signals.js", passkey_signals, sizeof passkey_signals},
    {"passkeys.js", passkeys, sizeof passkeys},
    {"show-password.js", show_password, sizeof show_password},
};

const unsigned char *latchkey_page_script(const char *name, size_t *count) {
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(scripts[i].name, name) == 0) {
            *count = scripts[i].count;
            return scripts[i].text;
        }
    }
    return NULL;
}
