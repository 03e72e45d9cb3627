import Crypto
import Vocabulary

/// The URI that authenticator apps scan (Key URI format):
/// `otpauth://totp/Issuer:account?secret=…&issuer=Issuer`.
struct OTPAuthURI: Equatable, Sendable {
    enum Algorithm: String, CaseIterable, Sendable { case sha1 = "SHA1", sha256 = "SHA256", sha512 = "SHA512" }

    /// The moving factor of the code.
    enum Factor: Equatable, Sendable {
        /// RFC 6238.
        case totp(periodSeconds: Int)
        /// RFC 4226.
        case hotp(counter: UInt64)
    }

    let factor: Factor
    let issuer: String?
    let account: String
    let secret: [UInt8]
    let algorithm: Algorithm
    let digits: Int

    static let digitRange = 6...8
    static let maximumBytes = 2048

    /// - Throws: `invalidName` for a colon or a control character in a name, since readers would split the label
    ///   there (TO10); `missingSecret`, `numberOutOfRange`.
    init(
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

    /// A name without the characters that a label must not contain.
    static func sanitizedLabel(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter(isFit)))
    }

    private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: scalar != ":"
        }
    }

    /// The URI with every member, because apps have different defaults.
    var text: String {
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

/// Why a text is no key URI, or why none can be created.
enum OTPAuthURIError: Error, Equatable, Sendable {
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
