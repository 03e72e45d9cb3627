import Crypto
import TestSupport
import Testing
import Vocabulary

@Suite struct Base64URLTests {
    /// RFC 4648 §10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func vectorsMatch(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test func urlAlphabetIsUsed() {
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
        #expect(Base64URL.decode("-_-_") == [0xfb, 0xff, 0xbf])
    }

    /// Security rule JS6.
    @Test(arguments: [
        "Zg==", "Zm8=", "Zm9v=", "=", "+w", "/w", "Zm 9v", "Zm9v\n", "\0AAA", "Zm9ü", "Ａ", "A", "Zm9vY",
        "Zh", "Zm9", "Zm9vYh", "-_-",
    ])
    func nonCanonicalTextIsRejected(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomBytesRoundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = random.bytes(Int(seed))
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }

    /// The encoding is unique: changing any character changes the bytes, or the text is rejected.
    @Test(arguments: 1..<20)
    func encodingIsUnique(count: Int) {
        let bytes = [UInt8](repeating: 0xa5, count: count)
        let text = Array(Base64URL.encode(bytes))
        for position in text.indices {
            for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            where character != text[position] {
                var changed = text
                changed[position] = character
                #expect(Base64URL.decode(String(changed)) != bytes)
            }
        }
    }
}
