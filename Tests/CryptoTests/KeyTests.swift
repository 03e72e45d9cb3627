import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct KeyTests {
    private static let message = Array("the message".utf8)

    /// One key of each type; generating an RSA key takes time.
    private static let keys: [PrivateKey] = {
        do {
            return [try .generateRSA(bits: 2048), try .generateP256()]
        } catch {
            fatalError("no keys, no tests: \(error)")
        }
    }()

    @Test(arguments: keys)
    func signatureIsBoundToMessageAndKey(key: PrivateKey) throws {
        let signature = try key.sign(Self.message, key.algorithm)
        let publicKey = key.publicKey
        #expect(publicKey.isValid(signature: signature, for: Self.message, key.algorithm))
        #expect(!publicKey.isValid(signature: signature, for: Self.message + [0], key.algorithm))
        let otherKey = key.algorithm == .rs256 ? try PrivateKey.generateRSA(bits: 2048) : try .generateP256()
        #expect(!otherKey.publicKey.isValid(signature: signature, for: Self.message, key.algorithm))
    }

    @Test(arguments: keys)
    func signatureWithFlippedBitIsRefused(key: PrivateKey) throws {
        let signature = try key.sign(Self.message, key.algorithm)
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.publicKey.isValid(signature: changed, for: Self.message, key.algorithm), "bit \(bit)")
        }
    }

    @Test(arguments: keys)
    func messageWithFlippedBitIsRefused(key: PrivateKey) throws {
        let signature = try key.sign(Self.message, key.algorithm)
        for bit in 0..<Self.message.count * 8 {
            var changed = Self.message
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.publicKey.isValid(signature: signature, for: changed, key.algorithm), "bit \(bit)")
        }
    }

    @Test(arguments: keys)
    func signatureOfOtherLengthIsRefused(key: PrivateKey) throws {
        let signature = try key.sign(Self.message, key.algorithm)
        for changed in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
            #expect(!key.publicKey.isValid(signature: changed, for: Self.message, key.algorithm))
        }
    }

    @Test(arguments: keys)
    func keyIsBoundToItsAlgorithm(key: PrivateKey) throws {
        let signature = try key.sign(Self.message, key.algorithm)
        for other in SignatureAlgorithm.allCases where other != key.algorithm {
            #expect(throws: CryptoError.algorithmMismatch) { try key.sign(Self.message, other) }
            #expect(!key.publicKey.isValid(signature: signature, for: Self.message, other))
        }
    }

    @Test func es256SignaturesAreRaw() throws {
        for _ in 0..<50 { #expect(try Self.keys[1].sign(Self.message, .es256).count == 64) }
        // Valid on the curve, but never for this message: zero as r or s must be rejected too.
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect(!Self.keys[1].publicKey.isValid(signature: zeros, for: Self.message, .es256))
    }

    @Test(arguments: keys)
    func keysRoundTripThroughTheirEncodings(key: PrivateKey) throws {
        let again = try PrivateKey(pkcs8DER: key.pkcs8DER)
        let signature = try again.sign(Self.message, key.algorithm)
        let spki = try key.publicKey.subjectPublicKeyInfo
        #expect(
            try PublicKey(subjectPublicKeyInfo: spki).isValid(signature: signature, for: Self.message, key.algorithm))

        let base64 = Data(try key.pkcs8DER).base64EncodedString(options: .lineLength64Characters)
        let pem = try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n")
        #expect(try pem.publicKey.subjectPublicKeyInfo == spki)
        let publicBase64 = Data(spki).base64EncodedString(options: .lineLength64Characters)
        let publicPEM = try PublicKey(pem: "-----BEGIN PUBLIC KEY-----\n\(publicBase64)\n-----END PUBLIC KEY-----\n")
        #expect(try publicPEM.subjectPublicKeyInfo == spki)
    }

    @Test(arguments: keys)
    func bytesAfterKeyAreRefused(key: PrivateKey) throws {
        let privateDER = try key.pkcs8DER
        let publicDER = try key.publicKey.subjectPublicKeyInfo
        #expect(throws: CryptoError.malformedKey) { try PrivateKey(pkcs8DER: privateDER + [0]) }
        #expect(throws: CryptoError.malformedKey) { try PrivateKey(pkcs8DER: privateDER.dropLast()) }
        #expect(throws: CryptoError.malformedKey) { try PublicKey(subjectPublicKeyInfo: publicDER + [0]) }
        #expect(throws: CryptoError.malformedKey) { try PublicKey(subjectPublicKeyInfo: publicDER.dropLast()) }
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func malformedPEMIsRefused(pem: String) {
        #expect(throws: CryptoError.malformedKey) { try PrivateKey(pem: pem) }
        #expect(throws: CryptoError.malformedKey) { try PublicKey(pem: pem) }
    }

    /// No terminal is available for a passphrase prompt.
    @Test func encryptedKeyIsRefusedWithoutPassphrasePrompt() {
        let encrypted = """
            -----BEGIN EC PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,00000000000000000000000000000000

            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
            -----END EC PRIVATE KEY-----

            """
        #expect(throws: CryptoError.malformedKey) { try PrivateKey(pem: encrypted) }
    }

    @Test func keyIsRebuiltFromItsComponents() throws {
        let rsa = Self.keys[0]
        let numbers = try #require(rsa.publicKey.rsaComponents)
        #expect(numbers.modulus.count == 256)
        #expect(numbers.modulus.first.map { $0 >= 0x80 } == true)
        #expect(numbers.exponent == [1, 0, 1])
        let again = try PublicKey(rsaModulus: numbers.modulus, exponent: numbers.exponent)
        #expect(try again.subjectPublicKeyInfo == rsa.publicKey.subjectPublicKeyInfo)
        #expect(again.bits == 2048)

        let p256 = Self.keys[1]
        let point = try #require(p256.publicKey.p256Coordinates)
        let pointAgain = try PublicKey(p256X: point.x, y: point.y)
        #expect(try pointAgain.subjectPublicKeyInfo == p256.publicKey.subjectPublicKeyInfo)
        #expect(p256.publicKey.rsaComponents == nil)
        #expect(rsa.publicKey.p256Coordinates == nil)
    }

    @Test(arguments: [1024, 2047])
    func shortRSAKeyIsRefused(bits: Int) throws {
        var modulus = [UInt8](repeating: 0xff, count: (bits + 7) / 8)
        if bits % 8 != 0 { modulus[0] = 0xff >> UInt8(8 - bits % 8) }
        #expect(throws: CryptoError.unsupportedKey) { try PublicKey(rsaModulus: modulus, exponent: [1, 0, 1]) }
        #expect(throws: CryptoError.unsupportedKey) { try PrivateKey.generateRSA(bits: 1024) }
    }

    @Test(arguments: [[], [0], [1], [0, 1], [2], [1, 0, 0]] as [[UInt8]])
    func unsafeRSAExponentIsRefused(exponent: [UInt8]) throws {
        let modulus = try #require(Self.keys[0].publicKey.rsaComponents).modulus
        #expect(throws: CryptoError.malformedKey) { try PublicKey(rsaModulus: modulus, exponent: exponent) }
    }

    @Test func oversizedRSAKeyIsRefused() {
        let modulus = [UInt8](repeating: 0xff, count: 1025)
        #expect(throws: CryptoError.unsupportedKey) { try PublicKey(rsaModulus: modulus, exponent: [1, 0, 1]) }
    }

    @Test func pointOffCurveIsRefused() throws {
        var (x, y) = try #require(Self.keys[1].publicKey.p256Coordinates)
        #expect(throws: CryptoError.malformedKey) { try PublicKey(p256X: Array(x.dropLast()), y: y) }
        y[31] ^= 1
        #expect(throws: CryptoError.malformedKey) { try PublicKey(p256X: x, y: y) }
        x = [UInt8](repeating: 0, count: 32)
        #expect(throws: CryptoError.malformedKey) { try PublicKey(p256X: x, y: x) }
    }
}
