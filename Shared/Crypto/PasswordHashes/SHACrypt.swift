/// SHA-crypt with SHA-256 and SHA-512 (https://www.akkadia.org/drepper/SHA-crypt.txt), for imported passwords.
package enum SHACrypt {
    /// `$5$` or `$6$`, optionally `rounds=N$`, the salt, `$` and the hash.
    package struct Hash: Equatable, Sendable {
        package let text: String
        /// 1000 to 999,999,999.
        package let rounds: Int

        private static let defaultRounds = 5000
        private static let maximumSaltBytes = 16
        private static let roundsName = "rounds="

        /// - Returns: nil for any other text.
        package init?(_ text: String) {
            var parts = Array(text.utf8).split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)[...]
            guard parts.popFirst()?.isEmpty == true, let version = parts.popFirst(), version.count == 1 else {
                return nil
            }
            let hashByteCount: Int
            switch version.first {
            case UInt8(ascii: "5"): hashByteCount = 43
            case UInt8(ascii: "6"): hashByteCount = 86
            default: return nil
            }
            var rounds = Self.defaultRounds
            if parts.count == 3, let first = parts.popFirst() {
                let name = Array(Self.roundsName.utf8)
                let digits = first.dropFirst(name.count)
                guard first.starts(with: name), (4...9).contains(digits.count),
                    digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                    digits.first != UInt8(ascii: "0"), let number = Int(String(decoding: digits, as: UTF8.self))
                else { return nil }
                rounds = number
            }
            guard parts.count == 2, let salt = parts.popFirst(), let hash = parts.popFirst(),
                salt.count <= Self.maximumSaltBytes, salt.allSatisfy(CryptLibrary.isDigit),
                hash.count == hashByteCount, hash.allSatisfy(CryptLibrary.isDigit)
            else { return nil }
            self.text = text
            self.rounds = rounds
        }
    }

    /// Whether a password has a hash. It takes time in proportion to the rounds: run it in a `BlockingPool`.
    package static func matches(_ password: [UInt8], _ hash: Hash) -> Bool {
        CryptLibrary.matches(password, hash.text)
    }
}
