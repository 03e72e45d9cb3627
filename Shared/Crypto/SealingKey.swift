internal import COpenSSL

/// A key that seals secrets at rest with AES-256-GCM (NIST SP 800-38D).
///
/// Each sealing uses a random 96-bit nonce, so one key may seal up to 2^32 times (SP 800-38D §8.3).
package struct SealingKey: Sendable {
    /// The bytes that `seal` adds: the nonce before the text, the tag after it.
    package static let overheadBytes = nonceBytes + tagBytes

    private static let keyBytes = 32
    private static let nonceBytes = 12
    private static let tagBytes = 16

    private let secret: SecretBytes

    /// - Parameter bytes: 32 uniformly random bytes; any other count returns nil.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.keyBytes else { return nil }
        secret = SecretBytes(bytes)
    }

    /// Encrypts and authenticates.
    /// - Parameter binding: the location of the secret, such as table, column, row and key id. It is neither secret nor
    ///   part of the result. `open` requires the same value, so a sealed value cannot be moved to another row.
    /// - Returns: nonce (12 bytes) ‖ ciphertext (as long as `plain`) ‖ tag (16 bytes).
    package func seal(_ plain: [UInt8], binding: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nonce = Random.bytes(Self.nonceBytes)
        let context = try OpenSSL.check(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        try OpenSSL.check(EVP_EncryptInit_ex2(context, Cipher.aes256GCM.pointer, secret.start, nonce, nil))
        var written: Int32 = 0
        try OpenSSL.check(EVP_EncryptUpdate(context, nil, &written, binding, Int32(binding.count)))
        var sealed = [UInt8](repeating: 0, count: plain.count)
        try OpenSSL.check(EVP_EncryptUpdate(context, &sealed, &written, plain, Int32(plain.count)))
        // A stream mode buffers nothing: this writes no byte, but computes the tag.
        var rest = [UInt8](repeating: 0, count: Self.tagBytes)
        try OpenSSL.check(EVP_EncryptFinal_ex(context, &rest, &written))
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        try OpenSSL.check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag))
        return nonce + sealed + tag
    }

    /// Decrypts a result of `seal` with the same key and binding.
    /// - Throws: `CryptoError.authenticationFailed` for any other input.
    package func open(_ sealed: [UInt8], binding: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= Self.overheadBytes else { throw .authenticationFailed }
        let nonce = Array(sealed.prefix(Self.nonceBytes))
        let text = Array(sealed.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
        var tag = Array(sealed.suffix(Self.tagBytes))
        let context = try OpenSSL.check(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        try OpenSSL.check(EVP_DecryptInit_ex2(context, Cipher.aes256GCM.pointer, secret.start, nonce, nil))
        try OpenSSL.check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
        var written: Int32 = 0
        try OpenSSL.check(EVP_DecryptUpdate(context, nil, &written, binding, Int32(binding.count)))
        var plain = [UInt8](repeating: 0, count: text.count)
        try OpenSSL.check(EVP_DecryptUpdate(context, &plain, &written, text, Int32(text.count)))
        var rest = [UInt8](repeating: 0, count: Self.tagBytes)
        guard EVP_DecryptFinal_ex(context, &rest, &written) == 1 else {
            OPENSSL_cleanse(&plain, plain.count)  // Unauthenticated text must not stay in memory or in a core dump.
            ERR_clear_error()
            throw .authenticationFailed
        }
        return plain
    }
}

/// A cipher, fetched once.
///
/// `@unchecked Sendable`: a fetched algorithm never changes, and is kept until the process ends.
private struct Cipher: @unchecked Sendable {
    let pointer: OpaquePointer

    static let aes256GCM = Cipher("AES-256-GCM")

    private init(_ name: String) {
        guard let pointer = EVP_CIPHER_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.pointer = pointer
    }
}

/// Key bytes in separate memory, overwritten when the last reference is released.
///
/// `@unchecked Sendable`: never changed between `init` and `deinit`.
private final class SecretBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    var start: UnsafePointer<UInt8>? { UnsafePointer(buffer.baseAddress) }

    init(_ bytes: [UInt8]) {
        buffer = .allocate(capacity: bytes.count)
        _ = buffer.initialize(from: bytes)
    }

    deinit {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }
}
