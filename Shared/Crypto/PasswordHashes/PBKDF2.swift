internal import COpenSSL

/// PBKDF2 (RFC 8018 5.2), for imported passwords.
package enum PBKDF2 {
    /// It takes time in proportion to `iterations`: run it in a `BlockingPool`.
    /// - Throws: `CryptoError.parameters` for numbers out of range.
    package static func derive(
        _ function: HashFunction, password: [UInt8], salt: [UInt8], iterations: Int, byteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        guard let rounds = Int32(exactly: iterations), rounds > 0, let length = Int32(exactly: byteCount), length > 0,
            let passwordLength = Int32(exactly: password.count), let saltLength = Int32(exactly: salt.count)
        else { throw .parameters("out of range") }
        var key = [UInt8](repeating: 0, count: byteCount)
        let code = password.withUnsafeBytes { password in
            PKCS5_PBKDF2_HMAC(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), passwordLength, salt, saltLength, rounds,
                function.algorithm.pointer, length, &key)
        }
        guard code == 1 else { throw .parameters("refused by OpenSSL") }
        return key
    }
}
