import Contracts
import Crypto

/// What the time of a comparison with a hash depends on, besides the machine.
struct PasswordHashCost: Hashable, Sendable {
    private enum Kind: Hashable {
        case hmac, digest, pbkdf2, firebaseScrypt, scrypt, bcrypt, shaCrypt, argon2, pepperedArgon2
    }
    private var kind: Kind
    private var function: PasswordHashAlgorithm.Function?
    private var numbers: [Int] = []

    /// - Parameter hash: a hash of bcrypt or SHA-crypt contains its cost, and PBKDF2 computes a hash of its length.
    init(_ algorithm: PasswordHashAlgorithm, hash: [UInt8]) {
        switch algorithm {
        case .hmac(let function, _, _): (kind, self.function) = (.hmac, function)
        case .digest(let function, let rounds, _): (kind, self.function, numbers) = (.digest, function, [rounds])
        case .pbkdf2(let function, let rounds):
            (kind, self.function, numbers) = (.pbkdf2, function, [rounds, hash.count])
        case .firebaseScrypt(_, _, let rounds, let memoryCost):
            (kind, numbers) = (.firebaseScrypt, [rounds, memoryCost])
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            (kind, numbers) = (.scrypt, [cost, blockSize, parallelization, hashByteCount])
        case .bcrypt, .prehashedBcrypt:
            (kind, numbers) = (.bcrypt, [Bcrypt.Hash(String(decoding: hash, as: UTF8.self))?.cost ?? 0])
        case .shaCrypt:
            (kind, numbers) = (.shaCrypt, [SHACrypt.Hash(String(decoding: hash, as: UTF8.self))?.rounds ?? 0])
        case .argon2(let argon2): (kind, numbers) = (.argon2, argon2.costs)
        case .pepperedArgon2(let argon2, _): (kind, numbers) = (.pepperedArgon2, argon2.costs)
        }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters {
    fileprivate var costs: [Int] { [memoryKiB, iterations, parallelism, hashByteCount] }
}
