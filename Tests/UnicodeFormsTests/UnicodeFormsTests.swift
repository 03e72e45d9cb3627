import Testing
import UnicodeForms

@Suite struct UnicodeFormsTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("e\u{301}", "\u{e9}"), ("\u{fb01}", "fi"), ("\u{2460}", "1"),
        ("\u{ff21}\u{ff42}", "Ab"), ("\u{212b}", "\u{c5}"), ("\u{1e9b}\u{323}", "\u{1e69}"),
        ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{1d41e}\u{301}", "\u{e9}"), ("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\u{200d}\u{1f469}"),
        // Katakana of half and full width, with voiced and semi-voiced marks.
        ("\u{ff76}\u{ff9e}", "\u{30ac}"), ("\u{ff8a}\u{ff9f}", "\u{30d1}"), ("\u{30ab}\u{3099}", "\u{30ac}"),
        // A letter outside of the first plane has a form of its own, and not that of its last 16 bits.
        ("\u{103b9}\u{313}", "\u{103b9}\u{313}"),
        // The marks of a ligature are ordered with those that follow it.
        ("\u{fc61}\u{5c2}", " \u{5c2}\u{64f}\u{651}"),
    ])
    func textIsNormalized(text: String, expected: String) {
        // `==` of Swift ignores the difference of canonically equivalent texts.
        #expect(Array(UnicodeForms.nfkc(text).utf8) == Array(expected.utf8))
    }

    /// Longer than the first buffer.
    @Test(arguments: [1, 100, 1365]) func longestFormIsComplete(count: Int) {
        let form = UnicodeForms.nfkc(String(repeating: "\u{fdfa}", count: count))
        #expect(form.utf16.count == count * 18)
        #expect(form.unicodeScalars.last?.value == 0x645)
    }

    /// What the form of every letter must fulfill between a letter and a mark that combine.
    @Test func formOfEveryLetterIsStable() {
        for letter in (UInt32(0x80)...0x10ffff).lazy.compactMap(Unicode.Scalar.init) {
            let text = "e\(Character(letter))\u{301}"
            let form = UnicodeForms.nfkc(text)
            let again = UnicodeForms.nfkc(form)
            if !form.utf8.elementsEqual(again.utf8) || form.utf16.count > 20 {
                Issue.record("U+\(String(letter.value, radix: 16))")
            }
        }
    }
}
