import Contracts
import Crypto

/// What the time of a comparison with a hash depends on, besides the machine.
struct PasswordHashCost: Hashable, Sendable {
    private let kind: PasswordHashAlgorithm.Kind
    private let numbers: [Int]

    /// - Parameter hash: a hash of bcrypt or SHA-crypt contains its cost, and PBKDF2 computes a hash of its length.
    init(_ algorithm: PasswordHashAlgorithm, hash: [UInt8]) {
        kind = algorithm.kind
        numbers =
            switch algorithm {
            case .hmac: []
            case .digest(_, let rounds, _): [rounds]
            case .pbkdf2(_, let rounds): [rounds, hash.count]
            case .firebaseScrypt(_, _, let rounds, let memoryCost): [rounds, memoryCost]
            case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
                [cost, blockSize, parallelization, hashByteCount]
            case .bcrypt, .prehashedBcrypt: [Bcrypt.Hash(String(decoding: hash, as: UTF8.self))?.cost ?? 0]
            case .shaCrypt: [SHACrypt.Hash(String(decoding: hash, as: UTF8.self))?.rounds ?? 0]
            case .argon2(let argon2), .pepperedArgon2(let argon2, _): argon2.costs
            }
    }
}

extension PasswordHashAlgorithm.Argon2Parameters {
    fileprivate var costs: [Int] { [memoryKiB, iterations, parallelism, hashByteCount] }
}
