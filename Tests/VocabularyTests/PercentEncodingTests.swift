import Testing
import Vocabulary

@Suite struct PercentEncodingTests {
    @Test(arguments: [("", ""), ("aZ09-._~", "aZ09-._~"), ("a b+c/d", "a%20b%2Bc%2Fd"), ("é", "%C3%A9"), ("%", "%25")])
    func textIsEncoded(text: String, encoded: String) {
        #expect(PercentEncoding.encoded(text) == encoded)
        #expect(PercentEncoding.decoded(encoded[...]) == text)
    }

    @Test func keptCharactersStay() {
        #expect(PercentEncoding.encoded("/a b", keeping: "/") == "/a%20b")
    }

    @Test(
        arguments: [
            ("a", "a"), ("a%20b", "a b"), ("%C3%a9", "é"), ("a+b", "a+b"), ("%2B", "+"), ("%", nil), ("%2", nil),
            ("%zz", nil),
            ("%ff", nil), ("", ""), ("%00", "\u{0}"),
        ] as [(String, String?)])
    func decodesStrictly(text: String, decoded: String?) {
        #expect(PercentEncoding.decoded(text[...]) == decoded)
    }

    @Test func readsPlusAsABlankInForms() {
        #expect(PercentEncoding.decoded("a+b%2B", isForm: true) == "a b+")
    }
}
