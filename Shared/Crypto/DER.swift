internal import COpenSSL

/// DER (ITU-T X.690), by OpenSSL's `d2i` and `i2d` functions.
enum DER {
    /// Decodes one value that uses all of `der`.
    /// - Parameters:
    ///   - read: calls a `d2i` function, which moves the position to the end of the value.
    ///   - free: frees a value that is followed by more bytes.
    /// - Returns: nil if it is not a valid value.
    static func decode(
        _ der: [UInt8], _ read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?, free: (OpaquePointer?) -> Void
    ) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = start
            guard let value = read(&position, bytes.count) else { return nil }
            guard position == start + bytes.count else {
                free(value)
                return nil
            }
            return value
        }
    }

    /// - Parameter write: calls an `i2d` function, which allocates memory if it gets null.
    static func encode(_ write: (inout UnsafeMutablePointer<UInt8>?) -> Int32) throws(CryptoError) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(write(&start))
        guard count > 0, let start else { throw OpenSSL.failure() }
        // It may be a private key.
        defer { CRYPTO_clear_free(start, count, #file, #line) }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }
}
