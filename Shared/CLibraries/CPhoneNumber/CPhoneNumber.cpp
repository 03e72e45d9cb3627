#include "CPhoneNumber.h"

#include <cstring>
#include <string>

// The library's headers do not follow the warning rules of this project.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <phonenumbers/phonenumberutil.h>
#pragma clang diagnostic pop

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

/// A number without a country: satellites, international freephone and premium rate.
const char *const kNoCountry = "001";

template <std::size_t size>
bool copy(const std::string &text, char (&target)[size]) {
    if (text.size() >= size) return false;
    std::memcpy(target, text.c_str(), text.size() + 1);
    return true;
}

lk_phone_kind kind(PhoneNumberUtil::PhoneNumberType type) {
    switch (type) {
        case PhoneNumberUtil::FIXED_LINE: return LK_PHONE_FIXED_LINE;
        case PhoneNumberUtil::MOBILE: return LK_PHONE_MOBILE;
        case PhoneNumberUtil::FIXED_LINE_OR_MOBILE: return LK_PHONE_FIXED_LINE_OR_MOBILE;
        case PhoneNumberUtil::TOLL_FREE: return LK_PHONE_TOLL_FREE;
        case PhoneNumberUtil::PREMIUM_RATE: return LK_PHONE_PREMIUM_RATE;
        case PhoneNumberUtil::SHARED_COST: return LK_PHONE_SHARED_COST;
        case PhoneNumberUtil::VOIP: return LK_PHONE_VOIP;
        case PhoneNumberUtil::PERSONAL_NUMBER: return LK_PHONE_PERSONAL_NUMBER;
        case PhoneNumberUtil::PAGER: return LK_PHONE_PAGER;
        case PhoneNumberUtil::UAN: return LK_PHONE_UNIVERSAL_ACCESS;
        case PhoneNumberUtil::VOICEMAIL: return LK_PHONE_VOICEMAIL;
        case PhoneNumberUtil::UNKNOWN: return LK_PHONE_UNKNOWN;
    }
    return LK_PHONE_UNKNOWN;
}

lk_phone_fault fault(PhoneNumberUtil::ErrorType error) {
    switch (error) {
        case PhoneNumberUtil::NO_PARSING_ERROR: return LK_PHONE_OK;
        case PhoneNumberUtil::TOO_SHORT_AFTER_IDD:
        case PhoneNumberUtil::TOO_SHORT_NSN: return LK_PHONE_TOO_SHORT;
        case PhoneNumberUtil::TOO_LONG_NSN: return LK_PHONE_TOO_LONG;
        case PhoneNumberUtil::INVALID_COUNTRY_CODE_ERROR:
        case PhoneNumberUtil::NOT_A_NUMBER: return LK_PHONE_MALFORMED;
    }
    return LK_PHONE_MALFORMED;
}

lk_phone_fault fault(PhoneNumberUtil::ValidationResult result) {
    switch (result) {
        case PhoneNumberUtil::IS_POSSIBLE: return LK_PHONE_OK;
        // A message from another area cannot reach a number without its area code.
        case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY:
        case PhoneNumberUtil::TOO_SHORT: return LK_PHONE_TOO_SHORT;
        case PhoneNumberUtil::TOO_LONG: return LK_PHONE_TOO_LONG;
        case PhoneNumberUtil::INVALID_COUNTRY_CODE:
        case PhoneNumberUtil::INVALID_LENGTH: return LK_PHONE_MALFORMED;
    }
    return LK_PHONE_MALFORMED;
}

lk_phone_fault parse(const char *text, lk_phone_number *answer) {
    const PhoneNumberUtil &library = *PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    // No default region: a number without a country code is rejected.
    lk_phone_fault problem = fault(library.Parse(text, "ZZ", &number));
    if (problem != LK_PHONE_OK) return problem;
    problem = fault(library.IsPossibleNumberWithReason(number));
    if (problem != LK_PHONE_OK) return problem;

    std::string e164, region;
    library.Format(number, PhoneNumberUtil::E164, &e164);
    library.GetRegionCodeForNumber(number, &region);
    if (region.size() != 2 || region == "ZZ") library.GetRegionCodeForCountryCode(number.country_code(), &region);
    if (region == kNoCountry) region.clear();
    if (!copy(e164, answer->e164)) return LK_PHONE_TOO_LONG;
    if (!copy(region, answer->region)) return LK_PHONE_FAILED;
    answer->kind = kind(library.GetNumberType(number));
    return LK_PHONE_OK;
}

}  // namespace

extern "C" lk_phone_fault lk_phone_parse(const char *text, lk_phone_number *number) {
    try {
        return parse(text, number);
    } catch (...) {
        return LK_PHONE_FAILED;
    }
}
