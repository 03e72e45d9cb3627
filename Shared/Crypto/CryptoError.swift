internal import COpenSSL

/// Why a cryptographic operation failed.
package enum CryptoError: Error, Equatable, Sendable {
    /// The bytes are not a key of the expected form.
    case malformedKey
    /// A valid key of an unsupported type or size: neither RSA of 2048 to 8192 bits nor P-256.
    case unsupportedKey
    /// The key cannot be used with this signature algorithm.
    case algorithmMismatch
    /// The sealed value was sealed under another key or for another binding, or was changed.
    case authenticationFailed
    /// Parameters that the algorithm does not allow, with the message of the library.
    case parameters(String)
    /// An unexpected error of the library: no memory, or an error of this program.
    case failure(String)
}

extension CryptoError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformedKey: "not a key in the expected form"
        case .unsupportedKey: "a key of another kind or size than RSA with 2048 to 8192 bits or P-256"
        case .algorithmMismatch: "the key does not fit the signature algorithm"
        case .authenticationFailed: "sealed under another key or for another place, or changed since"
        case .parameters(let message): "parameters are not allowed: \(message)"
        case .failure(let message): "the cryptographic library failed: \(message)"
        }
    }
}

/// OpenSSL's error queue, one per thread. It must be emptied, because old entries would be attributed to a later call.
enum OpenSSL {
    /// Empties the queue of this thread.
    /// - Returns: an error with the text of the oldest entry.
    static func failure() -> CryptoError {
        let code = ERR_get_error()
        ERR_clear_error()
        return .failure(code == 0 ? "unknown" : String(cString: ERR_reason_error_string(code)))
    }

    /// For functions that return 1 on success.
    static func check(_ code: Int32) throws(CryptoError) {
        guard code == 1 else { throw failure() }
    }

    /// For functions that return a new object, or null.
    static func check<Pointer>(_ pointer: Pointer?) throws(CryptoError) -> Pointer {
        guard let pointer else { throw failure() }
        return pointer
    }
}
