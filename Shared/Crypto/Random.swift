internal import COpenSSL

/// Cryptographically secure random numbers of the system, through OpenSSL's generator.
package enum Random {
    /// - Parameter count: the number of bytes, below 2^31.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Without randomness no later operation is secure, so no caller could continue.
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "the system gives no random numbers")
            initialized = count
        }
    }
}
