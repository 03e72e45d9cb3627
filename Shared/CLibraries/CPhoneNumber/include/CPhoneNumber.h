/// What we ask libphonenumber, in C: no type and no exception of C++ leaves this target.
#ifndef LATCHKEY_C_PHONE_NUMBER_H
#define LATCHKEY_C_PHONE_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/// What stands between a text and a number.
enum lk_phone_fault {
    LK_PHONE_OK = 0,
    /// Not `+`, a country calling code that is assigned, and a length that some number there has.
    LK_PHONE_MALFORMED,
    /// Shorter than all numbers there, also one that can be dialled within its area only.
    LK_PHONE_TOO_SHORT,
    /// Longer than all numbers there.
    LK_PHONE_TOO_LONG,
    /// The library failed, for want of memory for one.
    LK_PHONE_FAILED,
};

/// In the library's order and meaning (`PhoneNumberUtil::PhoneNumberType`).
enum lk_phone_kind {
    LK_PHONE_FIXED_LINE = 0,
    LK_PHONE_MOBILE,
    LK_PHONE_FIXED_LINE_OR_MOBILE,
    LK_PHONE_TOLL_FREE,
    LK_PHONE_PREMIUM_RATE,
    LK_PHONE_SHARED_COST,
    LK_PHONE_VOIP,
    LK_PHONE_PERSONAL_NUMBER,
    LK_PHONE_PAGER,
    LK_PHONE_UNIVERSAL_ACCESS,
    LK_PHONE_VOICEMAIL,
    LK_PHONE_UNKNOWN,
};

struct lk_phone_number {
    /// E.164: `+`, at most 15 digits, NUL.
    char e164[17];
    /// ISO 3166-1 alpha-2 and NUL; empty for a number of no country. Where the library knows the country calling code
    /// and not the number, the first region of that code.
    char region[3];
    enum lk_phone_kind kind;
};

/// Reads a number that begins with `+` and goes on with ASCII digits.
///
/// Any thread may call it, several at once: the library's one instance is made once, under its own lock, does not change
/// afterwards, and guards its cache of patterns with a mutex. The first call reads the metadata of all countries.
/// - Parameters:
///   - text: NUL-terminated.
///   - number: filled in when the answer is `LK_PHONE_OK`.
enum lk_phone_fault lk_phone_parse(const char *_Nonnull text, struct lk_phone_number *_Nonnull number);

#ifdef __cplusplus
}
#endif

#endif
