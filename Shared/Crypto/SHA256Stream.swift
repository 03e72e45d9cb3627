internal import COpenSSL

/// SHA-256 (FIPS 180-4) of a message in parts, for messages that are too long for memory.
package struct SHA256Stream: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a hash") }
        self.context = context
        let code = EVP_DigestInit_ex2(context, DigestAlgorithm.sha256.pointer, nil)
        precondition(code == 1, "hashing failed")  // It fails only without memory.
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Hashes the next part.
    package mutating func update(_ piece: ArraySlice<UInt8>) {
        let code = piece.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(code == 1, "hashing failed")  // It cannot fail after a successful start.
    }

    /// - Returns: the 32-byte hash of all parts.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
            let code = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            precondition(code == 1, "hashing failed")  // It cannot fail after a successful start.
            initialized = 32
        }
    }
}
