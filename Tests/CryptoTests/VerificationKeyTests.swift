import Crypto
import TestSupport
import Testing

/// Keys and signatures of `Tests/Vectors/signatures.json`.
@Suite struct VerificationKeyTests {
    struct File: Decodable {
        struct Case: Decodable, CustomTestStringConvertible {
            let name: String
            let x: String?
            let y: String?
            let modulus: String?
            let exponent: String?
            let subjectPublicKeyInfo: String
            let signature: String

            var testDescription: String { name }
        }

        let message: String
        let cases: [Case]
    }

    private static let file = Result { try VectorFile.load("signatures.json", as: File.self) }

    private static let schemes: [String: SignatureScheme] = [
        "ES256": .ecdsa(.sha256), "ES384": .ecdsa(.sha384), "ES512": .ecdsa(.sha512), "EdDSA": .edDSA, "Ed448": .edDSA,
        "RS256": .rsaPKCS1(.sha256), "RS384": .rsaPKCS1(.sha384), "RS512": .rsaPKCS1(.sha512),
        "PS256": .rsaPSS(.sha256), "PS384": .rsaPSS(.sha384), "PS512": .rsaPSS(.sha512),
    ]

    private func bytes(_ text: String?) throws -> [UInt8] {
        try #require(text.flatMap(Base64URL.decode))
    }

    private func key(_ name: String) throws -> VerificationKey {
        let test = try #require(try Self.file.get().cases.first { $0.name == name })
        return try VerificationKey(subjectPublicKeyInfo: bytes(test.subjectPublicKeyInfo))
    }

    private func keyOfComponents(_ test: File.Case) throws -> VerificationKey {
        switch try #require(Self.schemes[test.name]) {
        case .ecdsa(.sha256): try VerificationKey(.p256, x: bytes(test.x), y: bytes(test.y))
        case .ecdsa(.sha384): try VerificationKey(.p384, x: bytes(test.x), y: bytes(test.y))
        case .ecdsa(.sha512): try VerificationKey(.p521, x: bytes(test.x), y: bytes(test.y))
        case .edDSA: try VerificationKey(test.name == "EdDSA" ? .ed25519 : .ed448, publicKey: bytes(test.x))
        case .rsaPKCS1, .rsaPSS:
            try VerificationKey(rsaModulus: bytes(test.modulus), exponent: bytes(test.exponent))
        }
    }

    @Test func everySchemeHasItsCase() throws {
        #expect(Set(try Self.file.get().cases.map(\.name)) == Set(Self.schemes.keys))
    }

    @Test(arguments: schemes.keys.sorted()) func signatureIsVerifiedByItsSchemeOnly(name: String) throws {
        let file = try Self.file.get()
        let test = try #require(file.cases.first { $0.name == name })
        let (message, signature) = (try bytes(file.message), try bytes(test.signature))
        let key = try key(name)
        #expect(try keyOfComponents(test) == key)
        for (other, scheme) in Self.schemes {
            // Two names, one scheme: the key decides the curve.
            let isSame = other == name || Set([other, name]) == ["EdDSA", "Ed448"]
            #expect(key.isValid(signature: signature, for: message, scheme) == isSame, "\(other)")
        }
        for other in Self.schemes.keys where other != name && other.dropFirst(2) != name.dropFirst(2) {
            let scheme = try #require(Self.schemes[name])
            guard try self.key(other) != key else { continue }
            #expect(try !self.key(other).isValid(signature: signature, for: message, scheme), "key of \(other)")
        }
    }

    @Test(arguments: schemes.keys.sorted()) func everyFlippedBitIsRejected(name: String) throws {
        let file = try Self.file.get()
        let test = try #require(file.cases.first { $0.name == name })
        let (message, signature) = (try bytes(file.message), try bytes(test.signature))
        let (key, scheme) = (try key(name), try #require(Self.schemes[name]))
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(signature: changed, for: message, scheme), "bit \(bit) of the signature")
        }
        for bit in 0..<message.count * 8 {
            var changed = message
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(signature: signature, for: changed, scheme), "bit \(bit) of the message")
        }
        for length in 0..<signature.count {
            #expect(!key.isValid(signature: Array(signature.prefix(length)), for: message, scheme), "\(length) bytes")
        }
        #expect(!key.isValid(signature: signature + [0], for: message, scheme))
        #expect(!key.isValid(signature: signature, for: [], scheme))
    }

    /// The same numbers with a leading zero, with a long length, and out of range.
    @Test func ecdsaSignatureIsStrictDER() throws {
        let file = try Self.file.get()
        let message = try bytes(file.message)
        let key = try key("ES256")
        let signature = try bytes(file.cases.first { $0.name == "ES256" }?.signature)
        let content = Array(signature.dropFirst(2))
        let rBytes = Int(content[1])
        let (r, s) = (Array(content[2..<2 + rBytes]), Array(content[(4 + rBytes)...]))
        func integer(_ content: [UInt8]) -> [UInt8] { [0x02, UInt8(content.count)] + content }
        func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
            let numbers = integer(r) + integer(s)
            return [0x30, UInt8(numbers.count)] + numbers
        }
        #expect(key.isValid(signature: der(r, s), for: message, .ecdsa(.sha256)))
        let order = try #require([UInt8](hex: "00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let longLength: [UInt8] = [0x30, 0x81] + signature.dropFirst()
        let indefinite: [UInt8] = [0x30, 0x80] + content + [0, 0]
        let raw: [UInt8] = Array(r.suffix(32)) + Array(s.suffix(32))
        let changes: [String: [UInt8]] = [
            "leading zero": der([0] + r, s), "long length": longLength, "r is zero": der([0], s),
            "s is zero": der(r, [0]), "r is the order": der(order, s), "s is the order": der(r, order),
            "both are zero": der([0], [0]), "negative r": der([0xff] + r, s), "raw": raw,
            "empty sequence": [0x30, 0], "indefinite length": indefinite,
        ]
        for (name, changed) in changes {
            #expect(!key.isValid(signature: changed, for: message, .ecdsa(.sha256)), "\(name)")
        }
    }

    // MARK: Keys

    /// - Returns: an odd number of that many bits. Only its length matters here.
    private func modulus(bits: Int) -> [UInt8] {
        let first = UInt8(1) << ((bits - 1) % 8)
        return [first] + [UInt8](repeating: 0xa5, count: (bits - 1) / 8)
    }

    @Test func rsaKeyHasItsBounds() {
        for bits in [2048, 3072, 8192] {
            #expect(throws: Never.self, "\(bits)") {
                try VerificationKey(rsaModulus: modulus(bits: bits), exponent: [1, 0, 1])
            }
        }
        for bits in [512, 1024, 2047, 8193, 16384] {
            #expect(throws: CryptoError.unsupportedKey, "\(bits)") {
                try VerificationKey(rsaModulus: modulus(bits: bits), exponent: [1, 0, 1])
            }
        }
        #expect(throws: CryptoError.self) { try VerificationKey(rsaModulus: [], exponent: [3]) }
    }

    @Test(arguments: [[], [0], [1], [2], [4], [0, 1], [1, 0, 0], .init(repeating: 0xff, count: 9)] as [[UInt8]])
    func rsaExponentIsRejected(exponent: [UInt8]) {
        #expect(throws: CryptoError.self) { try VerificationKey(rsaModulus: modulus(bits: 2048), exponent: exponent) }
    }

    @Test(arguments: ["ES256", "ES384", "ES512"]) func pointOutsideTheCurveIsRejected(name: String) throws {
        let test = try #require(try Self.file.get().cases.first { $0.name == name })
        let curve: VerificationKey.Curve = ["ES256": .p256, "ES384": .p384][name] ?? .p521
        let (x, y) = (try bytes(test.x), try bytes(test.y))
        var changed = y
        changed[changed.count - 1] ^= 1
        let zero = [UInt8](repeating: 0, count: x.count)
        let long = [0] + x
        let large = [UInt8](repeating: 0xff, count: x.count)
        let points: [(x: [UInt8], y: [UInt8])] = [
            (x, changed), (zero, zero), (x, zero), (Array(x.dropFirst()), y), (long, y), (x, Array(y.dropLast())),
            (x, []), ([], []), (large, y),
        ]
        for (x, y) in points {
            #expect(throws: CryptoError.malformedKey) { try VerificationKey(curve, x: x, y: y) }
        }
        for other in VerificationKey.Curve.allCases where other != curve {
            #expect(throws: CryptoError.malformedKey) { try VerificationKey(other, x: x, y: y) }
        }
    }

    @Test func edwardsKeyHasItsLength() throws {
        for count in [0, 31, 33, 57] {
            #expect(throws: CryptoError.malformedKey) {
                try VerificationKey(.ed25519, publicKey: .init(repeating: 9, count: count))
            }
        }
        for count in [0, 32, 56, 58] {
            #expect(throws: CryptoError.malformedKey) {
                try VerificationKey(.ed448, publicKey: .init(repeating: 9, count: count))
            }
        }
    }

    @Test func keysAreEqualByTheirNumbers() throws {
        #expect(try key("RS256") == key("PS512"))
        #expect(try key("ES256") != key("ES384"))
        #expect(try key("EdDSA") != key("RS256"))
    }
}
