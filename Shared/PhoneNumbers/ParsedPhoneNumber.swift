internal import CPhoneNumber
package import Vocabulary

/// A telephone number as somebody has typed it, brought to its one form, with what the world's numbering plans say of
/// it.
package struct ParsedPhoneNumber: Hashable, Sendable {
    /// What a number is for, in libphonenumber's terms. Plans change, and the library knows those of its day: a number
    /// of a range that is younger is `unknown`.
    package enum NumberType: String, CaseIterable, Sendable {
        case fixedLine, mobile, fixedLineOrMobile, tollFree, premiumRate, sharedCost, voip, personal, pager
        case universalAccess, voicemail, unknown
    }

    package let number: PhoneNumber
    /// ISO 3166-1 alpha-2; nil for numbers of no country (`+979`, `+881`). Countries may share a code: where the
    /// library cannot tell them apart by the number, the first of them.
    package let region: String?
    package let kind: NumberType

    package init(number: PhoneNumber, region: String?, kind: NumberType) {
        self.number = number
        self.region = region
        self.kind = kind
    }

    /// Normalises leniently once (`PhoneNumberNormalizer`), then demands E.164 with its `+`, a country calling code
    /// that is assigned, and a length that numbers there have. That a number is in service nobody can tell without
    /// calling it.
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

    /// The library leaves out what does not belong behind a country calling code, a trunk prefix for one, and does not
    /// look at what remains. A number has one form, so what is not its own form is none.
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
        // Also when the library fails: what cannot be judged is not called.
        default: throw .malformed
        }
        let region = withUnsafeBytes(of: parsed.region, Self.text)
        // Seven digits are the shortest that anybody has.
        guard let number = PhoneNumber(withUnsafeBytes(of: parsed.e164, Self.text)) else { throw .tooShort }
        return ParsedPhoneNumber(number: number, region: region.isEmpty ? nil : region, kind: NumberType(parsed.kind))
    }

    /// Up to the NUL.
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

/// Why a text is no number that could be called.
package enum PhoneNumberError: Error, Equatable, Sendable {
    case malformed, tooShort, tooLong
}
