import Testing
import Vocabulary

@Suite struct MarkupTextTests {
    @Test(arguments: [
        ("", ""), ("Ada", "Ada"), ("a&b", "a&amp;b"), ("<b>", "&lt;b&gt;"), ("\"'", "&quot;&#39;"),
        ("\"\u{301} onload='", "&quot;\u{301} onload=&#39;"), ("<\u{308}script", "&lt;\u{308}script"),
        ("&amp;", "&amp;amp;"), ("é👩‍👩‍👧", "é👩‍👩‍👧"),
    ]) func markupIsEscapedByScalars(text: String, escaped: String) {
        #expect(Array(text.markupEscaped.unicodeScalars) == Array(escaped.unicodeScalars))
    }
}
