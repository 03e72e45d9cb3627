import Contracts
import JSON
import Vocabulary

extension PasswordHashAlgorithm {
    /// How a hash was computed, with the fields of `accounts:batchCreate` (REST 4.3), so that a group of accounts with equal
    /// values can be imported again. Nil for a hash of Latchkey, which no other system can verify, and for one that the
    /// REST import does not know.
    var importFields: JSONValue? {
        guard let name = kind.wireName else { return nil }
        var fields: [String: JSONValue] = ["hashAlgorithm": .string(name)]
        for (name, value) in parameters {
            fields[name.importField(of: kind)] =
                switch value {
                case .octets(let octets): .string(Base64Field.encodeURL(octets.bytes))
                case .number(let number): .integer(Int64(number))
                case .order(let order): .string(order.wireOrder.rawValue)
                }
        }
        if case .argon2(let argon2) = self {
            var parameters: [String: JSONValue] = [
                "hashLengthBytes": .integer(Int64(argon2.hashByteCount)),
                "hashType": .string(argon2.variant.wireType.rawValue),
                "parallelism": .integer(Int64(argon2.parallelism)), "iterations": .integer(Int64(argon2.iterations)),
                "memoryCostKib": .integer(Int64(argon2.memoryKiB)),
                "version": .string(argon2.version == .v10 ? "VERSION_10" : "VERSION_13"),
            ]
            parameters["associatedData"] = argon2.associatedData.map { .string(Base64Field.encodeURL($0.bytes)) }
            fields["argon2Parameters"] = .object(parameters)
        }
        return .object(fields)
    }
}

extension PasswordHashAlgorithm.Parameter {
    fileprivate func importField(of kind: PasswordHashAlgorithm.Kind) -> String {
        switch self {
        case .key: "signerKey"
        case .saltSeparator: "saltSeparator"
        case .rounds: "rounds"
        case .memoryCost: kind.family == .scrypt ? "cpuMemCost" : "memoryCost"
        case .parallelization: "parallelization"
        case .blockSize: "blockSize"
        case .derivedKeyBytes: "dkLen"
        case .inputOrder: "passwordHashOrder"
        }
    }
}

extension AccountImportBody {
    /// Reads the fields of an algorithm.
    /// - Returns: nil for an algorithm that these fields cannot describe.
    func algorithm(_ kind: PasswordHashAlgorithm.Kind) throws(APIError) -> PasswordHashAlgorithm? {
        if kind.family == .argon2 { return .argon2(try argon2()) }
        func read(
            _ name: PasswordHashAlgorithm.Parameter
        ) throws(APIError) -> PasswordHashAlgorithm.ParameterValue? {
            switch name {
            case .key: .octets(try bytes(signerKey, "signer_key"))
            case .saltSeparator: .octets(try bytes(saltSeparator, "salt_separator"))
            case .rounds where rounds == nil && kind.family == .digest: .number(1)
            case .rounds: .number(try integer(rounds, "rounds"))
            case .memoryCost where kind.family == .scrypt:
                .number(try integer(cpuMemCost ?? memoryCost, "cpu_mem_cost"))
            case .memoryCost: .number(try integer(memoryCost, "memory_cost"))
            case .parallelization: .number(try integer(parallelization, "parallelization"))
            case .blockSize: .number(try integer(blockSize, "block_size"))
            case .derivedKeyBytes: .number(try integer(dkLen, "dk_len"))
            case .inputOrder:
                PasswordHashAlgorithm.InputOrder.allCases.first { $0.wireOrder == passwordHashOrder?.value }
                    .map { .order($0) }
            }
        }
        return try PasswordHashAlgorithm(kind, read, missing: { .invalidValue(at: $0.rawValue, type: nil) })
    }

    private func argon2() throws(APIError) -> PasswordHashAlgorithm.Argon2Parameters {
        typealias Variant = PasswordHashAlgorithm.Argon2Parameters.Variant
        guard let parameters = argon2Parameters,
            let variant = Variant.allCases.first(where: { $0.wireType == parameters.hashType?.value })
        else { throw .invalidValue(at: "argon2_parameters", type: nil) }
        return .init(
            variant: variant, version: parameters.version?.value == .v10 ? .v10 : .v13,
            memoryKiB: try integer(parameters.memoryCostKib, "argon2_parameters.memory_cost_kib"),
            iterations: try integer(parameters.iterations, "argon2_parameters.iterations"),
            parallelism: try integer(parameters.parallelism, "argon2_parameters.parallelism"),
            hashByteCount: try integer(parameters.hashLengthBytes, "argon2_parameters.hash_length_bytes"),
            associatedData: try bytes(parameters.associatedData, "argon2_parameters.associated_data"))
    }

    /// Absent counts as zero.
    private func integer(_ value: WireInteger?, _ field: String) throws(APIError) -> Int {
        guard let integer = Int32(exactly: value?.value ?? 0) else {
            throw .invalidValue(at: field, type: "TYPE_INT32")
        }
        return Int(integer)
    }

    private func bytes(_ text: String?, _ field: String) throws(APIError) -> OctetString {
        guard let bytes = Base64Field.decode(text ?? "") else { throw .invalidValue(at: field, type: "TYPE_BYTES") }
        return OctetString(bytes)
    }
}

extension PasswordHashAlgorithm.InputOrder {
    fileprivate var wireOrder: AccountImportBody.HashOrder {
        switch self {
        case .saltAndPassword: .saltAndPassword
        case .passwordAndSalt: .passwordAndSalt
        }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters.Variant {
    fileprivate var wireType: AccountImportBody.Argon2Type {
        switch self {
        case .d: .d
        case .i: .i
        case .id: .id
        }
    }
}
