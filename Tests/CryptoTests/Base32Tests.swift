import Crypto
import TestSupport
import Testing

struct Base32Tests {
    /// The base32 part of `Tests/Vectors/otpauth.json`: RFC 4648 §10.
    private struct Vectors: Decodable {
        struct Case: Decodable {
            var text: String
            var hex: String
        }
        var base32: [Case]
    }

    @Test func vectorsMatch() throws {
        let cases = try VectorFile.load("otpauth.json", as: Vectors.self).base32
        #expect(cases.count == 7)
        for vector in cases {
            let bytes = try #require([UInt8](hex: vector.hex))
            #expect(Base32.decode(vector.text) == bytes)
            #expect(Base32.decode(vector.text.lowercased()) == bytes)
            let bare = String(vector.text.prefix { $0 != "=" })
            #expect(Base32.encode(bytes) == bare)
            #expect(Base32.decode(bare) == bytes)
        }
    }

    @Test(arguments: [
        "1", "0", "8", "A", "ABC", "ABCDEF", "MZ", "MY=", "MY=====", "MY=======", "MY==============", "=MY=====", "M=Y",
        "MZXW6YT=", "========", "MZXW6YTB========", "MZXW 6YTB", "MZXW6YTÉ", "MZXW\u{0}YTB", "ＭＺＸＷ",
    ])
    func invalidTextIsRejected(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    /// Property: any bytes survive a round trip, and each text is the only one for its bytes.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomBytesRoundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = random.bytes(Int.random(in: 0...64, using: &random))
        let text = Base32.encode(bytes)
        #expect(Base32.decode(text) == bytes)
        #expect(text.utf8.count == (bytes.count * 8 + 4) / 5)
    }
}
