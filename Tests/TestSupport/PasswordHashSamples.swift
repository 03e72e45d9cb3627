package import Contracts
package import Vocabulary

extension PasswordHashAlgorithm.Kind {
    /// An algorithm of this kind, with a value for each parameter, and its hash. A hash that does not describe itself
    /// has three bytes.
    package var sample: (algorithm: PasswordHashAlgorithm, hash: OctetString) {
        let key = Secret(OctetString([0xfb, 0xff, 0x01]))
        let function = function ?? .sha256
        let bytes = OctetString([2, 3, 4])
        let bcrypt = OctetString(Array("$2b$04$FWvAdy4fdIRCWfHew/4ceeG7DexeFqNyJwOZBZ9jjbopeShnF1EcO".utf8))
        let argon2 = PasswordHashAlgorithm.Argon2Parameters(
            variant: .i, version: .v10, memoryKiB: 64, iterations: 2, parallelism: 3, hashByteCount: 3,
            associatedData: OctetString([7]))
        return switch family {
        case .hmac: (.hmac(function, key: key, order: .saltAndPassword), bytes)
        case .digest: (.digest(function, rounds: 5, order: .passwordAndSalt), bytes)
        case .pbkdf2: (.pbkdf2(function, rounds: 6), bytes)
        case .firebaseScrypt:
            (.firebaseScrypt(signerKey: key, saltSeparator: OctetString([7]), rounds: 8, memoryCost: 14), bytes)
        case .scrypt: (.scrypt(cost: 1024, blockSize: 8, parallelization: 2, hashByteCount: 3), bytes)
        case .bcrypt: (.bcrypt, bcrypt)
        case .prehashedBcrypt: (.prehashedBcrypt(.hexadecimalSHA256), bcrypt)
        case .shaCrypt: (.shaCrypt, OctetString(Array("$6$salt$hash".utf8)))
        case .argon2: (.argon2(argon2), bytes)
        case .pepperedArgon2: (.pepperedArgon2(argon2, .init(id: "k", key: nil)), bytes)
        }
    }
}
