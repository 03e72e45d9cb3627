/// The C interface to libphonenumber: no type and no exception of C++ leaves this target.
#ifndef LATCHKEY_C_PHONE_NUMBER_H
#define LATCHKEY_C_PHONE_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/// The result of parsing a text.
enum lk_phone_fault {
    LK_PHONE_OK = 0,
    /// Not `+`, an assigned country calling code, and a length that occurs there.
    LK_PHONE_MALFORMED,
    /// Shorter than all numbers there, including numbers for calls within one area only.
    LK_PHONE_TOO_SHORT,
    /// Longer than all numbers there.
    LK_PHONE_TOO_LONG,
    /// The library failed, for example without memory.
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
    /// ISO 3166-1 alpha-2 and NUL; empty for a number without a country. If the library knows the country calling code
    /// but not the number, the first region of that code.
    char region[3];
    enum lk_phone_kind kind;
};

/// Parses a number that consists of `+` and ASCII digits.
///
/// Any thread may call it, also concurrently. The library's only instance is created once, under its own lock, and does
/// not change afterwards. It protects its cache of patterns with a mutex. The first call reads the metadata of all
/// countries.
/// - Parameters:
///   - text: NUL-terminated.
///   - number: filled if the result is `LK_PHONE_OK`.
enum lk_phone_fault lk_phone_parse(const char *_Nonnull text, struct lk_phone_number *_Nonnull number);

#ifdef __cplusplus
}
#endif

#endif
