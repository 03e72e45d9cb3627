/// Message authentication codes (RFC 2104). Compare them with `constantTimeEquals`.
package enum HMAC {
    /// 20 bytes. For TOTP (RFC 6238), where authenticator apps still use SHA-1.
    package static func sha1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        DigestAlgorithm.sha1.authenticate(message, key: key)
    }

    /// 32 bytes.
    package static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        DigestAlgorithm.sha256.authenticate(message, key: key)
    }

    /// 64 bytes.
    package static func sha512(key: [UInt8], message: [UInt8]) -> [UInt8] {
        DigestAlgorithm.sha512.authenticate(message, key: key)
    }
}
