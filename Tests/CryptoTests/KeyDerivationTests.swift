import Crypto
import TestSupport
import Testing

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
        var argon2: Argon2
        var hkdf: HKDF
    }

    private let vectors: Vectors

    init() throws {
        vectors = try VectorFile.load("kdf.json")
    }

    @Test func argon2idMatchesRFC9106() throws {
        let common = vectors.argon2.common
        let tag = try Argon2id.hash(
            password: try #require([UInt8](hex: common.passwordHex)), salt: try #require([UInt8](hex: common.saltHex)),
            secret: try #require([UInt8](hex: common.secretHex)),
            associatedData: try #require([UInt8](hex: common.adHex)),
            .init(
                memoryKiB: common.memoryKiB, iterations: common.iterations, parallelism: common.lanes,
                tagBytes: common.tagLength))
        #expect(tag == [UInt8](hex: try #require(vectors.argon2.tags["argon2id"])))
    }

    /// Every input affects the result: the password, the salt, the pepper and the associated data.
    @Test func everyInputAffectsArgon2id() throws {
        let small = Argon2id.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 16)
        let salt = [UInt8](repeating: 1, count: 16)
        let tags = [
            try Argon2id.hash(password: [], salt: salt, small),
            try Argon2id.hash(password: [1], salt: salt, small),
            try Argon2id.hash(password: [0, 1], salt: salt, small),
            try Argon2id.hash(password: [0], salt: salt, small),
            try Argon2id.hash(password: [1], salt: salt + [1], small),
            try Argon2id.hash(password: [1], salt: salt, secret: [1], small),
            try Argon2id.hash(password: [1], salt: salt, associatedData: [1], small),
        ]
        #expect(Set(tags).count == tags.count)
    }

    @Test(arguments: [
        Argon2id.Parameters(memoryKiB: 7, iterations: 1, parallelism: 1, tagBytes: 32),
        Argon2id.Parameters(memoryKiB: 8, iterations: 0, parallelism: 1, tagBytes: 32),
        Argon2id.Parameters(memoryKiB: 8, iterations: 1, parallelism: 0, tagBytes: 32),
        Argon2id.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 3),
        Argon2id.Parameters(memoryKiB: -1, iterations: 1, parallelism: 1, tagBytes: 32),
        Argon2id.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: -1),
    ])
    func invalidParametersAreRefused(parameters: Argon2id.Parameters) {
        #expect(throws: CryptoError.self) {
            try Argon2id.hash(password: [1], salt: [UInt8](repeating: 1, count: 16), parameters)
        }
    }

    @Test func shortSaltIsRefused() {
        let small = Argon2id.Parameters(memoryKiB: 8, iterations: 1, parallelism: 1, tagBytes: 16)
        #expect(throws: CryptoError.self) {
            try Argon2id.hash(password: [1], salt: [UInt8](repeating: 1, count: 7), small)
        }
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
