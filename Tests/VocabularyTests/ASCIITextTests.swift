import Testing
import Vocabulary

@Suite struct ASCIITextTests {
    @Test(
        arguments: [
            ("a=b", "a", "b"), ("a=b=c", "a", "b=c"), ("=", "", ""), ("a", "a", nil), ("", "", nil),
            ("a=\u{301}b", "a", "\u{301}b"),
        ] as [(String, String, String?)])
    func halvesSplitAtFirstSeparator(text: String, before: String, behind: String?) {
        let halves = text.halves(at: "=")
        #expect(Array(halves.before.utf8) == Array(before.utf8))
        #expect(halves.behind.map { Array($0.utf8) } == behind.map { Array($0.utf8) })
    }

    @Test func lastHalvesSplitAtLastSeparator() throws {
        let halves = try #require("a:b:\u{301}c".lastHalves(at: ":"))
        #expect(halves.before == "a:b" && Array(halves.behind.utf8) == Array("\u{301}c".utf8))
        #expect("a".lastHalves(at: ":") == nil)
    }

    @Test(
        arguments: [
            ("a,b,c", .max, ["a", "b", "c"]), ("a,b,c", 2, ["a", "b,c"]), (",", .max, ["", ""]), ("", .max, [""]),
            ("a,b", 1, ["a,b"]), ("a,b", 0, ["a,b"]), ("a,b", .min, ["a,b"]), ("a,\u{301}", .max, ["a", "\u{301}"]),
        ] as [(String, Int, [String])])
    func piecesSplitAtEverySeparator(text: String, maximumCount: Int, pieces: [String]) {
        #expect(
            text.pieces(at: ",", maximumCount: maximumCount).map { Array($0.utf8) } == pieces.map { Array($0.utf8) })
    }

    /// Unicode's lower case of some letters is longer, or is an ASCII letter.
    @Test func lowercasingChangesOnlyASCII() {
        #expect("ÀBC-\u{212a}İ".asciiLowercased == "Àbc-\u{212a}İ")
        #expect("İ".asciiLowercased.utf8.count == "İ".utf8.count)
        #expect("àbc-zıß{`".asciiUppercased == "àBC-Zıß{`")
    }

    @Test(arguments: [("0123456789", true), ("", false), ("１", false), ("1a", false)])
    func onlyASCIIDigitsAreDigits(text: String, isDigits: Bool) {
        #expect(text.isASCIIDigits == isDigits)
    }

    @Test(arguments: [("09afAF", true), ("", false), ("g", false), ("ａ", false), ("@", false), ("`", false)])
    func onlyASCIIHexadecimalDigitsAreHexadecimal(text: String, isHexadecimal: Bool) {
        #expect(text.isASCIIHexadecimal == isHexadecimal)
    }
}
