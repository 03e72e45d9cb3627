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
        let head: String
        switch algorithm {
        case .bcrypt, .shaCrypt: return String(decoding: hash.bytes, as: UTF8.self)
        case .prehashedBcrypt(let input): return Self.text(hash, of: input)
        case .argon2(let argon2): head = Self.text(argon2)
        case .pepperedArgon2(let argon2, let pepper): head = "\(Self.text(argon2)),keyid=\(pepper.id)"
        case .hmac, .digest, .pbkdf2, .firebaseScrypt, .scrypt:
            let kind = algorithm.kind
            let fields = algorithm.parameters.compactMap { parameter in
                kind.textName(of: parameter.name).map { "\($0)=\(Self.text(parameter.value, of: $0))" }
            }
            head = "\(kind.textName ?? "")$\(fields.joined(separator: ","))"
        }
        return "$\(head)$\(Self.base64(salt))$\(Self.base64(hash))"
    }

    private static func text(_ value: PasswordHashAlgorithm.ParameterValue, of name: String) -> String {
        switch value {
        case .octets(let octets): base64(octets)
        case .number(let number): "\(name == costLogarithm ? number.trailingZeroBitCount : number)"
        case .order(let order): text(order)
        }
    }

    private static func text(_ order: PasswordHashAlgorithm.InputOrder) -> String {
        switch order {
        case .saltAndPassword: "sp"
        case .passwordAndSalt: "ps"
        }
    }

    /// The name of the parameter that is the binary logarithm of a cost.
    fileprivate static let costLogarithm = "ln"

    private static func text(_ argon2: PasswordHashAlgorithm.Argon2Parameters) -> String {
        let data = argon2.associatedData.map { ",data=\(base64($0))" } ?? ""
        return "argon2\(argon2.variant.rawValue)$v=\(argon2.version == .v10 ? 16 : 19)"
            + "$m=\(argon2.memoryKiB),t=\(argon2.iterations),p=\(argon2.parallelism)\(data)"
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

    private static func algorithm(
        _ name: Substring, _ version: Substring?, _ fields: inout Fields, hashByteCount: Int
    ) -> PasswordHashAlgorithm? {
        if name.hasPrefix("argon2") { return argon2(name.dropFirst(6), version, &fields, hashByteCount: hashByteCount) }
        guard version == nil,
            let kind = PasswordHashAlgorithm.Kind.all.first(where: { $0.textName.map { $0 == name } ?? false })
        else { return nil }
        func read(
            _ parameter: PasswordHashAlgorithm.Parameter
        ) throws(Malformed) -> PasswordHashAlgorithm.ParameterValue? {
            guard let name = kind.textName(of: parameter) else { return .number(hashByteCount) }
            return fields.value(name[...]) { value(of: parameter, named: name, $0) }
        }
        // `try?`: without a parameter the text is unknown.
        return try? PasswordHashAlgorithm(kind, read, missing: { _ in Malformed() })
    }

    private static func value(
        of parameter: PasswordHashAlgorithm.Parameter, named name: String, _ text: Substring
    ) -> PasswordHashAlgorithm.ParameterValue? {
        switch parameter {
        case .key, .saltSeparator: return octets(text).map { .octets($0) }
        case .inputOrder:
            return PasswordHashAlgorithm.InputOrder.allCases.first { self.text($0) == text }.map { .order($0) }
        case .rounds, .memoryCost, .parallelization, .blockSize, .derivedKeyBytes:
            guard let number = number(text) else { return nil }
            guard name == costLogarithm else { return .number(number) }
            return (1...30).contains(number) ? .number(1 << number) : nil
        }
    }

    private struct Malformed: Error {}

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

        /// Removes a value that can be read. A malformed one stays, so that the text is unknown.
        mutating func value<Value>(_ name: Substring, _ read: (Substring) -> Value?) -> Value? {
            guard let value = values[name].flatMap(read) else { return nil }
            values[name] = nil
            return value
        }

        mutating func number(_ name: Substring) -> Int? { value(name, PasswordHashText.number) }
    }

    private static func octets(_ text: Substring) -> OctetString? {
        Base64Field.decode(String(text)).map { OctetString($0) }
    }

    private static func argon2(
        _ name: Substring, _ version: Substring?, _ fields: inout Fields, hashByteCount: Int
    ) -> PasswordHashAlgorithm? {
        guard let variant = PasswordHashAlgorithm.Argon2Parameters.Variant(rawValue: String(name)),
            version == "16" || version == "19", let memory = fields.number("m"), let iterations = fields.number("t"),
            let parallelism = fields.number("p")
        else { return nil }
        let parameters = PasswordHashAlgorithm.Argon2Parameters(
            variant: variant, version: version == "16" ? .v10 : .v13, memoryKiB: memory, iterations: iterations,
            parallelism: parallelism, hashByteCount: hashByteCount, associatedData: fields.value("data", octets))
        guard let pepperID = fields.value("keyid", { $0 }) else { return .argon2(parameters) }
        return .pepperedArgon2(parameters, .init(id: String(pepperID), key: nil))
    }
}

extension PasswordHashAlgorithm.Kind {
    /// The name of a parameter in the text; nil for the length of the hash, which the hash shows.
    fileprivate func textName(of parameter: PasswordHashAlgorithm.Parameter) -> String? {
        switch parameter {
        case .key: "key"
        case .saltSeparator: "sep"
        case .rounds: family == .pbkdf2 ? "i" : "r"
        case .memoryCost: family == .scrypt ? PasswordHashText.costLogarithm : "m"
        case .parallelization: "p"
        case .blockSize: "r"
        case .derivedKeyBytes: nil
        case .inputOrder: "o"
        }
    }
}
