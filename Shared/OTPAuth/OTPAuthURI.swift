internal import Crypto
internal import Vocabulary

/// What an authenticator app needs to know, in the URI that it scans (Key URI format):
/// `otpauth://totp/Issuer:account?secret=…&issuer=Issuer`.
package struct OTPAuthURI: Equatable, Sendable {
    package enum Algorithm: String, CaseIterable, Sendable { case sha1 = "SHA1", sha256 = "SHA256", sha512 = "SHA512" }

    /// What moves the code on.
    package enum Factor: Equatable, Sendable {
        /// RFC 6238.
        case totp(periodSeconds: Int)
        /// RFC 4226.
        case hotp(counter: UInt64)
    }

    package let factor: Factor
    package let issuer: String?
    package let account: String
    package let secret: [UInt8]
    package let algorithm: Algorithm
    package let digits: Int

    static let digitRange = 6...8
    static let maximumBytes = 2048

    /// - Throws: `invalidName` for a colon or a control character in a name, since readers would take the label apart
    ///   elsewhere (TO10); `missingSecret`, `numberOutOfRange`.
    package init(
        _ factor: Factor = .totp(periodSeconds: 30), issuer: String?, account: String, secret: [UInt8],
        algorithm: Algorithm = .sha1, digits: Int = 6
    ) throws(OTPAuthURIError) {
        guard !secret.isEmpty else { throw .missingSecret }
        guard Self.digitRange.contains(digits) else { throw .numberOutOfRange }
        if case .totp(let period) = factor, period < 1 { throw .numberOutOfRange }
        for name in [issuer, account].compactMap(\.self) {
            guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isFit) else { throw .invalidName }
        }
        self.factor = factor
        self.issuer = issuer
        self.account = account
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
    }

    /// A name with what must not stand in a label left out.
    package static func sanitizedLabel(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter(isFit)))
    }

    private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: scalar != ":"
        }
    }

    /// The URI with every member spelt out: apps differ in what they take for granted.
    package var text: String {
        let label = (issuer.map { PercentEncoding.encoded($0) + ":" } ?? "") + PercentEncoding.encoded(account)
        var items = ["secret=\(Base32.encode(secret))"]
        if let issuer { items.append("issuer=\(PercentEncoding.encoded(issuer))") }
        items.append("algorithm=\(algorithm.rawValue)")
        items.append("digits=\(digits)")
        switch factor {
        case .totp(let periodSeconds): items.append("period=\(periodSeconds)")
        case .hotp(let counter): items.append("counter=\(counter)")
        }
        return "otpauth://\(factor.typeName)/\(label)?\(items.joined(separator: "&"))"
    }
}

/// Why a text is no key URI, or why none can be made.
package enum OTPAuthURIError: Error, Equatable, Sendable {
    case notOTPAuth, unknownType, malformedLabel, missingSecret, malformedSecret, unknownAlgorithm, numberOutOfRange
    case missingCounter, invalidName, tooLong, repeatedMember
}

extension OTPAuthURI.Factor {
    fileprivate var typeName: String {
        switch self {
        case .totp: "totp"
        case .hotp: "hotp"
        }
    }
}

// MARK: - Reading

extension OTPAuthURI {
    /// Reads what an app would scan. Members that nobody knows are passed over; none may come twice.
    package init(_ uri: String) throws(OTPAuthURIError) {
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
