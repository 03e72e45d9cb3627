package import Vocabulary

/// A telephone number as somebody has typed it, brought to its one form, with what the world's numbering plans say of it.
package struct DialledNumber: Hashable, Sendable {
    /// What a number is for, in libphonenumber's terms.
    package enum Kind: String, CaseIterable, Sendable {
        case fixedLine, mobile, fixedLineOrMobile, tollFree, premiumRate, sharedCost, voip, personal, pager
        case universalAccess, voicemail, unknown
    }

    package let number: PhoneNumber
    /// ISO 3166-1 alpha-2; nil for numbers of no country (`+979`, `+881`).
    package let region: String?
    package let kind: Kind

    package init(number: PhoneNumber, region: String?, kind: Kind) {
        self.number = number
        self.region = region
        self.kind = kind
    }

    /// Normalises leniently once (spaces, brackets, full-width digits), then demands E.164 with its `+`.
    package init(_ text: String) throws(PhoneNumberFault) {
        guard let number = PhoneNumber(text) else { throw .malformed }
        self.init(number: number, region: nil, kind: .unknown)
    }
}

/// Why a text is no number that could be called.
package enum PhoneNumberFault: Error, Equatable, Sendable {
    case malformed, tooShort, tooLong
}
