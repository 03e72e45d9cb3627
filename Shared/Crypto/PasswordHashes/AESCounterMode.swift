internal import COpenSSL

/// AES-256 in counter mode (NIST SP 800-38A 6.5), which Firebase's hash of passwords contains. It authenticates nothing.
package enum AESCounterMode {
    /// Encrypts with the initial counter block zero.
    /// - Parameter key: 32 bytes.
    /// - Throws: `CryptoError.malformedKey` for another length.
    package static func encrypt(_ message: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard key.count == 32, let length = Int32(exactly: message.count) else { throw .malformedKey }
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        let counter = [UInt8](repeating: 0, count: 16)
        var result = [UInt8](repeating: 0, count: message.count)
        var written: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            EVP_EncryptUpdate(context, &result, &written, message, length) == 1, written == length
        else { throw .parameters("refused by OpenSSL") }
        return result
    }
}
