internal import COpenSSL

/// PEM (RFC 7468), which OpenSSL reads from and writes to streams. The streams use memory that is overwritten when
/// freed, because the text may be a private key.
enum PEM {
    /// - Parameter read: calls a `PEM_read_bio` function. The stream ends with the call.
    static func decode<Value>(_ text: String, _ read: (OpaquePointer) -> Value) throws(CryptoError) -> Value {
        let stream = try OpenSSL.check(BIO_new(BIO_s_secmem()))
        defer { BIO_free(stream) }
        let bytes = Array(text.utf8)
        // Empty input cannot be written; `read` then fails.
        guard bytes.isEmpty || BIO_write(stream, bytes, Int32(clamping: bytes.count)) == bytes.count else {
            throw OpenSSL.failure()
        }
        return read(stream)
    }

    /// - Parameter write: calls a `PEM_write_bio` function.
    static func encode(_ write: (OpaquePointer) -> Int32) throws(CryptoError) -> String {
        let stream = try OpenSSL.check(BIO_new(BIO_s_secmem()))
        defer { BIO_free(stream) }
        try OpenSSL.check(write(stream))
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(stream))
        guard BIO_read(stream, &bytes, Int32(bytes.count)) == bytes.count else { throw OpenSSL.failure() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
