import TestSupport
import Testing

@testable import Crypto

@Suite struct KeyDerivationTests {
    private struct Vectors: Decodable {
        struct Argon2: Decodable {
            struct Common: Decodable {
                var passwordHex, saltHex, secretHex, adHex: String
                var memoryKiB, iterations, lanes, tagLength: Int
            }
            var common: Common
            var tags: [String: String]
        }
        struct HKDF: Decodable {
            var ikmHex, saltHex, infoHex, okmHex: String
            var length: Int
        }
        struct Scrypt: Decodable {
            struct Case: Decodable {
                var password, salt, hex: String
                var cost, r, p, length: Int

                enum CodingKeys: String, CodingKey {
                    case password, salt, hex, r, p, length
                    case cost = "N"
                }
            }
            var cases: [Case]
        }
        struct PBKDF2: Decodable {
            struct Case: Decodable {
                var prf, password, salt, hex: String
                var iterations, length: Int
            }
            var cases: [Case]
        }
        var argon2: Argon2
        var scrypt: Scrypt
        var pbkdf2: PBKDF2
        var hkdf: HKDF
    }

    private let vectors: Vectors

    init() throws {
        vectors = try VectorFile.load("kdf.json")
    }

    @Test(arguments: Argon2.Variant.allCases)
    func argon2MatchesRFC9106(variant: Argon2.Variant) throws {
        let common = vectors.argon2.common
        let tag = try Argon2.hash(
            password: try #require([UInt8](hex: common.passwordHex)), salt: try #require([UInt8](hex: common.saltHex)),
            secret: try #require([UInt8](hex: common.secretHex)),
            associatedData: try #require([UInt8](hex: common.adHex)),
            .init(
                memoryKiB: common.memoryKiB, iterations: common.iterations, parallelism: common.lanes,
                tagBytes: common.tagLength), variant: variant)
        #expect(tag == [UInt8](hex: try #require(vectors.argon2.tags["argon2\(variant.rawValue)"])))
    }

    @Test func scryptMatchesRFC7914() throws {
        #expect(!vectors.scrypt.cases.isEmpty)
        for vector in vectors.scrypt.cases {
            let key = try Scrypt.derive(
                password: Array(vector.password.utf8), salt: Array(vector.salt.utf8),
                .init(cost: vector.cost, blockSize: vector.r, parallelization: vector.p), byteCount: vector.length)
            #expect(key == [UInt8](hex: vector.hex))
        }
    }

    @Test(arguments: [(0, 8, 1), (3, 8, 1), (2, 0, 1), (2, 8, 0), (Int.max, 8, 1), (-2, 8, 1), (1 << 40, 1 << 30, 1)])
    func invalidScryptParametersAreRefused(cost: Int, blockSize: Int, parallelization: Int) {
        #expect(throws: CryptoError.self) {
            try Scrypt.derive(
                password: [1], salt: [1],
                .init(cost: cost, blockSize: blockSize, parallelization: parallelization), byteCount: 32)
        }
    }

    @Test func pbkdf2MatchesItsVectors() throws {
        #expect(!vectors.pbkdf2.cases.isEmpty)
        for vector in vectors.pbkdf2.cases {
            let function = try #require(HashFunction(rawValue: vector.prf.lowercased()))
            let key = try PBKDF2.derive(
                function, password: Array(vector.password.utf8), salt: Array(vector.salt.utf8),
                iterations: vector.iterations, byteCount: vector.length)
            #expect(key == [UInt8](hex: vector.hex))
        }
    }

    @Test(arguments: [(0, 20), (-1, 20), (1, 0), (Int.max, 20), (1, -1)])
    func invalidPBKDF2ParametersAreRefused(iterations: Int, count: Int) {
        #expect(throws: CryptoError.self) {
            try PBKDF2.derive(.sha1, password: [1], salt: [1], iterations: iterations, byteCount: count)
        }
    }

    /// From the test suite of the reference implementation.
    @Test(arguments: [
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
        ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    ])
    func bcryptMatchesItsVectors(password: String, text: String) throws {
        let hash = try #require(Bcrypt.Hash(text))
        #expect(hash.cost == 5)
        #expect(Bcrypt.matches(Array(password.utf8), hash))
        #expect(!Bcrypt.matches(Array(password.utf8) + [0x21], hash))
        #expect(!Bcrypt.matches(Array(password.utf8) + [0], hash))
    }

    /// PW5: bcrypt itself gives both the same hash.
    @Test func bcryptDoesNotCutPasswords() throws {
        let hash = try #require(Bcrypt.Hash("$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe"))
        #expect(Bcrypt.matches([UInt8](repeating: UInt8(ascii: "a"), count: 72), hash))
        #expect(!Bcrypt.matches([UInt8](repeating: UInt8(ascii: "a"), count: 73), hash))
        let (first, second) = ([UInt8](repeating: 0x61, count: 100), [UInt8](repeating: 0x61, count: 90) + [0x62])
        #expect(!Bcrypt.matches(first, hash) && !Bcrypt.matches(second, hash))
    }

    @Test(arguments: [
        "", "$2a$05$", "$1$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$32$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe$",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWx",
    ])
    func malformedBcryptHashIsRejected(text: String) {
        #expect(Bcrypt.Hash(text) == nil)
    }

    /// Every input affects the result: the password, the salt, the pepper and the associated data.
    @Test func everyInputAffectsArgon2id() throws {
        let small = Argon2.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 16)
        let salt = [UInt8](repeating: 1, count: 16)
        let tags = [
            try Argon2.hash(password: [], salt: salt, small),
            try Argon2.hash(password: [1], salt: salt, small),
            try Argon2.hash(password: [0, 1], salt: salt, small),
            try Argon2.hash(password: [0], salt: salt, small),
            try Argon2.hash(password: [1], salt: salt + [1], small),
            try Argon2.hash(password: [1], salt: salt, secret: [1], small),
            try Argon2.hash(password: [1], salt: salt, associatedData: [1], small),
        ]
        #expect(Set(tags).count == tags.count)
    }

    @Test(arguments: [
        Argon2.Parameters(memoryKiB: 7, iterations: 1, parallelism: 1, tagBytes: 32),
        Argon2.Parameters(memoryKiB: 8, iterations: 0, parallelism: 1, tagBytes: 32),
        Argon2.Parameters(memoryKiB: 8, iterations: 1, parallelism: 0, tagBytes: 32),
        Argon2.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 3),
        Argon2.Parameters(memoryKiB: -1, iterations: 1, parallelism: 1, tagBytes: 32),
        Argon2.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: -1),
    ])
    func invalidParametersAreRefused(parameters: Argon2.Parameters) {
        #expect(throws: CryptoError.self) {
            try Argon2.hash(password: [1], salt: [UInt8](repeating: 1, count: 16), parameters)
        }
    }

    @Test func shortSaltIsRefused() {
        let small = Argon2.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 16)
        #expect(throws: CryptoError.self) {
            try Argon2.hash(password: [1], salt: [UInt8](repeating: 1, count: 7), small)
        }
    }

    @Test func hashesInOneMemoryEqualThoseInOthers() throws {
        let parameters = Argon2.Parameters(memoryKiB: 64, iterations: 2, parallelism: 1, tagBytes: 16)
        let larger = Argon2.Parameters(memoryKiB: 4096, iterations: 1, parallelism: 1, tagBytes: 16)
        let memory = try Argon2.Memory(for: parameters)
        let salt = [UInt8](repeating: 1, count: 16)
        for password in UInt8(0)..<3 {
            // The larger hash does not fit.
            for parameters in [parameters, larger] {
                #expect(
                    try Argon2.hash(password: [password], salt: salt, parameters, in: memory)
                        == Argon2.hash(password: [password], salt: salt, parameters))
            }
        }
    }

    /// Memory that is kept must not keep anything of a password.
    @Test func memoryIsClearAfterHash() throws {
        let parameters = Argon2.Parameters(memoryKiB: 64, iterations: 2, parallelism: 1, tagBytes: 16)
        let memory = try Argon2.Memory(for: parameters)
        let byteCount = 64 * 1024
        let bytes = UnsafeRawBufferPointer(start: try #require(memory.pages(byteCount)), count: byteCount)
        _ = try Argon2.hash(password: [1], salt: [UInt8](repeating: 1, count: 16), parameters, in: memory)
        #expect(bytes.allSatisfy { $0 == 0 })
        #expect(memory.pages(64 << 20) == nil)
    }

    @Test func hkdfMatchesRFC5869() throws {
        let hkdf = vectors.hkdf
        let derived = HKDF.sha256(
            key: try #require([UInt8](hex: hkdf.ikmHex)), salt: try #require([UInt8](hex: hkdf.saltHex)),
            info: try #require([UInt8](hex: hkdf.infoHex)), count: hkdf.length)
        #expect(derived == [UInt8](hex: hkdf.okmHex))
    }

    /// RFC 5869 appendix A.3: without salt and info.
    @Test func hkdfAcceptsEmptySaltAndInfo() {
        let derived = HKDF.sha256(key: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [], count: 42)
        #expect(
            derived
                == [UInt8](
                    hex: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
        #expect(HKDF.sha256(key: [1], salt: [], info: [], count: 255 * 32).count == 8160)
    }
}
