internal import CCrypt

/// bcrypt, for imported passwords.
package enum Bcrypt {
    /// A hash of the variants 2a, 2b and 2y, which differ only in mistakes of old implementations.
    package struct Hash: Equatable, Sendable {
        package let text: String
        /// The binary logarithm of the number of rounds, 4 to 31.
        package let cost: Int

        /// - Parameter text: `$2b$10$` and 53 characters of bcrypt's base64.
        /// - Returns: nil for any other text.
        package init?(_ text: String) {
            let bytes = Array(text.utf8)
            guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix),
                bytes.dropFirst(6).first == UInt8(ascii: "$"),
                bytes.dropFirst(4).prefix(2).allSatisfy({ (0x30...0x39).contains($0) }),
                let cost = Int(String(decoding: bytes.dropFirst(4).prefix(2), as: UTF8.self)), (4...31).contains(cost),
                bytes.dropFirst(7).allSatisfy(Self.isDigit)
            else { return nil }
            self.text = text
            self.cost = cost
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
    }

    /// bcrypt reads no more.
    private static let maximumPasswordBytes = 72

    /// Whether a password has a hash. It takes time in proportion to 2 to the power of the cost: run it in a
    /// `BlockingPool`.
    /// - Returns: false also for a password of more than 72 bytes, of which bcrypt would compare only the first (security
    ///   rule PW5), and for one with a zero byte, which ends a password there.
    package static func matches(_ password: [UInt8], _ hash: Hash) -> Bool {
        guard !password.contains(0) else { return false }
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        defer { data.deallocate() }
        data.initialize(to: crypt_data())
        let computed = password.map { CChar(bitPattern: $0) } + [0]
        guard let result = crypt_r(computed, hash.text, data) else { return false }
        // A longer password takes the same time as a wrong one.
        return constantTimeEquals(Array(String(cString: result).utf8), Array(hash.text.utf8))
            && password.count <= maximumPasswordBytes
    }
}
