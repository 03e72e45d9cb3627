internal import CPhoneNumber
package import Vocabulary

/// A phone number parsed from user input, in E.164 form, with its properties in the numbering plans.
package struct ParsedPhoneNumber: Hashable, Sendable {
    /// The type of a number, in libphonenumber's terms. Numbering plans change, and the library knows those of its
    /// release: a number of a newer range is `unknown`.
    package enum NumberType: String, CaseIterable, Sendable {
        case fixedLine, mobile, fixedLineOrMobile, tollFree, premiumRate, sharedCost, voip, personal, pager
        case universalAccess, voicemail, unknown
    }

    package let number: PhoneNumber
    /// ISO 3166-1 alpha-2; nil for numbers without a country (`+979`, `+881`). Several countries may share a code. If
    /// the library cannot distinguish them by the number, it is the first of them.
    package let region: String?
    package let kind: NumberType

    package init(number: PhoneNumber, region: String?, kind: NumberType) {
        self.number = number
        self.region = region
        self.kind = kind
    }

    /// Normalizes leniently once (`PhoneNumberNormalizer`), then requires E.164 with its `+`, an assigned country
    /// calling code, and a length that occurs there. Whether a number is in service is unknown without a call.
    package init(_ text: String) throws(PhoneNumberError) {
        let digits = try PhoneNumberNormalizer.normalize(text)
        do {
            self = try Self.canonical(digits)
        } catch {
            guard let text = Renumbering.formerNumber(of: digits) else { throw error }
            let former = try Self.canonical(text)
            guard let number = PhoneNumber(digits) else { throw .malformed }
            self.init(number: number, region: former.region, kind: former.kind)
        }
    }

    /// The library removes digits that do not belong after a country calling code, for example a trunk prefix, and does
    /// not check the rest. A number has one form, so any other form is rejected.
    private static func canonical(_ digits: String) throws(PhoneNumberError) -> ParsedPhoneNumber {
        let number = try parsed(digits)
        guard number.number.rawValue != digits else { return number }
        guard try parsed(number.number.rawValue) == number else { throw .malformed }
        return number
    }

    private static func parsed(_ digits: String) throws(PhoneNumberError) -> ParsedPhoneNumber {
        var parsed = lk_phone_number()
        switch lk_phone_parse(digits, &parsed) {
        case LK_PHONE_OK: break
        case LK_PHONE_TOO_SHORT: throw .tooShort
        case LK_PHONE_TOO_LONG: throw .tooLong
        // Also if the library fails: a number that cannot be checked is not used.
        default: throw .malformed
        }
        let region = withUnsafeBytes(of: parsed.region, Self.text)
        // The shortest numbers have seven digits.
        guard let number = PhoneNumber(withUnsafeBytes(of: parsed.e164, Self.text)) else { throw .tooShort }
        return ParsedPhoneNumber(number: number, region: region.isEmpty ? nil : region, kind: NumberType(parsed.kind))
    }

    /// The text before the NUL.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension ParsedPhoneNumber.NumberType {
    fileprivate init(_ kind: lk_phone_kind) {
        self =
            switch kind {
            case LK_PHONE_FIXED_LINE: .fixedLine
            case LK_PHONE_MOBILE: .mobile
            case LK_PHONE_FIXED_LINE_OR_MOBILE: .fixedLineOrMobile
            case LK_PHONE_TOLL_FREE: .tollFree
            case LK_PHONE_PREMIUM_RATE: .premiumRate
            case LK_PHONE_SHARED_COST: .sharedCost
            case LK_PHONE_VOIP: .voip
            case LK_PHONE_PERSONAL_NUMBER: .personal
            case LK_PHONE_PAGER: .pager
            case LK_PHONE_UNIVERSAL_ACCESS: .universalAccess
            case LK_PHONE_VOICEMAIL: .voicemail
            default: .unknown
            }
    }
}

/// Why a text is not a valid phone number.
package enum PhoneNumberError: Error, Equatable, Sendable {
    case malformed, tooShort, tooLong
}
