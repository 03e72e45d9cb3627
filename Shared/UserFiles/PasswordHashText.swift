package import Contracts
package import Vocabulary

/// A password hash as one text: the PHC string format, `$<function>[$v=<version>][$<name>=<value>,…]$<salt>$<hash>`
/// with salt and hash in base64 without padding; for bcrypt, its own form.
///
/// | Function | Parameters |
/// |---|---|
/// | `argon2d`, `argon2i`, `argon2id` | `v=16` or `v=19`; `m`, `t`, `p`, optionally `data`; `keyid` for a hash of Latchkey |
/// | `scrypt` | `ln` (binary logarithm of the cost), `r`, `p` |
/// | `pbkdf2-sha1`, `pbkdf2-sha256` … | `i` |
/// | `firebase-scrypt` | `m` (memory cost), `r` (rounds), `sep`, `key` |
/// | `hmac-sha256` … | `key`, optionally `o`: `sp` salt first, `ps` password first |
/// | `digest-sha256` … | `r` (rounds), optionally `o` |
///
/// It also reads the texts of other systems: `PasswordHashText+OtherSystems.swift`.
package struct PasswordHashText: Equatable, Sendable {
    package var algorithm: PasswordHashAlgorithm
    package var salt: OctetString
    package var hash: OctetString

    package init(algorithm: PasswordHashAlgorithm, salt: OctetString, hash: OctetString) {
        self.algorithm = algorithm
        self.salt = salt
        self.hash = hash
    }

    package static let maximumBytes = 16 << 10

    // MARK: Writing

    package var text: String {
        let parameters: String
        switch algorithm {
        case .bcrypt, .shaCrypt: return String(decoding: hash.bytes, as: UTF8.self)
        case .prehashedBcrypt(let input): return Self.text(hash, of: input)
        case .hmac(let function, let key, let order):
            parameters = "hmac-\(function.rawValue)$key=\(Self.base64(key.reveal()))\(Self.suffix(order))"
        case .digest(let function, let rounds, let order):
            parameters = "digest-\(function.rawValue)$r=\(rounds)\(Self.suffix(order))"
        case .pbkdf2(let function, let rounds): parameters = "pbkdf2-\(function.rawValue)$i=\(rounds)"
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            parameters =
                "firebase-scrypt$m=\(memoryCost),r=\(rounds),sep=\(Self.base64(saltSeparator))"
                + ",key=\(Self.base64(signerKey.reveal()))"
        case .scrypt(let cost, let blockSize, let parallelization, _):
            parameters = "scrypt$ln=\(cost.trailingZeroBitCount),r=\(blockSize),p=\(parallelization)"
        case .argon2(let argon2): parameters = Self.text(argon2)
        case .pepperedArgon2(let argon2, let pepper): parameters = "\(Self.text(argon2)),keyid=\(pepper.id)"
        }
        return "$\(parameters)$\(Self.base64(salt))$\(Self.base64(hash))"
    }

    private static func text(_ argon2: PasswordHashAlgorithm.Argon2Parameters) -> String {
        let data = argon2.associatedData.map { ",data=\(base64($0))" } ?? ""
        return "argon2\(argon2.variant.rawValue)$v=\(argon2.version == .v10 ? 16 : 19)"
            + "$m=\(argon2.memoryKiB),t=\(argon2.iterations),p=\(argon2.parallelism)\(data)"
    }

    private static func suffix(_ order: PasswordHashAlgorithm.InputOrder?) -> String {
        switch order {
        case .saltAndPassword: ",o=sp"
        case .passwordAndSalt: ",o=ps"
        case nil: ""
        }
    }

    private static func base64(_ octets: OctetString) -> String {
        Base64Field.encode(octets.bytes).replacing("=", with: "")
    }

    // MARK: Reading

    /// - Returns: nil for any other text. Identity checks the bounds of the parameters.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        if ["$2a$", "$2b$", "$2x$", "$2y$"].contains(where: text.hasPrefix) {
            self.init(algorithm: .bcrypt, salt: OctetString([]), hash: OctetString(Array(text.utf8)))
            return
        }
        if let other = Self.ofOtherSystem(text) {
            self = other
            return
        }
        var parts = text.pieces(at: "$")[...]
        guard parts.popFirst() == "", let name = parts.popFirst(), let hash = parts.popLast().flatMap(Self.octets),
            let salt = parts.popLast().flatMap(Self.octets)
        else { return nil }
        var version: Substring?
        if parts.first?.hasPrefix("v=") == true { version = parts.popFirst()?.dropFirst(2) }
        guard parts.count <= 1, var fields = Fields(parts.first),
            let algorithm = Self.algorithm(name, version, &fields, hashByteCount: hash.bytes.count), fields.isEmpty
        else { return nil }
        self.init(algorithm: algorithm, salt: salt, hash: hash)
    }

    /// The parameters that are not read yet, by name.
    private struct Fields {
        private var values: [Substring: Substring] = [:]

        /// - Returns: nil for a parameter without a value, and for two with the same name.
        init?(_ text: Substring?) {
            guard let text else { return }
            for field in text.pieces(at: ",") {
                let (name, value) = field.halves(at: "=")
                guard let value, values.updateValue(value, forKey: name) == nil else { return nil }
            }
        }

        var isEmpty: Bool { values.isEmpty }

        mutating func text(_ name: Substring) -> Substring? { values.removeValue(forKey: name) }

        mutating func number(_ name: Substring) -> Int? {
            text(name).flatMap(PasswordHashText.number)
        }

        mutating func octets(_ name: Substring) -> OctetString? { text(name).flatMap(PasswordHashText.octets) }
    }

    private static func octets(_ text: Substring) -> OctetString? {
        Base64Field.decode(String(text)).map { OctetString($0) }
    }

    private static func algorithm(
        _ name: Substring, _ version: Substring?, _ fields: inout Fields, hashByteCount: Int
    ) -> PasswordHashAlgorithm? {
        if name.hasPrefix("argon2") { return argon2(name.dropFirst(6), version, &fields, hashByteCount: hashByteCount) }
        guard version == nil else { return nil }
        switch name {
        case "scrypt":
            guard let logarithm = fields.number("ln"), (1...30).contains(logarithm), let blockSize = fields.number("r"),
                let parallelization = fields.number("p")
            else { return nil }
            return .scrypt(
                cost: 1 << logarithm, blockSize: blockSize, parallelization: parallelization,
                hashByteCount: hashByteCount)
        case "firebase-scrypt":
            guard let memoryCost = fields.number("m"), let rounds = fields.number("r"),
                let saltSeparator = fields.octets("sep"), let key = fields.octets("key")
            else { return nil }
            return .firebaseScrypt(
                signerKey: Secret(key), saltSeparator: saltSeparator, rounds: rounds, memoryCost: memoryCost)
        default: return digest(name, &fields)
        }
    }

    private static func digest(_ name: Substring, _ fields: inout Fields) -> PasswordHashAlgorithm? {
        let (family, functionName) = name.halves(at: "-")
        guard let function = functionName.flatMap({ PasswordHashAlgorithm.Function(rawValue: String($0)) }) else {
            return nil
        }
        switch family {
        case "hmac":
            guard let key = fields.octets("key"), let order = order(&fields) else { return nil }
            return .hmac(function, key: Secret(key), order: order.value)
        case "digest":
            guard let rounds = fields.number("r"), let order = order(&fields) else { return nil }
            return .digest(function, rounds: rounds, order: order.value)
        case "pbkdf2": return fields.number("i").map { .pbkdf2(function, rounds: $0) }
        default: return nil
        }
    }

    /// - Returns: nil for an unknown order.
    private static func order(_ fields: inout Fields) -> (value: PasswordHashAlgorithm.InputOrder?, Void)? {
        switch fields.text("o") {
        case nil: (nil, ())
        case "sp": (.saltAndPassword, ())
        case "ps": (.passwordAndSalt, ())
        default: nil
        }
    }

    private static func argon2(
        _ name: Substring, _ version: Substring?, _ fields: inout Fields, hashByteCount: Int
    ) -> PasswordHashAlgorithm? {
        guard let variant = PasswordHashAlgorithm.Argon2Parameters.Variant(rawValue: String(name)),
            version == "16" || version == "19", let memory = fields.number("m"), let iterations = fields.number("t"),
            let parallelism = fields.number("p")
        else { return nil }
        var data: OctetString?
        if let text = fields.text("data") {
            guard let octets = octets(text) else { return nil }
            data = octets
        }
        let parameters = PasswordHashAlgorithm.Argon2Parameters(
            variant: variant, version: version == "16" ? .v10 : .v13, memoryKiB: memory, iterations: iterations,
            parallelism: parallelism, hashByteCount: hashByteCount, associatedData: data)
        guard let pepperID = fields.text("keyid") else { return .argon2(parameters) }
        return .pepperedArgon2(parameters, .init(id: String(pepperID), key: nil))
    }
}
