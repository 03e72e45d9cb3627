import Contracts
import Crypto
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 4.3, and the published vectors of Firebase's hash.
@Suite struct PasswordHashAlgorithmTests {
    private struct FirebaseVectors: Decodable {
        struct Parameters: Decodable {
            var signerKeyBase64, saltSeparatorBase64: String
            var rounds, memCost: Int
        }
        struct Case: Decodable {
            var id, passwordUtf8Hex, saltBase64, hashBase64: String
        }
        struct Failure: Decodable {
            var passwordUtf8Hex: String
            var `case`: String
        }
        var parameters: Parameters
        var cases: [Case]
        var mustFail: [Failure]
    }

    private static func octets(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64)))
    }

    @Test func firebaseVectorsMatch() throws {
        let vectors: FirebaseVectors = try VectorFile.load("firebase-scrypt.json")
        let parameters = vectors.parameters
        let algorithm = PasswordHashAlgorithm.firebaseScrypt(
            signerKey: Secret(OctetString(try Self.octets(parameters.signerKeyBase64))),
            saltSeparator: OctetString(try Self.octets(parameters.saltSeparatorBase64)), rounds: parameters.rounds,
            memoryCost: parameters.memCost)
        try algorithm.checkBounds()
        #expect(!vectors.cases.isEmpty && !vectors.mustFail.isEmpty)
        for vector in vectors.cases {
            let (salt, hash) = (try Self.octets(vector.saltBase64), try Self.octets(vector.hashBase64))
            let password = try #require([UInt8](hex: vector.passwordUtf8Hex))
            try algorithm.check(salt: salt, hash: hash)
            #expect(try algorithm.matches(password, salt: salt, hash: hash), "\(vector.id)")
            var flipped = hash
            flipped[0] ^= 1
            #expect(try !algorithm.matches(password, salt: salt, hash: flipped), "\(vector.id)")
        }
        for failure in vectors.mustFail {
            let vector = try #require(vectors.cases.first { $0.id == failure.case })
            #expect(
                try !algorithm.matches(
                    try #require([UInt8](hex: failure.passwordUtf8Hex)), salt: Self.octets(vector.saltBase64),
                    hash: Self.octets(vector.hashBase64)))
        }
    }

    private static let key = Secret(OctetString(Array("signer".utf8)))

    /// MySQL and PHP write digests in hexadecimal; Google's importer takes that text for the hash.
    @Test(arguments: PasswordHashAlgorithm.Function.allCases) func digestInHexadecimalIsItsBytes(
        function: PasswordHashAlgorithm.Function
    ) throws {
        for algorithm in [
            PasswordHashAlgorithm.digest(function, rounds: 1, order: .saltAndPassword),
            .hmac(function, key: Self.key, order: .saltAndPassword),
        ] {
            let digest = [UInt8](repeating: 0xab, count: Self.digestBytes(function))
            let text = Array(digest.hexadecimal.utf8)
            #expect(algorithm.bytes(ofHash: digest) == digest)
            #expect(algorithm.bytes(ofHash: text) == digest)
            #expect(algorithm.bytes(ofHash: Array(digest.hexadecimal.uppercased().utf8)) == digest)
            #expect(algorithm.bytes(ofHash: Array(text.dropLast(2))) == Array(text.dropLast(2)))
            let others = text.dropLast() + [UInt8(ascii: "g")]
            #expect(algorithm.bytes(ofHash: Array(others)) == Array(others))
        }
        let text = Array("ab".utf8)
        #expect(PasswordHashAlgorithm.pbkdf2(function, rounds: 1).bytes(ofHash: text) == text)
    }

    private static func digestBytes(_ function: PasswordHashAlgorithm.Function) -> Int {
        switch function {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
    private static let argon2 = PasswordHashAlgorithm.Argon2Parameters(
        variant: .d, version: .v10, memoryKiB: 64, iterations: 1, parallelism: 2, hashByteCount: 24)

    /// Every algorithm with the hash that it makes of a password.
    private static func hash(
        _ algorithm: PasswordHashAlgorithm, _ password: [UInt8], _ salt: [UInt8]
    ) throws -> [UInt8] {
        switch algorithm {
        case .hmac(_, let key, let order):
            HMAC.sha256(
                key: key.reveal().bytes, message: order == .saltAndPassword ? salt + password : password + salt)
        case .digest(_, let rounds, let order):
            (0..<rounds).reduce(order == .saltAndPassword ? salt + password : password + salt) { text, _ in
                SHA2.sha512(text)
            }
        case .pbkdf2(_, let rounds):
            try PBKDF2.derive(.sha1, password: password, salt: salt, iterations: rounds, byteCount: 20)
        case .scrypt(let cost, let blockSize, let parallelization, let hashByteCount):
            try Scrypt.derive(
                password: password, salt: salt,
                .init(cost: cost, blockSize: blockSize, parallelization: parallelization), byteCount: hashByteCount)
        case .argon2:
            try Argon2.hash(
                password: password, salt: salt,
                .init(memoryKiB: 64, iterations: 1, parallelism: 2, tagBytes: 24), variant: .d, version: .v10)
        case .bcrypt: Array("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8)
        case .firebaseScrypt, .prehashedBcrypt, .shaCrypt, .pepperedArgon2: []
        }
    }

    @Test(
        arguments: [
            .hmac(.sha256, key: key, order: .saltAndPassword), .hmac(.sha256, key: key, order: .passwordAndSalt),
            .hmac(.sha256, key: key, order: nil), .digest(.sha512, rounds: 3, order: .saltAndPassword),
            .digest(.sha512, rounds: 1, order: nil), .pbkdf2(.sha1, rounds: 100),
            .scrypt(cost: 16, blockSize: 2, parallelization: 2, hashByteCount: 32), .bcrypt, .argon2(argon2),
        ] as [PasswordHashAlgorithm])
    func onlyThePasswordMatches(algorithm: PasswordHashAlgorithm) throws {
        let (password, salt) = (Array("U*U".utf8), Array("saltsalt".utf8))
        let hash = try Self.hash(algorithm, password, salt)
        try algorithm.checkBounds()
        try algorithm.check(salt: salt, hash: hash)
        #expect(try algorithm.matches(password, salt: salt, hash: hash))
        #expect(try !algorithm.matches(password + [0x21], salt: salt, hash: hash))
        #expect(try !algorithm.matches(password, salt: salt, hash: hash.dropLast() + [hash.last.map { $0 ^ 1 } ?? 0]))
    }

    @Test func orderOfSaltAndPasswordCounts() throws {
        let (password, salt) = (Array("secret".utf8), Array("salt".utf8))
        let hash = SHA2.sha256(salt + password)
        #expect(
            try !PasswordHashAlgorithm.digest(.sha256, rounds: 1, order: .passwordAndSalt).matches(
                password, salt: salt, hash: hash))
        #expect(
            try PasswordHashAlgorithm.digest(.sha256, rounds: 1, order: nil).matches(password, salt: salt, hash: hash))
    }

    @Test(
        arguments: [
            .hmac(.md5, key: Secret(OctetString([])), order: nil), .digest(.sha256, rounds: 0, order: nil),
            .digest(.md5, rounds: 8193, order: nil), .digest(.sha1, rounds: -1, order: nil),
            .pbkdf2(.sha256, rounds: 0),
            .pbkdf2(.sha256, rounds: 2_000_001),
            .firebaseScrypt(signerKey: key, saltSeparator: OctetString([]), rounds: 9, memoryCost: 14),
            .firebaseScrypt(signerKey: key, saltSeparator: OctetString([]), rounds: 8, memoryCost: 15),
            .firebaseScrypt(signerKey: key, saltSeparator: OctetString([]), rounds: 0, memoryCost: 1),
            .firebaseScrypt(
                signerKey: Secret(OctetString([])), saltSeparator: OctetString([]), rounds: 1, memoryCost: 1),
            .scrypt(cost: 1000, blockSize: 8, parallelization: 1, hashByteCount: 64),
            .scrypt(cost: 1 << 17, blockSize: 8, parallelization: 1, hashByteCount: 64),
            .scrypt(cost: 1024, blockSize: 8, parallelization: 0, hashByteCount: 64),
            .scrypt(cost: 1024, blockSize: 8, parallelization: 1, hashByteCount: 2000),
            .argon2(
                .init(variant: .id, version: .v13, memoryKiB: 1 << 20, iterations: 1, parallelism: 1, hashByteCount: 32)
            ),
            .argon2(.init(variant: .id, version: .v13, memoryKiB: 8, iterations: 1, parallelism: 2, hashByteCount: 32)),
            .argon2(
                .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 17, parallelism: 1, hashByteCount: 32)),
        ] as [PasswordHashAlgorithm])
    func parametersAreBounded(algorithm: PasswordHashAlgorithm) throws {
        let error = #expect(throws: ServiceError.self) { try algorithm.checkBounds() }
        #expect(error?.code == .invalidPasswordHashAlgorithm)
    }

    @Test(
        arguments: [
            (.bcrypt, 0, Array("$2a$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8)),
            (.bcrypt, 0, [1, 2, 3]), (.pbkdf2(.sha1, rounds: 1), 8, []), (.pbkdf2(.sha1, rounds: 1), 1025, [1]),
            (.digest(.sha256, rounds: 1, order: nil), 8, [1]), (.argon2(argon2), 7, [UInt8](repeating: 1, count: 24)),
            (.argon2(argon2), 8, [UInt8](repeating: 1, count: 23)),
        ] as [(PasswordHashAlgorithm, Int, [UInt8])])
    func impossibleHashIsRefused(algorithm: PasswordHashAlgorithm, saltBytes: Int, hash: [UInt8]) throws {
        let error = #expect(throws: ServiceError.self) {
            try algorithm.check(salt: [UInt8](repeating: 1, count: saltBytes), hash: hash)
        }
        #expect(error?.code == .invalidPasswordHash)
    }
}
