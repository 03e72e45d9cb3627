/// A phone number in E.164 form: `+`, a first digit other than 0, 7 to 15 ASCII digits in all (ITU-T E.164 §6). Only
/// the form is checked; mfa-sms decides whether a number exists and may receive an SMS.
package struct PhoneNumber: Hashable, Sendable {
    package let rawValue: String

    /// - Returns: nil for any other form. The caller normalizes spaces and full-width digits.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (8...16).contains(bytes.count), bytes.first == UInt8(ascii: "+"),
            bytes.dropFirst().first != UInt8(ascii: "0"),
            bytes.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        rawValue = text
    }
}

extension PhoneNumber: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = PhoneNumber(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an E.164 number")
        }
        self = number
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
