/// The hash functions of imported passwords. MD5 and SHA-1 protect nothing else here.
package enum HashFunction: String, CaseIterable, Codable, Sendable {
    case md5, sha1, sha256, sha512

    package func digest(_ message: [UInt8]) -> [UInt8] { algorithm.digest(message) }

    /// HMAC (RFC 2104).
    package func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        algorithm.authenticate(message, key: key)
    }

    var algorithm: DigestAlgorithm {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
