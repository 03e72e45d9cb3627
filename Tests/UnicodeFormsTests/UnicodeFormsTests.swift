import Foundation
import Testing
import UnicodeForms

@Suite struct UnicodeFormsTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("e\u{301}", "\u{e9}"), ("\u{fb01}", "fi"), ("\u{2460}", "1"),
        ("\u{ff21}\u{ff42}", "Ab"), ("\u{212b}", "\u{c5}"), ("\u{1e9b}\u{323}", "\u{1e69}"),
        ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ])
    func textIsNormalized(text: String, expected: String) {
        // `==` of Swift ignores the difference of canonically equivalent texts.
        #expect(Array(UnicodeForms.nfkc(text).utf8) == Array(expected.utf8))
    }

    /// U+FDFA is the letter with the longest form.
    @Test func longestFormIsEighteenLetters() {
        #expect(UnicodeForms.nfkc("\u{fdfa}").unicodeScalars.count == 18)
    }

    /// Passwords were hashed in the form of ICU. Letters assigned after Unicode 14 are left out: Debian's library does not
    /// know them.
    @Test func formOfEveryLetterIsThatOfICU() {
        let known = (UInt32(1)...0x10ffff).compactMap(Unicode.Scalar.init).filter { letter in
            letter.properties.age.map { $0.major <= 14 } ?? false
        }
        #expect(known.count > 140_000)
        for letter in known {
            // Between two letters that combine with marks before and behind.
            let text = "e\(Character(letter))\u{301}"
            #expect(
                UnicodeForms.nfkc(text).utf8.elementsEqual(text.precomposedStringWithCompatibilityMapping.utf8),
                "U+\(String(letter.value, radix: 16))")
        }
    }
}
