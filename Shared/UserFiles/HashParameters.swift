package import Contracts
import Vocabulary

/// How the hashes of a file were computed, in the words of `firebase auth:import`.
package struct HashParameters: Equatable, Sendable {
    package typealias Name = PasswordHashAlgorithm.Parameter

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
        var rest = values
        let name = algorithmName.uppercased()
        func read(_ name: Name) throws(HashParametersError) -> PasswordHashAlgorithm.ParameterValue? {
            guard let text = rest.removeValue(forKey: name) else {
                // An absent separator is empty.
                return name == .saltSeparator ? .octets(OctetString([])) : nil
            }
            return try Self.value(name, text)
        }
        guard let kind = PasswordHashAlgorithm.Kind.all.first(where: { $0.wireName == name }),
            let algorithm = try PasswordHashAlgorithm(kind, read, missing: HashParametersError.missing)
        else { throw .unknownAlgorithm(name) }
        if let unused = rest.keys.map(\.rawValue).min() { throw .withoutEffect(unused) }
        return algorithm
    }

    /// - Returns: nil for an empty key.
    private static func value(
        _ name: Name, _ text: String
    ) throws(HashParametersError) -> PasswordHashAlgorithm.ParameterValue? {
        switch name {
        case .key, .saltSeparator:
            guard let bytes = Base64Field.decode(text) else { throw .malformed(name, expects: "base64") }
            return bytes.isEmpty && name == .key ? nil : .octets(OctetString(bytes))
        case .rounds, .memoryCost, .parallelization, .blockSize, .derivedKeyBytes:
            guard let number = Int32(text), number >= 0 else { throw .malformed(name, expects: "a number") }
            return .number(Int(number))
        case .inputOrder:
            let order = PasswordHashAlgorithm.InputOrder.allCases.first { Self.text($0) == text.uppercased() }
            guard let order else { throw .malformed(name, expects: "SALT_FIRST or PASSWORD_FIRST") }
            return .order(order)
        }
    }

    private static func text(_ order: PasswordHashAlgorithm.InputOrder) -> String {
        switch order {
        case .saltAndPassword: "SALT_FIRST"
        case .passwordAndSalt: "PASSWORD_FIRST"
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
        guard algorithm.kind.isOfFirebase, let name = algorithm.kind.wireName else { return nil }
        self.init(algorithmName: name)
        for (name, value) in algorithm.parameters {
            values[name] =
                switch value {
                case .octets(let octets): Base64Field.encode(octets.bytes)
                case .number(let number): "\(number)"
                case .order(let order): Self.text(order)
                }
        }
    }

    /// The options of `firebase auth:import` and `latchkey users import`, in one line.
    package var optionsText: String {
        let options = Name.allCases.compactMap { name in values[name].map { "--\(name.rawValue)=\($0)" } }
        return (["--hash-algo=\(algorithmName)"] + options).joined(separator: " ")
    }
}
