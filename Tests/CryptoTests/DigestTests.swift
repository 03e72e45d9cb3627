import Crypto
import TestSupport
import Testing

@Suite struct DigestTests {
    /// FIPS 180-4, the examples with `abc`.
    @Test func sha2MatchesStandard() {
        let message = Array("abc".utf8)
        #expect(
            SHA2.sha256(message) == [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            SHA2.sha384(message)
                == [UInt8](
                    hex: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                        + "8086072ba1e7cc2358baeca134c825a7"))
        #expect(
            SHA2.sha512(message)
                == [UInt8](
                    hex: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"))
        #expect(SHA2.sha256([]) == [UInt8](hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    /// RFC 2202 and RFC 4231, test case 2.
    @Test func hmacMatchesVectors() {
        let key = Array("Jefe".utf8)
        let message = Array("what do ya want for nothing?".utf8)
        #expect(HMAC.sha1(key: key, message: message) == [UInt8](hex: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
        #expect(
            HMAC.sha256(key: key, message: message)
                == [UInt8](hex: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
        #expect(
            HMAC.sha512(key: key, message: message)
                == [UInt8](
                    hex: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"))
        #expect(
            HMAC.sha256(key: [], message: [])
                == [UInt8](hex: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
    }

    @Test func comparisonDetectsEveryFlippedBit() {
        let code = HMAC.sha256(key: [1], message: [2])
        #expect(constantTimeEquals(code, code))
        #expect(constantTimeEquals([], []))
        #expect(!constantTimeEquals(code, Array(code.dropLast())))
        for bit in 0..<code.count * 8 {
            var changed = code
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!constantTimeEquals(code, changed), "bit \(bit)")
        }
    }

    @Test func randomBytesHaveRequestedCountAndDiffer() {
        for count in [0, 1, 32, 4096] { #expect(Random.bytes(count).count == count) }
        #expect(Set((0..<1000).map { _ in Random.bytes(16) }).count == 1000)
    }
}
