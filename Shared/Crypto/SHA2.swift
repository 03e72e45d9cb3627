internal import COpenSSL

/// The SHA-2 family (FIPS 180-4).
package enum SHA2 {
    /// 32 bytes.
    package static func sha256(_ message: [UInt8]) -> [UInt8] { DigestAlgorithm.sha256.digest(message) }
    /// 48 bytes.
    package static func sha384(_ message: [UInt8]) -> [UInt8] { DigestAlgorithm.sha384.digest(message) }
    /// 64 bytes.
    package static func sha512(_ message: [UInt8]) -> [UInt8] { DigestAlgorithm.sha512.digest(message) }
}

/// A hash function, fetched once: OpenSSL 3 otherwise searches for it by name at each use.
///
/// `@unchecked Sendable`: a fetched algorithm never changes, and is kept until the process ends.
struct DigestAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer
    private let bytes: Int

    static let md5 = DigestAlgorithm("MD5")
    static let sha1 = DigestAlgorithm("SHA1")
    static let sha256 = DigestAlgorithm("SHA256")
    static let sha384 = DigestAlgorithm("SHA384")
    static let sha512 = DigestAlgorithm("SHA512")

    private init(_ name: String) {
        guard let pointer = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.pointer = pointer
        bytes = Int(EVP_MD_get_size(pointer))
    }

    func digest(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes) { buffer, initialized in
            let code = EVP_Digest(message, message.count, buffer.baseAddress, nil, pointer, nil)
            precondition(code == 1, "hashing failed")  // It fails only without memory.
            initialized = bytes
        }
    }

    /// HMAC (RFC 2104) with this hash.
    func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes) { buffer, initialized in
            let start = COpenSSL.HMAC(pointer, key, Int32(key.count), message, message.count, buffer.baseAddress, nil)
            precondition(start != nil, "authenticating failed")  // It fails only without memory.
            initialized = bytes
        }
    }
}
