/// The supported signature algorithms, by their names in JOSE (RFC 7518 §3.1).
package enum SignatureAlgorithm: String, CaseIterable, Codable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256. The signature is as long as the modulus.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256. The signature is `r ‖ s`, 32 bytes each, big-endian (RFC 7518 §3.4).
    case es256 = "ES256"
}
