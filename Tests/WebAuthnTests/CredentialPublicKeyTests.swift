import CBOR
import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct CredentialPublicKeyTests {
    private struct File: Decodable {
        struct Case: Decodable {
            let name: String
            let alg: Int
            let x: String?
            let y: String?
            let modulus: String?
            let exponent: String?
            let signature: String
        }

        let message: String
        let cases: [Case]
    }

    private func bytes(_ text: String?) throws -> [UInt8] {
        try #require(text.flatMap(Base64URL.decode))
    }

    private func coseKey(_ test: File.Case) throws -> [UInt8] {
        switch test.alg {
        case -7: COSEKeyBytes.ellipticCurve(algorithm: -7, curve: 1, x: try bytes(test.x), y: try bytes(test.y))
        case -35: COSEKeyBytes.ellipticCurve(algorithm: -35, curve: 2, x: try bytes(test.x), y: try bytes(test.y))
        case -36: COSEKeyBytes.ellipticCurve(algorithm: -36, curve: 3, x: try bytes(test.x), y: try bytes(test.y))
        case -8: COSEKeyBytes.edwards(algorithm: -8, curve: 6, x: try bytes(test.x))
        case -53: COSEKeyBytes.edwards(algorithm: -53, curve: 7, x: try bytes(test.x))
        default:
            COSEKeyBytes.rsa(
                algorithm: test.alg, modulus: try bytes(test.modulus), exponent: try bytes(test.exponent))
        }
    }

    @Test func everyAlgorithmVerifiesItsSignature() throws {
        let file = try VectorFile.load("signatures.json", as: File.self)
        #expect(Set(file.cases.map { Int64($0.alg) }) == Set(COSEAlgorithm.allCases.map(\.rawValue)))
        for test in file.cases {
            let key = try CredentialPublicKey(coseKey(test))
            #expect(key.algorithm.rawValue == Int64(test.alg))
            let (message, signature) = (try bytes(file.message), try bytes(test.signature))
            #expect(key.isValid(signature: signature, for: message), "\(test.name)")
            #expect(!key.isValid(signature: signature, for: message + [0]), "\(test.name)")
            #expect(!key.isValid(signature: [], for: message), "\(test.name)")
        }
    }

    @Test func everyPrefixIsRejected() throws {
        for test in try VectorFile.load("signatures.json", as: File.self).cases {
            let encoded = try coseKey(test)
            for length in 0..<encoded.count {
                #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(Array(encoded.prefix(length))) }
            }
            #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(encoded + [0]) }
        }
    }

    // MARK: Deviations

    private typealias Entry = (label: Int, value: [UInt8])

    /// A valid ES256 key with other values for some labels; nil removes one.
    private func es256(_ changes: [Int: [UInt8]?]) throws -> [UInt8] {
        let point = try #require(PrivateKey.generateP256().publicKey.p256Coordinates)
        let entries: [Entry] = [
            (1, CBORBytes.integer(2)), (3, CBORBytes.integer(-7)), (-1, CBORBytes.integer(1)),
            (-2, CBORBytes.bytes(point.x)), (-3, CBORBytes.bytes(point.y)),
        ]
        return COSEKeyBytes.map(
            entries.compactMap { label, value in
                guard let change = changes[label] else { return (label, value) }
                return change.map { (label, $0) }
            })
    }

    @Test func algorithmIsRequiredAndKnown() throws {
        #expect(throws: Never.self) { try CredentialPublicKey(es256([:])) }
        let values: [[UInt8]?] = [
            nil, CBORBytes.integer(-47), CBORBytes.integer(-65535), CBORBytes.integer(7), CBORBytes.text("ES256"),
        ]
        for value in values {
            let key = try es256([3: value])
            #expect(throws: WebAuthnError.keyAlgorithm) { try CredentialPublicKey(key) }
        }
    }

    @Test func keyTypeAndCurveAgreeWithTheAlgorithm() throws {
        let deviations: [[Int: [UInt8]?]] = [
            [1: nil], [1: CBORBytes.integer(1)], [1: CBORBytes.integer(3)], [-1: nil], [-1: CBORBytes.integer(2)],
            [-1: CBORBytes.integer(8)], [-1: CBORBytes.text("P-256")], [3: CBORBytes.integer(-35)],
            [3: CBORBytes.integer(-8)], [3: CBORBytes.integer(-257)], [-2: nil], [-3: nil],
        ]
        for changes in deviations {
            let key = try es256(changes)
            #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(key) }
        }
    }

    @Test func pointIsUncompressedAndOnTheCurve() throws {
        let zero = CBORBytes.bytes(.init(repeating: 0, count: 32))
        let deviations: [[Int: [UInt8]?]] = [
            [-3: [0xf5]], [-3: [0xf4]], [-2: zero, -3: zero], [-3: zero], [-2: CBORBytes.bytes([])],
            [-2: CBORBytes.bytes(.init(repeating: 1, count: 31))],
            [-2: CBORBytes.bytes(.init(repeating: 1, count: 33))],
            [-2: CBORBytes.text("x")],
        ]
        for changes in deviations {
            let key = try es256(changes)
            #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(key) }
        }
    }

    @Test func rsaNumbersAreBoundedAndWithoutLeadingZeros() throws {
        var modulus = [UInt8](repeating: 0xa5, count: 256)
        modulus[0] = 0xc0
        func key(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
            COSEKeyBytes.rsa(algorithm: -257, modulus: modulus, exponent: exponent)
        }
        #expect(throws: Never.self) { try CredentialPublicKey(key(modulus, [1, 0, 1])) }
        let (exponent, long): ([UInt8], [UInt8]) = ([1, 0, 1], .init(repeating: 0xff, count: 1025))
        let numbers: [(modulus: [UInt8], exponent: [UInt8])] = [
            ([0] + modulus, exponent), (modulus, [0] + exponent), (Array(modulus.prefix(128)), exponent),
            (long, exponent), (modulus, []), (modulus, [1]), (modulus, [2]), ([], exponent),
        ]
        for (modulus, exponent) in numbers {
            #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(key(modulus, exponent)) }
        }
    }

    @Test func encodingIsCanonical() throws {
        let key = try es256([:])
        // kty after alg; alg in two bytes; the map with an indefinite length.
        var swapped = key
        swapped.replaceSubrange(1..<5, with: [key[3], key[4], key[1], key[2]])
        var long = key
        long.replaceSubrange(4..<5, with: [0x38, 0x06])
        var indefinite = key
        indefinite[0] = 0xbf
        indefinite.append(0xff)
        for changed in [swapped, long, indefinite] {
            #expect(throws: WebAuthnError.malformedKey) { try CredentialPublicKey(changed) }
        }
    }
}
