import Testing
import Vocabulary

@Suite struct PrimitiveTests {
    @Test func bytesAreWrittenAsHexadecimalDigits() {
        #expect([UInt8]([0x00, 0x0f, 0xa5, 0xff]).hexadecimal == "000fa5ff")
        #expect(UInt64(0xabc).hexadecimal == "0000000000000abc")
        #expect([UInt8]().hexadecimal == "")
    }

    @Test(
        arguments: [
            ("0", 0), ("f", 15), ("00f067aa0ba902b7", 0xf0_67aa_0ba9_02b7), ("ffffffffffffffff", UInt64.max),
            ("", nil), ("00000000000000000", nil), ("F", nil), ("0x1", nil), (" 1", nil), ("-1", nil), ("g", nil),
            ("é", nil),
        ] as [(String, UInt64?)])
    func hexadecimalDigitsAreRead(text: String, value: UInt64?) {
        #expect(UInt64(hexadecimal: text.utf8Span.span) == value)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.255.0.9", "::1", "[::1]"])
    func loopbackHostIsAccepted(host: String) {
        #expect(host.isLoopbackHost)
    }

    @Test(arguments: [
        "", "localhost.example", "127.0.0", "127.0.0.1.", "127.0.0.256", "128.0.0.1", "127.0.0.+1", "::2",
    ])
    func otherHostIsNoLoopbackHost(host: String) {
        #expect(!host.isLoopbackHost)
    }

    @Test func idOfAProjectHas1To128Characters() {
        #expect(Realm.isIdentifier("a"))
        #expect(Realm.isIdentifier("example.com:My_project-1"))
        #expect(Realm.isIdentifier(String(repeating: "p", count: 128)))
        #expect(!Realm.isIdentifier(String(repeating: "p", count: 129)))
        for text in ["", "a b", "a/b", "ä", "a\n"] { #expect(!Realm.isIdentifier(text)) }
    }

    @Test(arguments: [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (-1, 0), (-1000, -1)] as [(Int64, Int64)])
    func begunSecondCounts(milliseconds: Int64, seconds: Int64) {
        #expect(Duration.milliseconds(milliseconds).secondsRoundedUp == seconds)
    }

    @Test func digitsAreGroupedAsUUID() {
        #expect(
            RandomUUID.grouped("000102030405060708090a0b0c0d0e0f") == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    }
}
