import Crypto
import TestSupport
import Testing

/// The key of authenticators in runs that are repeated from a seed.
@Suite struct RepeatableKeyTests {
    @Test(arguments: 0..<20 as Range<UInt64>) func signatureIsValidAndTheSameEachTime(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // The last ones are above the order of the curve.
        let secret = seed < 18 ? random.bytes(32) : [UInt8](repeating: 0xff, count: 32)
        let message = random.bytes(40)
        let (first, second) = (try RepeatableKey(secret), try RepeatableKey(secret))
        let signature = first.signature(of: message)
        #expect(signature == second.signature(of: message))
        let key = try VerificationKey(subjectPublicKeyInfo: second.key.publicKey.subjectPublicKeyInfo)
        #expect(key.isValid(signature: signature, for: message, .ecdsa(.sha256)))
        #expect(!key.isValid(signature: signature, for: message + [0], .ecdsa(.sha256)))
    }

    @Test func secretsGiveDifferentKeys() throws {
        let secrets = (0..<4).map { [UInt8](repeating: 2 * $0, count: 32) }
        let keys = try secrets.map { try RepeatableKey($0).key.publicKey.subjectPublicKeyInfo }
        #expect(Set(keys).count == secrets.count)
    }
}
