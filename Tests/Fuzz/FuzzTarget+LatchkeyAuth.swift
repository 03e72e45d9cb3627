import Foundation
import Vocabulary

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

extension FuzzTarget {
    /// The input as a token, and as the payload of one.
    static func readVerifiedToken(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        let payloads = [(try? CompactToken(text))?.payload, Data(input)].compactMap { $0 }
        let date = Date(timeIntervalSince1970: TimeInterval(now.timestamp.seconds))
        for kind in [TokenRules.Kind.idToken, .sessionCookie] {
            let rules = TokenRules(kind: kind, projectID: "demo", clockToleranceSeconds: 60)
            for payload in payloads {
                guard let token = try? rules.verifiedToken(payload, tenant: .any, at: date) else { continue }
                try demand((1...128).contains(token.uid.unicodeScalars.count), "a verified token has an account ID")
                try demand(token.projectID == "demo", "a verified token is of the project")
                try demand(token.expiresAt + 60 > date, "a verified token has not expired")
                try demand(max(token.issuedAt, token.authTime) <= date + 60, "a verified token is not of the future")
            }
        }
        if let data = Data(base64URL: text) {
            try demand(data.base64URLText == text, "each value has one text in base64url")
        }
    }

    /// The input as a JWK set, or after a zero as the modulus of a key.
    static func readKeySet(_ input: [UInt8]) {
        _ = PublishedKeys(jwkSet: Data(input))
        let modulus = Array(input.dropFirst())
        guard input.first == 0, let key = RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]) else { return }
        _ = key.isValidSignature(modulus.reversed(), for: input)
    }
}
