package import Contracts
internal import Vocabulary

/// How the hashes of a file were computed, in the words of `firebase auth:import`.
package struct HashParameters: Equatable, Sendable {
    /// A parameter, by the name of its option.
    package enum Name: String, CaseIterable, Sendable {
        case key = "hash-key"
        case saltSeparator = "salt-separator"
        case rounds
        case memoryCost = "mem-cost"
        case parallelization
        case blockSize = "block-size"
        case derivedKeyBytes = "dk-len"
        case inputOrder = "hash-input-order"
    }

    /// For example `SCRYPT`, in any case.
    package var algorithmName: String
    package var values: [Name: String]

    package init(algorithmName: String, values: [Name: String] = [:]) {
        self.algorithmName = algorithmName
        self.values = values
    }

    /// - Throws: `HashParametersError` for an unknown algorithm, and for a parameter that is missing, malformed or
    ///   without effect. Identity checks the bounds.
    package func algorithm() throws(HashParametersError) -> PasswordHashAlgorithm {
        var reader = Reader(values: values)
        let algorithm = try Self.algorithm(algorithmName.uppercased(), &reader)
        if let unused = reader.values.keys.map(\.rawValue).min() { throw .withoutEffect(unused) }
        return algorithm
    }

    private static func algorithm(
        _ name: String, _ reader: inout Reader
    ) throws(HashParametersError) -> PasswordHashAlgorithm {
        switch name {
        case "HMAC_SHA512": .hmac(.sha512, key: try reader.key(), order: try reader.order())
        case "HMAC_SHA256": .hmac(.sha256, key: try reader.key(), order: try reader.order())
        case "HMAC_SHA1": .hmac(.sha1, key: try reader.key(), order: try reader.order())
        case "HMAC_MD5": .hmac(.md5, key: try reader.key(), order: try reader.order())
        case "SHA512": .digest(.sha512, rounds: try reader.number(.rounds), order: try reader.order())
        case "SHA256": .digest(.sha256, rounds: try reader.number(.rounds), order: try reader.order())
        case "SHA1": .digest(.sha1, rounds: try reader.number(.rounds), order: try reader.order())
        case "MD5": .digest(.md5, rounds: try reader.number(.rounds), order: try reader.order())
        case "PBKDF_SHA1": .pbkdf2(.sha1, rounds: try reader.number(.rounds))
        case "PBKDF2_SHA256": .pbkdf2(.sha256, rounds: try reader.number(.rounds))
        case "SCRYPT":
            .firebaseScrypt(
                signerKey: try reader.key(), saltSeparator: try reader.octets(.saltSeparator) ?? OctetString([]),
                rounds: try reader.number(.rounds), memoryCost: try reader.number(.memoryCost))
        case "STANDARD_SCRYPT":
            .scrypt(
                cost: try reader.number(.memoryCost), blockSize: try reader.number(.blockSize),
                parallelization: try reader.number(.parallelization),
                hashByteCount: try reader.number(.derivedKeyBytes))
        case "BCRYPT": .bcrypt
        default: throw .unknownAlgorithm(name)
        }
    }

    /// Removes each value that it reads.
    private struct Reader {
        var values: [Name: String]

        mutating func octets(_ name: Name) throws(HashParametersError) -> OctetString? {
            guard let text = values.removeValue(forKey: name) else { return nil }
            guard let bytes = Base64Field.decode(text) else { throw .malformed(name, expects: "base64") }
            return OctetString(bytes)
        }

        mutating func key() throws(HashParametersError) -> Secret<OctetString> {
            guard let octets = try octets(.key), !octets.bytes.isEmpty else { throw .missing(.key) }
            return Secret(octets)
        }

        mutating func number(_ name: Name) throws(HashParametersError) -> Int {
            guard let text = values.removeValue(forKey: name) else { throw .missing(name) }
            guard let number = Int32(text), number >= 0 else { throw .malformed(name, expects: "a number") }
            return Int(number)
        }

        mutating func order() throws(HashParametersError) -> PasswordHashAlgorithm.InputOrder? {
            switch values.removeValue(forKey: .inputOrder)?.uppercased() {
            case nil: nil
            case "SALT_FIRST": .saltAndPassword
            case "PASSWORD_FIRST": .passwordAndSalt
            default: throw .malformed(.inputOrder, expects: "SALT_FIRST or PASSWORD_FIRST")
            }
        }
    }
}

/// Why hashes cannot be verified with the given parameters.
package enum HashParametersError: Error, Equatable, Sendable {
    case unknownAlgorithm(String)
    case missing(HashParameters.Name)
    case malformed(HashParameters.Name, expects: String)
    /// The parameter with this name has no effect with the algorithm.
    case withoutEffect(String)
    /// A line of a file of parameters.
    case malformedLine(Int)
}

extension HashParameters {
    /// The bound of a file of parameters.
    package static let maximumFileBytes = 16 << 10

    /// Reads the parameters as the Firebase console shows them: `hash_config { algorithm: SCRYPT, … }`.
    /// - Throws: `malformedLine` for a line with another name, a repeated one, or without a value.
    package init(console text: String) throws(HashParametersError) {
        self.init(algorithmName: "")
        for (index, line) in text.pieces(at: "\n").enumerated() {
            let trimmed = line.utf8.filter { ![0x20, 0x09, 0x0d].contains($0) }
            var content = Substring(String(decoding: trimmed, as: UTF8.self))
            if content.isEmpty || content == "hash_config{" || content == "}" { continue }
            if content.hasSuffix(",") { content.removeLast() }
            let (key, value) = content.halves(at: ":")
            guard let value, !value.isEmpty, set(key, value) else { throw .malformedLine(index + 1) }
        }
        guard !algorithmName.isEmpty else { throw .unknownAlgorithm("") }
    }

    /// - Returns: whether the name is known and new.
    private mutating func set(_ key: Substring, _ value: Substring) -> Bool {
        let name: Name
        switch key {
        case "algorithm":
            guard algorithmName.isEmpty else { return false }
            algorithmName = String(value)
            return true
        case "base64_signer_key": name = .key
        case "base64_salt_separator": name = .saltSeparator
        case "rounds": name = .rounds
        case "mem_cost": name = .memoryCost
        default: return false
        }
        return values.updateValue(String(value), forKey: name) == nil
    }
}

extension HashParameters {
    /// The parameters of an algorithm.
    /// - Returns: nil for an algorithm that `firebase auth:import` does not know.
    package init?(describing algorithm: PasswordHashAlgorithm) {
        switch algorithm {
        case .hmac(let function, let key, let order):
            self.init(
                algorithmName: "HMAC_\(function.rawValue.uppercased())", values: [.key: Self.base64(key.reveal())])
            setOrder(order)
        case .digest(let function, let rounds, let order):
            self.init(algorithmName: function.rawValue.uppercased(), values: [.rounds: "\(rounds)"])
            setOrder(order)
        case .pbkdf2(.sha1, let rounds): self.init(algorithmName: "PBKDF_SHA1", values: [.rounds: "\(rounds)"])
        case .pbkdf2(.sha256, let rounds): self.init(algorithmName: "PBKDF2_SHA256", values: [.rounds: "\(rounds)"])
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            self.init(
                algorithmName: "SCRYPT",
                values: [
                    .key: Self.base64(signerKey.reveal()), .saltSeparator: Self.base64(saltSeparator),
                    .rounds: "\(rounds)", .memoryCost: "\(memoryCost)",
                ])
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            self.init(
                algorithmName: "STANDARD_SCRYPT",
                values: [
                    .memoryCost: "\(cost)", .blockSize: "\(blockSize)", .parallelization: "\(parallelization)",
                    .derivedKeyBytes: "\(hashByteCount)",
                ])
        case .bcrypt: self.init(algorithmName: "BCRYPT")
        case .pbkdf2, .shaCrypt, .prehashedBcrypt, .argon2, .pepperedArgon2: return nil
        }
    }

    private mutating func setOrder(_ order: PasswordHashAlgorithm.InputOrder?) {
        switch order {
        case .saltAndPassword: values[.inputOrder] = "SALT_FIRST"
        case .passwordAndSalt: values[.inputOrder] = "PASSWORD_FIRST"
        case nil: break
        }
    }

    private static func base64(_ octets: OctetString) -> String { Base64Field.encode(octets.bytes) }

    /// The options of `firebase auth:import` and `latchkey users import`, in one line.
    package var optionsText: String {
        let options = Name.allCases.compactMap { name in values[name].map { "--\(name.rawValue)=\($0)" } }
        return (["--hash-algo=\(algorithmName)"] + options).joined(separator: " ")
    }
}
