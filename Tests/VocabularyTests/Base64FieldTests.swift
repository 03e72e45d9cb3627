import Testing
import Vocabulary

@Suite struct Base64FieldTests {
    @Test(
        arguments: [
            ("", []), ("QQ", [0x41]), ("QQ==", [0x41]), ("QUI", [0x41, 0x42]), ("QUI=", [0x41, 0x42]),
            ("QUJD", [0x41, 0x42, 0x43]), ("-_-_", [0xfb, 0xff, 0xbf]), ("+/+/", [0xfb, 0xff, 0xbf]),
            ("_w", [0xff]), ("_w==", [0xff]), ("/w", [0xff]), ("/w==", [0xff]),
        ] as [(String, [UInt8])])
    func bothAlphabetsAreDecoded(text: String, bytes: [UInt8]) {
        #expect(Base64Field.decode(text) == bytes)
    }

    @Test(arguments: [
        // Padding that does not complete a group of four characters.
        "=", "==", "===", "====", "Q===", "QQ=", "QUI==", "QUJD=", "QUJD==", "QUJD====", "QQ==QQ==", "Q=Q=",
        // An impossible length, and bits after the last byte.
        "Q", "QUJDR", "QR", "QR==", "QUJ", "QUJ=", "/x==", "_x",
        // Two alphabets, and other characters.
        "+_+_", "-/AA", "QQ ", " QQ", "QQ\n", "Q Q=", "Q.Q=", "QQ%3D%3D", "Q\u{0}Q=", "é===", "Ｑ",
    ])
    func malformedTextIsRefused(text: String) {
        #expect(Base64Field.decode(text) == nil)
    }

    @Test(arguments: 0...64) func textDecodesToTheSameBytes(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0xff - $0 * 37) }
        let text = Base64Field.encode(bytes)
        #expect(text.utf8.count.isMultiple(of: 4) && !text.contains("-") && !text.contains("_"))
        #expect(Base64Field.encodeURL(bytes).utf8.count.isMultiple(of: 4))
        #expect(Base64Field.decode(Base64Field.encodeURL(bytes)) == bytes)
        let withoutPadding = String(text.prefix { $0 != "=" })
        let urlText = String(withoutPadding.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        for spelling in [text, withoutPadding, urlText, urlText + text.dropFirst(withoutPadding.count)] {
            #expect(Base64Field.decode(spelling) == bytes)
        }
    }
}
