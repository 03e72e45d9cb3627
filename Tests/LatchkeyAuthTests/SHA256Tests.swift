import Crypto
import TestSupport
import Testing

@testable import LatchkeyAuth

struct SHA256Tests {
    /// FIPS 180-2 appendix B, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func publishedDigestsMatch(message: String, digest: String) {
        #expect(SHA256.digest(message.utf8) == [UInt8](hex: digest))
    }

    @Test func millionLettersMatch() {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(SHA256.digest(message) == [UInt8](hex: digest))
    }

    /// The padding changes its form at 55, 56 and 64 bytes of each block.
    @Test func everyLengthMatchesOpenSSL() {
        var random = SeededRandom(seed: 1)
        for length in 0...260 {
            let message = random.bytes(length)
            #expect(SHA256.digest(message) == SHA2.sha256(message), "\(length) bytes")
        }
    }
}
