import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

struct RSAPublicKeyTests {
    private static let message = Array("signed message".utf8)
    /// Made once: it takes longer than most tests.
    private static let privateKey = Result { try TestKey.rsa() }

    private static func key(of privateKey: PrivateKey) throws -> RSAPublicKey {
        let (modulus, exponent) = try #require(privateKey.publicKey.rsaComponents)
        return try #require(RSAPublicKey(modulus: modulus, exponent: exponent))
    }

    /// 2,056 and 3,080 bits are no multiple of the word.
    @Test(arguments: [2048, 2056, 2560, 3072, 3080, 4096])
    func signaturesOfOpenSSLAreValid(bits: Int) throws {
        let privateKey = try TestKey.rsa(bits: bits)
        let key = try Self.key(of: privateKey)
        var random = SeededRandom(seed: UInt64(bits))
        for length in [0, 1, 55, 64, 1000] {
            let message = random.bytes(length)
            let signature = try privateKey.sign(message, .rs256)
            #expect(key.isValidSignature(signature, for: message))
            #expect(!key.isValidSignature(signature, for: message + [0]))
        }
    }

    /// Any number below the modulus is a signature of some block: both implementations must reject the same ones.
    @Test func randomSignaturesAreInvalid() throws {
        let privateKey = try Self.privateKey.get()
        let key = try Self.key(of: privateKey)
        var random = SeededRandom(seed: 7)
        for _ in 0..<50 {
            let signature = random.bytes(256)
            #expect(!key.isValidSignature(signature, for: Self.message))
            #expect(!privateKey.publicKey.isValid(signature: signature, for: Self.message, .rs256))
        }
    }

    @Test func signatureWithFlippedBitIsInvalid() throws {
        let privateKey = try Self.privateKey.get()
        let key = try Self.key(of: privateKey)
        let signature = try privateKey.sign(Self.message, .rs256)
        for bit in stride(from: 0, to: 2048, by: 7) {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValidSignature(changed, for: Self.message), "bit \(bit)")
        }
    }

    @Test func signatureOfAnotherLengthIsInvalid() throws {
        let privateKey = try Self.privateKey.get()
        let key = try Self.key(of: privateKey)
        let signature = try privateKey.sign(Self.message, .rs256)
        let others: [[UInt8]] = [
            [], Array(signature.dropLast()), signature + [0], [0] + signature, [UInt8](repeating: 0, count: 256),
            [UInt8](repeating: 0xff, count: 256),
        ]
        for other in others {
            #expect(!key.isValidSignature(other, for: Self.message))
        }
    }

    /// The same number plus the modulus: RFC 8017 section 5.2.2 requires a number below the modulus.
    @Test func signatureAboveTheModulusIsInvalid() throws {
        let privateKey = try Self.privateKey.get()
        let (modulus, _) = try #require(privateKey.publicKey.rsaComponents)
        let key = try Self.key(of: privateKey)
        var sum: [UInt8]?
        for number in 0..<200 where sum == nil {
            let message = Array("\(number)".utf8)
            let signature = try privateKey.sign(message, .rs256)
            var carry: UInt16 = 0
            var bytes: [UInt8] = []
            for (left, right) in zip(signature.reversed(), modulus.reversed()) {
                carry += UInt16(left) + UInt16(right)
                bytes.append(UInt8(truncatingIfNeeded: carry))
                carry >>= 8
            }
            guard carry == 0 else { continue }
            sum = bytes.reversed()
            #expect(key.isValidSignature(signature, for: message))
            #expect(!key.isValidSignature(bytes.reversed(), for: message))
        }
        // The probability that no sum has 2,048 bits is negligible unless the modulus is close to 2^2048.
        #expect(sum != nil || modulus.first ?? 0 > 0xf0)
    }

    struct SignedBlocks: Decodable, Sendable {
        struct Block: Decodable, Sendable, CustomTestStringConvertible {
            var name, signature: String
            var isValid: Bool
            var testDescription: String { name }
        }
        var modulus, exponent, message: String
        var cases: [Block]
    }

    /// Signatures with the right key of blocks that a parser could accept.
    @Test func onlyTheExactBlockIsValid() throws {
        let blocks: SignedBlocks = try VectorFile.load("rsa-signatures.json")
        let bytes = { (text: String) in Array(try #require(Data(base64URL: text))) }
        let key = try #require(
            RSAPublicKey(modulus: bytes(blocks.modulus), exponent: bytes(blocks.exponent)))
        let message = try bytes(blocks.message)
        #expect(blocks.cases.count == 15)
        for block in blocks.cases {
            #expect(key.isValidSignature(try bytes(block.signature), for: message) == block.isValid, "\(block.name)")
        }
    }

    @Test func weakOrMalformedKeysAreRejected() throws {
        let (modulus, exponent) = try #require(TestKey.rsa().publicKey.rsaComponents)
        let even = modulus.dropLast() + [0x10]
        let short = [0x7f] + modulus.dropFirst()
        #expect(RSAPublicKey(modulus: modulus, exponent: exponent) != nil)
        #expect(RSAPublicKey(modulus: [0] + modulus, exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: Array(even), exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: Array(short), exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: [], exponent: exponent) == nil)
        #expect(RSAPublicKey(modulus: [UInt8](repeating: 0xff, count: 513), exponent: exponent) == nil)
        for other: [UInt8] in [[], [3], [1], [1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]] {
            #expect(RSAPublicKey(modulus: modulus, exponent: other) == nil)
        }
    }

    /// The largest odd number of each width exercises every carry of the multiplication.
    @Test(arguments: [2048, 4096])
    func largestModulusHasNoOverflow(bits: Int) throws {
        let key = try #require(
            RSAPublicKey(modulus: [UInt8](repeating: 0xff, count: bits / 8), exponent: [1, 0, 1]))
        let largest = [UInt8](repeating: 0xff, count: bits / 8 - 1) + [0xfe]
        #expect(!key.isValidSignature(largest, for: Self.message))
    }

    struct SignedExamples: Decodable {
        struct Example: Decodable {
            struct Key: Decodable { var n, e: String? }
            var id: String
            var jws: String?
            var key: Key?
        }
        var jws: [Example]
    }

    /// RFC 7515 appendix A.2.
    @Test func publishedSignatureIsValid() throws {
        let examples: SignedExamples = try VectorFile.load("jose-rfc.json")
        let example = try #require(examples.jws.first { $0.id == "rfc7515-A.2" })
        let modulus = try #require(example.key?.n.flatMap { Data(base64URL: $0) })
        let exponent = try #require(example.key?.e.flatMap { Data(base64URL: $0) })
        let key = try #require(RSAPublicKey(modulus: Array(modulus), exponent: Array(exponent)))
        let parts = try #require(example.jws).split(separator: ".")
        let signature = try #require(parts.last.flatMap { Data(base64URL: $0) })
        let input = parts.dropLast().joined(separator: ".")
        #expect(key.isValidSignature(Array(signature), for: input.utf8))
        #expect(!key.isValidSignature(Array(signature), for: (input + "x").utf8))
    }
}
