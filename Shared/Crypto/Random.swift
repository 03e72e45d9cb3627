internal import COpenSSL

/// The system's cryptographically secure random numbers, through OpenSSL's generator.
package enum Random {
    /// - Parameter count: how many bytes, below 2^31.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Without randomness nothing that follows is safe: no caller could go on.
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "the system gives no random numbers")
            initialized = count
        }
    }
}
