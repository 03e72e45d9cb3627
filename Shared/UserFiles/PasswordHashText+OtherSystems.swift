import Contracts
import Vocabulary

/// The texts in which other systems store a hash with its parameters.
///
/// | System | Texts |
/// |---|---|
/// | Django | `pbkdf2_sha256$ROUNDS$SALT$HASH`, `pbkdf2_sha1$…`, `argon2$argon2id$…`, `bcrypt_sha256$$2b$…`, `bcrypt$$2b$…`, `scrypt$N$SALT$r$p$HASH`, `md5$SALT$HEX`, `sha1$SALT$HEX` |
/// | passlib | `$pbkdf2-sha256$ROUNDS$SALT$HASH` (also `-sha512`, and `$pbkdf2$` for SHA-1), `$bcrypt-sha256$v=2,t=2b,r=12$SALT$HASH`, `$bcrypt-sha256$2b,12$SALT$HASH` |
/// | LDAP | `{SSHA}`, `{SHA}`, `{SMD5}`, `{MD5}`, `{SSHA256}` …, `{PBKDF2-SHA256}ROUNDS$SALT$HASH`, `{CRYPT}`, `{BCRYPT}` and `{ARGON2}` before another text |
/// | Unix | `$5$…`, `$6$…` |
extension PasswordHashText {
    /// - Returns: nil for a text that is of none of these systems.
    static func ofOtherSystem(_ text: String) -> PasswordHashText? {
        if text.hasPrefix("$5$") || text.hasPrefix("$6$") { return whole(text, .shaCrypt) }
        if text.hasPrefix("{") { return ldap(text) }
        if text.hasPrefix("$") { return passlib(text) }
        return django(text)
    }

    /// What names the form of a text in a message: never a part of its salt or hash.
    package static func formName(of text: String) -> String? {
        let name: Substring
        if text.hasPrefix("{") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "}")) else { return nil }
            name = text[...end]
        } else if text.hasPrefix("$") {
            guard let end = text.dropFirst().utf8.firstIndex(of: UInt8(ascii: "$")) else { return nil }
            name = text[...end]
        } else {
            let (first, rest) = text[...].halves(at: "$")
            guard rest != nil else { return nil }
            name = first
        }
        let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "${}-_".utf8.contains($0) }
        return isName && (1...24).contains(name.utf8.count) ? String(name) : nil
    }

    /// A hash that its own text describes.
    private static func whole(_ text: String, _ algorithm: PasswordHashAlgorithm) -> PasswordHashText {
        PasswordHashText(algorithm: algorithm, salt: OctetString([]), hash: OctetString(Array(text.utf8)))
    }

    // MARK: Django

    private static func django(_ text: String) -> PasswordHashText? {
        let (name, rest) = text[...].halves(at: "$")
        guard let rest else { return nil }
        let fields = rest.pieces(at: "$")
        switch name {
        case "pbkdf2_sha256": return django(fields, .sha256)
        case "pbkdf2_sha1": return django(fields, .sha1)
        case "argon2": return PasswordHashText("$\(rest)")
        case "bcrypt": return isBcrypt(rest) ? whole(String(rest), .bcrypt) : nil
        case "bcrypt_sha256":
            return isBcrypt(rest) ? whole(String(rest), .prehashedBcrypt(.hexadecimalSHA256)) : nil
        case "scrypt":
            guard fields.count == 5, let cost = number(fields[0]), (2...1 << 30).contains(cost),
                cost.nonzeroBitCount == 1, let blockSize = number(fields[2]), let parallelization = number(fields[3]),
                let hash = Base64Field.decode(String(fields[4]))
            else { return nil }
            return PasswordHashText(
                algorithm: .scrypt(
                    cost: cost, blockSize: blockSize, parallelization: parallelization, hashByteCount: hash.count),
                salt: octets(of: fields[1]), hash: OctetString(hash))
        case "md5": return django(digest: .md5, fields)
        case "sha1": return django(digest: .sha1, fields)
        default: return nil
        }
    }

    private static func django(
        _ fields: [Substring], _ function: PasswordHashAlgorithm.Function
    ) -> PasswordHashText? {
        guard fields.count == 3, let rounds = number(fields[0]), let hash = Base64Field.decode(String(fields[2])) else {
            return nil
        }
        return PasswordHashText(
            algorithm: .pbkdf2(function, rounds: rounds), salt: octets(of: fields[1]), hash: OctetString(hash))
    }

    private static func django(
        digest function: PasswordHashAlgorithm.Function, _ fields: [Substring]
    ) -> PasswordHashText? {
        guard fields.count == 2, let hash = [UInt8](hexadecimal: fields[1]) else { return nil }
        return PasswordHashText(
            algorithm: .digest(function, rounds: 1, order: .saltAndPassword), salt: octets(of: fields[0]),
            hash: OctetString(hash))
    }

    private static func isBcrypt(_ text: Substring) -> Bool { text.hasPrefix("$2a$") || text.hasPrefix("$2b$") }

    /// A salt that is a text.
    private static func octets(of text: Substring) -> OctetString { OctetString(Array(text.utf8)) }

    // MARK: passlib

    private static func passlib(_ text: String) -> PasswordHashText? {
        let fields = text.pieces(at: "$")
        guard fields.count == 5 else { return nil }
        switch fields[1] {
        case "pbkdf2": return passlib(fields[2...], .sha1)
        case "pbkdf2-sha256": return passlib(fields[2...], .sha256)
        case "pbkdf2-sha512": return passlib(fields[2...], .sha512)
        case "bcrypt-sha256":
            guard let (input, head) = passlibBcrypt(fields[2]), fields[3].utf8.count == 22, fields[4].utf8.count == 31
            else { return nil }
            return whole("\(head)\(fields[3])\(fields[4])", .prehashedBcrypt(input))
        default: return nil
        }
    }

    /// The rounds are a number, and base64 has `.` instead of `+`.
    private static func passlib(
        _ fields: ArraySlice<Substring>, _ function: PasswordHashAlgorithm.Function
    ) -> PasswordHashText? {
        let fields = Array(fields)
        guard fields.count == 3, let rounds = number(fields[0]),
            let salt = Base64Field.decode(String(fields[1]).replacing(".", with: "+")),
            let hash = Base64Field.decode(String(fields[2]).replacing(".", with: "+"))
        else { return nil }
        return PasswordHashText(
            algorithm: .pbkdf2(function, rounds: rounds), salt: OctetString(salt), hash: OctetString(hash))
    }

    /// `v=2,t=2b,r=12`, or `2b,12` of the first version.
    private static func passlibBcrypt(
        _ parameters: Substring
    ) -> (PasswordHashAlgorithm.BcryptInput, head: String)? {
        var fields = parameters.pieces(at: ",")
        var input = PasswordHashAlgorithm.BcryptInput.base64SHA256
        if fields.first == "v=2" {
            guard fields.count == 3, fields[1].hasPrefix("t="), fields[2].hasPrefix("r=") else { return nil }
            fields = [fields[1].dropFirst(2), fields[2].dropFirst(2)]
            input = .base64HMACSHA256
        }
        guard fields.count == 2, fields[0] == "2a" || fields[0] == "2b", let cost = number(fields[1]), cost < 32 else {
            return nil
        }
        return (input, "$\(fields[0])$\(cost < 10 ? "0" : "")\(cost)$")
    }

    /// The text of a hash that `bcrypt` computed over another one.
    static func text(_ hash: OctetString, of input: PasswordHashAlgorithm.BcryptInput) -> String {
        // `$2b$12$`, 22 characters of salt, 31 of the digest.
        let bytes = hash.bytes[...]
        func part(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
        let (variant, cost) = (part(bytes.dropFirst().prefix(2)), part(bytes.dropFirst(4).prefix(2)))
        let (salt, digest) = (part(bytes.dropFirst(7).prefix(22)), part(bytes.dropFirst(29)))
        // A number here, and two digits in the text of bcrypt.
        let rounds = cost.hasPrefix("0") ? cost.dropFirst() : cost[...]
        return switch input {
        case .hexadecimalSHA256: "bcrypt_sha256$\(part(bytes))"
        case .base64SHA256: "$bcrypt-sha256$\(variant),\(rounds)$\(salt)$\(digest)"
        case .base64HMACSHA256: "$bcrypt-sha256$v=2,t=\(variant),r=\(rounds)$\(salt)$\(digest)"
        }
    }

    // MARK: LDAP

    private static func ldap(_ text: String) -> PasswordHashText? {
        let (scheme, rest) = text.dropFirst()[...].halves(at: "}")
        guard let rest else { return nil }
        switch scheme.uppercased() {
        case "MD5", "SMD5": return ldap(rest, .md5, hashByteCount: 16)
        case "SHA", "SSHA": return ldap(rest, .sha1, hashByteCount: 20)
        case "SHA256", "SSHA256": return ldap(rest, .sha256, hashByteCount: 32)
        case "SHA512", "SSHA512": return ldap(rest, .sha512, hashByteCount: 64)
        case "PBKDF2", "PBKDF2-SHA1": return passlib(rest.pieces(at: "$")[...], .sha1)
        case "PBKDF2-SHA256": return passlib(rest.pieces(at: "$")[...], .sha256)
        case "PBKDF2-SHA512": return passlib(rest.pieces(at: "$")[...], .sha512)
        // Another scheme in braces is no hash of crypt(3), and would nest without a bound.
        case "CRYPT", "BCRYPT", "ARGON2": return rest.hasPrefix("$") ? PasswordHashText(String(rest)) : nil
        default: return nil
        }
    }

    /// The salt follows the hash.
    private static func ldap(
        _ text: Substring, _ function: PasswordHashAlgorithm.Function, hashByteCount: Int
    ) -> PasswordHashText? {
        guard let bytes = Base64Field.decode(String(text)), bytes.count >= hashByteCount else { return nil }
        return PasswordHashText(
            algorithm: .digest(function, rounds: 1, order: .passwordAndSalt),
            salt: OctetString(Array(bytes.dropFirst(hashByteCount))),
            hash: OctetString(Array(bytes.prefix(hashByteCount))))
    }

    // MARK: Numbers

    /// One to nine digits.
    static func number(_ digits: Substring) -> Int? {
        guard (1...9).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(digits)
    }
}
