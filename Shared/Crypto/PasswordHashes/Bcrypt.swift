/// bcrypt, for imported passwords.
package enum Bcrypt {
    /// A hash of the variants 2a, 2b and 2y, which differ only in mistakes of old implementations.
    package struct Hash: Equatable, Sendable {
        package let text: String
        /// The binary logarithm of the number of rounds, 4 to 31.
        package let cost: Int

        /// 22 characters.
        package var salt: String { String(text.dropFirst(7).prefix(22)) }

        /// - Parameter text: `$2b$10$` and 53 characters of bcrypt's base64.
        /// - Returns: nil for any other text.
        package init?(_ text: String) {
            let bytes = Array(text.utf8)
            guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix),
                bytes.dropFirst(6).first == UInt8(ascii: "$"),
                bytes.dropFirst(4).prefix(2).allSatisfy({ (0x30...0x39).contains($0) }),
                let cost = Int(String(decoding: bytes.dropFirst(4).prefix(2), as: UTF8.self)), (4...31).contains(cost),
                bytes.dropFirst(7).allSatisfy(CryptLibrary.isDigit)
            else { return nil }
            self.text = text
            self.cost = cost
        }
    }

    /// bcrypt reads no more.
    private static let maximumPasswordBytes = 72

    /// Whether a password has a hash. It takes time in proportion to 2 to the power of the cost: run it in a
    /// `BlockingPool`.
    /// - Returns: false also for a password of more than 72 bytes, of which bcrypt would compare only the first (security
    ///   rule PW5), and for one with a zero byte, which ends a password there.
    package static func matches(_ password: [UInt8], _ hash: Hash) -> Bool {
        // A longer password takes the same time as a wrong one.
        CryptLibrary.matches(password, hash.text) && password.count <= maximumPasswordBytes
    }
}
