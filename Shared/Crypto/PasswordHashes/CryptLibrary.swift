internal import CCrypt

/// crypt(3), which computes bcrypt and SHA-crypt.
enum CryptLibrary {
    /// Whether a password has a hash. It takes as long as the hash says: run it in a `BlockingPool`.
    /// - Returns: false also for a password with a zero byte, which would end there.
    static func matches(_ password: [UInt8], _ hash: String) -> Bool {
        guard !password.contains(0) else { return false }
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        defer { data.deallocate() }
        data.initialize(to: crypt_data())
        let text = password.map { CChar(bitPattern: $0) } + [0]
        guard let result = crypt_r(text, hash, data) else { return false }
        return constantTimeEquals(Array(String(cString: result).utf8), Array(hash.utf8))
    }

    /// Whether a byte is a digit of the base64 of crypt(3).
    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
