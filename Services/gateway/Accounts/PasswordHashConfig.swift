internal import Contracts
internal import Vocabulary

/// How a password hash was computed, with the fields of `accounts:batchCreate` (REST 4.3), so that a group of accounts
/// with equal values can be imported again.
struct PasswordHashConfig: Encodable, Equatable {
    struct Argon2Parameters: Encodable, Equatable {
        var hashLengthBytes: Int
        var hashType: String
        var parallelism: Int
        var iterations: Int
        var memoryCostKib: Int
        var version: String
        var associatedData: String?
    }

    var hashAlgorithm: String
    var signerKey: String?
    var saltSeparator: String?
    var rounds: Int?
    var memoryCost: Int?
    var cpuMemCost: Int?
    var blockSize: Int?
    var parallelization: Int?
    var dkLen: Int?
    var passwordHashOrder: String?
    var argon2Parameters: Argon2Parameters?

    /// - Returns: nil for a hash of Latchkey, which no other system can verify, and for one that the REST import does not
    ///   know.
    init?(_ algorithm: PasswordHashAlgorithm) {
        switch algorithm {
        case .hmac(let function, let key, let order):
            hashAlgorithm = "HMAC_\(function.wireName)"
            signerKey = Base64Field.encodeURL(key.reveal().bytes)
            passwordHashOrder = order?.wireName
        case .digest(let function, let rounds, let order):
            hashAlgorithm = function.wireName
            self.rounds = rounds
            passwordHashOrder = order?.wireName
        case .pbkdf2(let function, let rounds):
            hashAlgorithm = function == .sha1 ? "PBKDF_SHA1" : "PBKDF2_\(function.wireName)"
            self.rounds = rounds
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            hashAlgorithm = "SCRYPT"
            self.signerKey = Base64Field.encodeURL(signerKey.reveal().bytes)
            self.saltSeparator = Base64Field.encodeURL(saltSeparator.bytes)
            self.rounds = rounds
            self.memoryCost = memoryCost
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            hashAlgorithm = "STANDARD_SCRYPT"
            cpuMemCost = cost
            self.blockSize = blockSize
            self.parallelization = parallelization
            dkLen = hashByteCount
        case .bcrypt: hashAlgorithm = "BCRYPT"
        case .argon2(let argon2):
            hashAlgorithm = "ARGON2"
            argon2Parameters = Argon2Parameters(
                hashLengthBytes: argon2.hashByteCount, hashType: argon2.variant.wireName,
                parallelism: argon2.parallelism, iterations: argon2.iterations, memoryCostKib: argon2.memoryKiB,
                version: argon2.version == .v10 ? "VERSION_10" : "VERSION_13",
                associatedData: argon2.associatedData.map { Base64Field.encodeURL($0.bytes) })
        case .prehashedBcrypt, .shaCrypt, .pepperedArgon2: return nil
        }
    }
}

extension PasswordHashAlgorithm.Function {
    fileprivate var wireName: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        }
    }
}

extension PasswordHashAlgorithm.InputOrder {
    fileprivate var wireName: String {
        switch self {
        case .saltAndPassword: "SALT_AND_PASSWORD"
        case .passwordAndSalt: "PASSWORD_AND_SALT"
        }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters.Variant {
    fileprivate var wireName: String {
        switch self {
        case .d: "ARGON2_D"
        case .i: "ARGON2_I"
        case .id: "ARGON2_ID"
        }
    }
}
