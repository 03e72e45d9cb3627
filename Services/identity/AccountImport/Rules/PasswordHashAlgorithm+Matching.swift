import Contracts
import Crypto
import Vocabulary

extension PasswordHashAlgorithm {
    /// Checks the parameters before a hash is stored: with none of them a sign-in takes much longer than a second.
    /// - Throws: `invalidPasswordHashAlgorithm` with the parameter that is out of range.
    func checkBounds() throws(ServiceError) {
        switch self {
        case .hmac(_, let key, _): try Self.check("signerKey", key.reveal().bytes.count, in: 1...4096)
        case .digest(.md5, let rounds, _): try Self.check("rounds", rounds, in: 0...8192)
        case .digest(_, let rounds, _): try Self.check("rounds", rounds, in: 1...8192)
        case .pbkdf2(_, let rounds): try Self.check("rounds", rounds, in: 1...2_000_000)
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            try Self.check("signerKey", signerKey.reveal().bytes.count, in: 1...4096)
            try Self.check("saltSeparator", saltSeparator.bytes.count, in: 0...256)
            try Self.check("rounds", rounds, in: 1...8)
            try Self.check("memoryCost", memoryCost, in: 1...14)
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            try Self.check("cpuMemCost", cost, in: 2...(1 << 20))
            try Self.check("blockSize", blockSize, in: 1...64)
            try Self.check("parallelization", parallelization, in: 1...64)
            try Self.check("dkLen", hashByteCount, in: 16...1024)
            let parameters = Scrypt.Parameters(
                cost: cost, blockSize: blockSize, parallelization: parallelization)
            guard cost.nonzeroBitCount == 1 else { throw .invalidAlgorithm("cpuMemCost must be a power of 2") }
            guard let memory = parameters.memoryBytes, memory.multipliedSaturated(by: parallelization) <= 512 << 20,
                memory <= 65 << 20
            else { throw .invalidAlgorithm("the parameters need more than 64 MiB") }
        case .bcrypt, .prehashedBcrypt, .shaCrypt: return
        case .argon2(let argon2): try argon2.checkBounds()
        case .pepperedArgon2(let argon2, let pepper):
            try argon2.checkBounds()
            guard argon2.variant == .id, argon2.version == .v13, argon2.associatedData == nil else {
                throw .invalidAlgorithm("a hash with a pepper must be of Argon2id, version 19")
            }
            try Self.check("keyid", pepper.id.utf8.count, in: 1...64)
            try Self.check("the pepper", pepper.key?.reveal().bytes.count ?? 32, in: 16...256)
        }
    }

    fileprivate static func check(_ name: String, _ value: Int, in range: ClosedRange<Int>) throws(ServiceError) {
        guard range.contains(value) else {
            throw .invalidAlgorithm("\(name) must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Whether a password has a hash. It takes about a second of a processor at most: run it in a `BlockingPool`.
    /// - Parameter password: as the user has entered it, in UTF-8.
    /// - Throws: `CryptoError` without memory.
    func matches(_ password: [UInt8], salt: [UInt8], hash: [UInt8]) throws(CryptoError) -> Bool {
        switch self {
        case .hmac(let function, let key, let order):
            return Self.inputs(password, salt, order).contains { input in
                constantTimeEquals(function.inCrypto.authenticate(input, key: key.reveal().bytes), hash)
            }
        case .digest(let function, let rounds, let order):
            return Self.inputs(password, salt, order).contains { input in
                // MD5 with zero rounds has always meant one.
                let computed = (0..<max(1, rounds)).reduce(input) { text, _ in function.inCrypto.digest(text) }
                return constantTimeEquals(computed, hash)
            }
        case .pbkdf2(let function, let rounds):
            let key = try PBKDF2.derive(
                function.inCrypto, password: password, salt: salt, iterations: rounds, byteCount: hash.count)
            return constantTimeEquals(key, hash)
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            let key = try Scrypt.derive(
                password: password, salt: salt + saltSeparator.bytes,
                .init(cost: 1 << memoryCost, blockSize: rounds, parallelization: 1), byteCount: 64)
            let computed = try AESCounterMode.encrypt(signerKey.reveal().bytes, key: Array(key.prefix(32)))
            return constantTimeEquals(computed, hash)
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            let key = try Scrypt.derive(
                password: password, salt: salt,
                .init(cost: cost, blockSize: blockSize, parallelization: parallelization), byteCount: hashByteCount)
            return constantTimeEquals(key, hash)
        case .bcrypt:
            guard let stored = Bcrypt.Hash(String(decoding: hash, as: UTF8.self)) else { return false }
            return Bcrypt.matches(password, stored)
        case .prehashedBcrypt(let input):
            guard let stored = Bcrypt.Hash(String(decoding: hash, as: UTF8.self)) else { return false }
            return Bcrypt.matches(input.bytes(of: password, stored), stored)
        case .shaCrypt:
            guard let stored = SHACrypt.Hash(String(decoding: hash, as: UTF8.self)) else { return false }
            return SHACrypt.matches(password, stored)
        case .argon2(let argon2):
            let tag = try Argon2.hash(
                password: password, salt: salt, associatedData: argon2.associatedData?.bytes ?? [],
                .init(
                    memoryKiB: argon2.memoryKiB, iterations: argon2.iterations, parallelism: argon2.parallelism,
                    tagBytes: argon2.hashByteCount),
                variant: argon2.variant.inCrypto, version: argon2.version.inCrypto)
            return constantTimeEquals(tag, hash)
        case .pepperedArgon2: return false  // `ImportedPassword.matches` verifies them.
        }
    }

    private static func inputs(_ password: [UInt8], _ salt: [UInt8], _ order: InputOrder?) -> [[UInt8]] {
        switch order {
        case .saltAndPassword: [salt + password]
        case .passwordAndSalt: [password + salt]
        case nil: [password + salt, salt + password]
        }
    }

    /// The bytes of a hash as an import contains it. Exports of MySQL and PHP write digests as hexadecimal text, and Google
    /// accepts that text as the hash.
    func bytes(ofHash hash: [UInt8]) -> [UInt8] {
        switch self {
        case .hmac(let function, _, _), .digest(let function, _, _):
            let count = function.inCrypto.digest([]).count
            guard hash.count == 2 * count else { return hash }
            return [UInt8](hexadecimal: hash) ?? hash
        case .pbkdf2, .firebaseScrypt, .scrypt, .bcrypt, .prehashedBcrypt, .shaCrypt, .argon2, .pepperedArgon2:
            return hash
        }
    }

    /// The lengths of salt and hash that the algorithm has; nil: any.
    private var ownByteCount: Int? {
        switch self {
        case .hmac(let function, _, _), .digest(let function, _, _): function.inCrypto.digest([]).count
        case .firebaseScrypt(let signerKey, _, _, _): signerKey.reveal().bytes.count
        case .scrypt(_, _, _, let hashByteCount): hashByteCount
        case .argon2(let argon2), .pepperedArgon2(let argon2, _): argon2.hashByteCount
        case .pbkdf2, .bcrypt, .prehashedBcrypt, .shaCrypt: nil
        }
    }

    /// Checks what one account has of the algorithm.
    /// - Throws: `invalidPasswordHash` with the reason.
    func check(
        salt: [UInt8], hash: [UInt8], maximumBcryptCost: Int = standardBcryptCost
    ) throws(ServiceError) {
        guard salt.count <= 1024 else { throw .invalidHash("the salt has more than 1024 bytes") }
        guard (1...1024).contains(hash.count), ownByteCount.map({ $0 == hash.count }) ?? true else {
            throw .invalidHash("passwordHash has another length than hashes of the algorithm")
        }
        switch self {
        case .bcrypt, .prehashedBcrypt:
            guard let hash = Bcrypt.Hash(String(decoding: hash, as: UTF8.self)) else {
                throw .invalidHash("passwordHash is not a hash of bcrypt")
            }
            guard hash.cost <= maximumBcryptCost else {
                throw .invalidHash(
                    "the cost of bcrypt is \(hash.cost): LATCHKEY_IMPORT_BCRYPT_COST allows \(maximumBcryptCost)")
            }
        case .shaCrypt:
            guard let hash = SHACrypt.Hash(String(decoding: hash, as: UTF8.self)) else {
                throw .invalidHash("passwordHash is not a hash of SHA-crypt")
            }
            guard hash.rounds <= Self.maximumSHACryptRounds else {
                throw .invalidHash("SHA-crypt has more than \(Self.maximumSHACryptRounds) rounds")
            }
        case .argon2, .pepperedArgon2:
            guard salt.count >= 8 else { throw .invalidHash("the salt has less than 8 bytes") }
        case .hmac, .digest, .pbkdf2, .firebaseScrypt, .scrypt: return
        }
    }

    /// A comparison takes about a quarter of a second of a processor, and twice as long with each further one.
    static let standardBcryptCost = 12
    /// A comparison takes about a second of a processor; passlib's default is 656,000.
    private static let maximumSHACryptRounds = 1_000_000
}

extension PasswordHashAlgorithm.BcryptInput {
    /// What bcrypt gets instead of a password.
    fileprivate func bytes(of password: [UInt8], _ hash: Bcrypt.Hash) -> [UInt8] {
        let text =
            switch self {
            case .hexadecimalSHA256: SHA2.sha256(password).hexadecimal
            case .base64SHA256: Base64Field.encode(SHA2.sha256(password))
            case .base64HMACSHA256: Base64Field.encode(HMAC.sha256(key: Array(hash.salt.utf8), message: password))
            }
        return Array(text.utf8)
    }
}

extension PasswordHashAlgorithm.Argon2Parameters {
    fileprivate func checkBounds() throws(ServiceError) {
        try PasswordHashAlgorithm.check("memoryCostKib", memoryKiB, in: 8...65_536)
        try PasswordHashAlgorithm.check("iterations", iterations, in: 1...16)
        try PasswordHashAlgorithm.check("parallelism", parallelism, in: 1...16)
        try PasswordHashAlgorithm.check("hashLengthBytes", hashByteCount, in: 4...1024)
        try PasswordHashAlgorithm.check("associatedData", associatedData?.bytes.count ?? 0, in: 0...1024)
        guard memoryKiB >= parallelism.multipliedSaturated(by: 8) else {
            throw .invalidAlgorithm("memoryCostKib must be 8 for each lane")
        }
    }
}

extension Argon2.Parameters {
    /// The parameters of Argon2id with version 1.3, the only ones of Latchkey's own hashes.
    init(_ parameters: PasswordHashAlgorithm.Argon2Parameters) {
        self.init(
            memoryKiB: parameters.memoryKiB, iterations: parameters.iterations, parallelism: parameters.parallelism,
            tagBytes: parameters.hashByteCount)
    }
}

extension PasswordHashAlgorithm.Argon2Parameters {
    /// Latchkey's own hashes are of Argon2id with version 1.3.
    init(_ parameters: Argon2.Parameters) {
        self.init(
            variant: .id, version: .v13, memoryKiB: parameters.memoryKiB, iterations: parameters.iterations,
            parallelism: parameters.parallelism, hashByteCount: parameters.tagBytes)
    }
}

extension ServiceError {
    fileprivate static func invalidAlgorithm(_ reason: String) -> ServiceError {
        ServiceError(.invalidPasswordHashAlgorithm, reason)
    }

    fileprivate static func invalidHash(_ reason: String) -> ServiceError {
        ServiceError(.invalidPasswordHash, reason)
    }
}

extension PasswordHashAlgorithm.Function {
    fileprivate var inCrypto: HashFunction {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters.Variant {
    fileprivate var inCrypto: Argon2.Variant {
        switch self {
        case .d: .d
        case .i: .i
        case .id: .id
        }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters.Version {
    fileprivate var inCrypto: Argon2.Version {
        switch self {
        case .v10: .v10
        case .v13: .v13
        }
    }
}
