import Crypto
import Vocabulary

@testable import MFATOTPService

/// Reads what mfa-totp writes, as an authenticator app does.
extension OTPAuthURI {
    /// Parses a URI. Unknown members are ignored; no member may come twice.
    init(_ uri: String) throws(OTPAuthURIError) {
        guard uri.utf8.count <= Self.maximumBytes else { throw .tooLong }
        guard uri.prefix(10).lowercased() == "otpauth://" else { throw .notOTPAuth }
        let parts = uri.dropFirst(10).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard path.count == 2, let label = PercentEncoding.decoded(path[1]) else { throw .malformedLabel }
        let members = try Self.members(parts.count == 2 ? parts[1] : "")
        guard let secretText = members["secret"], !secretText.isEmpty else { throw .missingSecret }
        guard let secret = Base32.decode(secretText) else { throw .malformedSecret }
        guard let algorithm = Algorithm(rawValue: (members["algorithm"] ?? "SHA1").uppercased()) else {
            throw .unknownAlgorithm
        }
        guard let digits = Int(members["digits"] ?? "6") else { throw .numberOutOfRange }
        let factor: Factor
        switch path[0].lowercased() {
        case "totp":
            guard let period = Int(members["period"] ?? "30") else { throw .numberOutOfRange }
            factor = .totp(periodSeconds: period)
        case "hotp":
            guard let text = members["counter"] else { throw .missingCounter }
            guard let counter = UInt64(text) else { throw .numberOutOfRange }
            factor = .hotp(counter: counter)
        default: throw .unknownType
        }
        let names = label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let account = String(names[names.count - 1].drop { $0 == " " })
        try self.init(
            factor, issuer: members["issuer"] ?? (names.count == 2 ? String(names[0]) : nil), account: account,
            secret: secret, algorithm: algorithm, digits: digits)
    }

    private static func members(_ query: Substring) throws(OTPAuthURIError) -> [String: String] {
        var members: [String: String] = [:]
        for item in query.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = PercentEncoding.decoded(pair[1]) else { throw .malformedLabel }
            guard members.updateValue(value, forKey: pair[0].lowercased()) == nil else { throw .repeatedMember }
        }
        return members
    }
}
