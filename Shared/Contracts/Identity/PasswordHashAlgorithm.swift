package import Vocabulary

/// How another system has hashed passwords (REST 4.3).
package enum PasswordHashAlgorithm: Codable, Equatable, Sendable {
    package enum Function: String, CaseIterable, Codable, Sendable { case md5, sha1, sha256, sha512 }

    /// Absent in a request, both orders are tried.
    package enum InputOrder: String, CaseIterable, Codable, Sendable { case saltAndPassword, passwordAndSalt }

    case hmac(Function, key: Secret<OctetString>, order: InputOrder?)
    /// The function is applied `rounds` times.
    case digest(Function, rounds: Int, order: InputOrder?)
    case pbkdf2(Function, rounds: Int)
    /// The modified scrypt of Firebase: the key that scrypt derives encrypts the signer key.
    case firebaseScrypt(signerKey: Secret<OctetString>, saltSeparator: OctetString, rounds: Int, memoryCost: Int)
    /// RFC 7914, with the names of its section 2: N, r, p.
    case scrypt(cost: Int, blockSize: Int, parallelization: Int, hashByteCount: Int)
    /// The hash is the text that begins with `$2`.
    case bcrypt
    /// bcrypt over a hash of the password, which has no limit of 72 bytes. The hash is the text of bcrypt.
    case prehashedBcrypt(BcryptInput)
    /// SHA-crypt of Unix: the hash is the text that begins with `$5$` or `$6$`.
    case shaCrypt
    case argon2(Argon2Parameters)
    /// The hashes of Latchkey itself: Argon2id over HMAC-SHA-256, keyed with the pepper, of the password in Unicode
    /// form NFKC.
    case pepperedArgon2(Argon2Parameters, Pepper)

    /// What bcrypt gets instead of the password.
    package enum BcryptInput: String, CaseIterable, Codable, Sendable {
        /// The digits of SHA-256, as Django computes it.
        case hexadecimalSHA256
        /// base64 of SHA-256: the first version of passlib.
        case base64SHA256
        /// base64 of HMAC-SHA-256, keyed with the text of the salt: the second version of passlib.
        case base64HMACSHA256
    }

    /// A key outside the password table, without which its hashes cannot be verified (security rule PW3).
    package struct Pepper: Codable, Equatable, Sendable {
        package var id: String
        /// Absent: only an installation that has the pepper can verify the hash.
        package var key: Secret<OctetString>?

        package init(id: String, key: Secret<OctetString>?) {
            self.id = id
            self.key = key
        }
    }

    /// RFC 9106, 3.1.
    package struct Argon2Parameters: Codable, Equatable, Sendable {
        package enum Variant: String, CaseIterable, Codable, Sendable { case d, i, id }
        package enum Version: String, CaseIterable, Codable, Sendable { case v10, v13 }
        package var variant: Variant
        package var version: Version
        package var memoryKiB: Int
        package var iterations: Int
        package var parallelism: Int
        package var hashByteCount: Int
        package var associatedData: OctetString?

        package init(
            variant: Variant, version: Version, memoryKiB: Int, iterations: Int, parallelism: Int, hashByteCount: Int,
            associatedData: OctetString? = nil
        ) {
            self.variant = variant
            self.version = version
            self.memoryKiB = memoryKiB
            self.iterations = iterations
            self.parallelism = parallelism
            self.hashByteCount = hashByteCount
            self.associatedData = associatedData
        }
    }
}

// MARK: - Names

extension PasswordHashAlgorithm {
    /// The algorithm without its parameters. Each form in which a hash is named reads and writes the names of this table:
    /// REST and `firebase auth:import` those of `wireName`, JSON Lines those of `textName`.
    package struct Kind: Hashable, Sendable {
        package enum Family: String, CaseIterable, Sendable {
            case hmac, digest, pbkdf2, firebaseScrypt, scrypt, bcrypt, prehashedBcrypt, shaCrypt, argon2, pepperedArgon2
        }

        package let family: Family
        /// The function of `hmac`, `digest` and `pbkdf2`.
        package let function: Function?

        fileprivate init(_ family: Family, _ function: Function? = nil) {
            self.family = family
            self.function = function
        }

        package static let all = Family.allCases.flatMap { family in
            switch family {
            case .hmac, .digest, .pbkdf2: Function.allCases.map { Kind(family, $0) }
            case .firebaseScrypt, .scrypt, .bcrypt, .prehashedBcrypt, .shaCrypt, .argon2, .pepperedArgon2:
                [Kind(family)]
            }
        }

        /// The name in `accounts:batchCreate` and, if `isOfFirebase`, in `firebase auth:import`.
        package var wireName: String? {
            let function = function?.rawValue.asciiUppercased ?? ""
            return switch family {
            case .hmac: "HMAC_\(function)"
            case .digest: function
            case .pbkdf2: self.function == .sha1 ? "PBKDF_SHA1" : "PBKDF2_\(function)"
            case .firebaseScrypt: "SCRYPT"
            case .scrypt: "STANDARD_SCRYPT"
            case .bcrypt: "BCRYPT"
            case .argon2: "ARGON2"
            case .prehashedBcrypt, .shaCrypt, .pepperedArgon2: nil
            }
        }

        /// Whether `firebase auth:import` knows the name.
        package var isOfFirebase: Bool {
            wireName != nil && family != .argon2 && (family != .pbkdf2 || function == .sha1 || function == .sha256)
        }

        /// The name in the PHC form of JSON Lines; nil for a hash that its own text describes, and for Argon2, whose name
        /// has its variant.
        package var textName: String? {
            let function = function?.rawValue ?? ""
            return switch family {
            case .hmac, .digest, .pbkdf2: "\(family.rawValue)-\(function)"
            case .firebaseScrypt: "firebase-scrypt"
            case .scrypt: "scrypt"
            case .bcrypt, .prehashedBcrypt, .shaCrypt, .argon2, .pepperedArgon2: nil
            }
        }
    }

    package var kind: Kind {
        switch self {
        case .hmac(let function, _, _): Kind(.hmac, function)
        case .digest(let function, _, _): Kind(.digest, function)
        case .pbkdf2(let function, _): Kind(.pbkdf2, function)
        case .firebaseScrypt: Kind(.firebaseScrypt)
        case .scrypt: Kind(.scrypt)
        case .bcrypt: Kind(.bcrypt)
        case .prehashedBcrypt: Kind(.prehashedBcrypt)
        case .shaCrypt: Kind(.shaCrypt)
        case .argon2: Kind(.argon2)
        case .pepperedArgon2: Kind(.pepperedArgon2)
        }
    }
}

// MARK: - Parameters

extension PasswordHashAlgorithm {
    /// A parameter of any algorithm but Argon2, by the name of its option in `firebase auth:import`.
    package enum Parameter: String, CaseIterable, Sendable {
        case key = "hash-key"
        case saltSeparator = "salt-separator"
        case rounds
        case memoryCost = "mem-cost"
        case parallelization
        case blockSize = "block-size"
        case derivedKeyBytes = "dk-len"
        case inputOrder = "hash-input-order"
    }

    package enum ParameterValue: Equatable, Sendable {
        case octets(OctetString)
        case number(Int)
        case order(InputOrder)
    }

    /// In the order in which a text has them. Those of Argon2 are no part of it.
    package var parameters: [(name: Parameter, value: ParameterValue)] {
        func order(_ order: InputOrder?) -> [(name: Parameter, value: ParameterValue)] {
            order.map { [(name: .inputOrder, value: .order($0))] } ?? []
        }
        return switch self {
        case .hmac(_, let key, let inputOrder): [(.key, .octets(key.reveal()))] + order(inputOrder)
        case .digest(_, let rounds, let inputOrder): [(.rounds, .number(rounds))] + order(inputOrder)
        case .pbkdf2(_, let rounds): [(.rounds, .number(rounds))]
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            [
                (.memoryCost, .number(memoryCost)), (.rounds, .number(rounds)),
                (.saltSeparator, .octets(saltSeparator)), (.key, .octets(signerKey.reveal())),
            ]
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            [
                (.memoryCost, .number(cost)), (.blockSize, .number(blockSize)),
                (.parallelization, .number(parallelization)), (.derivedKeyBytes, .number(hashByteCount)),
            ]
        case .bcrypt, .prehashedBcrypt, .shaCrypt, .argon2, .pepperedArgon2: []
        }
    }

    /// An algorithm with the parameters that a form has. Identity checks their bounds.
    /// - Parameters:
    ///   - value: the value of a parameter; nil if it is absent.
    ///   - missing: the error for a parameter that the algorithm needs.
    /// - Returns: nil for an algorithm that these parameters do not describe.
    package init?<Failure: Error>(
        _ kind: Kind, _ value: (Parameter) throws(Failure) -> ParameterValue?, missing: (Parameter) -> Failure
    ) throws(Failure) {
        func octets(_ name: Parameter) throws(Failure) -> OctetString {
            guard case .octets(let octets)? = try value(name) else { throw missing(name) }
            return octets
        }
        func number(_ name: Parameter) throws(Failure) -> Int {
            guard case .number(let number)? = try value(name) else { throw missing(name) }
            return number
        }
        func order() throws(Failure) -> InputOrder? {
            guard case .order(let order)? = try value(.inputOrder) else { return nil }
            return order
        }
        switch (kind.family, kind.function) {
        case (.hmac, let function?): self = .hmac(function, key: Secret(try octets(.key)), order: try order())
        case (.digest, let function?): self = .digest(function, rounds: try number(.rounds), order: try order())
        case (.pbkdf2, let function?): self = .pbkdf2(function, rounds: try number(.rounds))
        case (.firebaseScrypt, _):
            self = .firebaseScrypt(
                signerKey: Secret(try octets(.key)), saltSeparator: try octets(.saltSeparator),
                rounds: try number(.rounds), memoryCost: try number(.memoryCost))
        case (.scrypt, _):
            self = .scrypt(
                cost: try number(.memoryCost), blockSize: try number(.blockSize),
                parallelization: try number(.parallelization), hashByteCount: try number(.derivedKeyBytes))
        case (.bcrypt, _): self = .bcrypt
        case (.hmac, nil), (.digest, nil), (.pbkdf2, nil), (.prehashedBcrypt, _), (.shaCrypt, _), (.argon2, _),
            (.pepperedArgon2, _):
            return nil
        }
    }
}
