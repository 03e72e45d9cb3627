import Testing
import Vocabulary

@Suite struct ShownNameTests {
    @Test(arguments: [
        "", "Shop", "Zoë & Söhne", "O’Neill's", "東京", "שלום", "مرحبا", "Shop שלום", "a  b", "(<>)\"", "\u{301}",
        // Persian, and a letter of Devanagari behind its virama.
        "می\u{200c}خواهم", "क्\u{200d}ष", "क्\u{200c}ष",
        // Pictures: joined, of a color, in the form of a picture, and a key.
        "👩\u{200d}💻", "👩🏽\u{200d}💻", "🏳\u{fe0f}\u{200d}🌈", "❤\u{fe0f}", "1\u{fe0f}\u{20e3}", "🇩🇪",
        // A form of a Japanese character.
        "葛\u{e0100}城",
    ]) func nameOfVisibleCharactersIsShown(name: String) {
        #expect(name.isShownAsItIs)
    }

    @Test(
        arguments: [
            // Characters that turn text: of UAX #9, all of them.
            0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
            // Without a width, or without a picture.
            0x00ad, 0x034f, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2064, 0x206a, 0x206f, 0x3164,
            0xfeff,
            0xffa0, 0xfff9, 0xfffb, 0x1d173, 0xe0001, 0xe0041, 0xe007f,
            // Ends of lines, and controls.
            0x2028, 0x2029, 0x0000, 0x0009, 0x000a, 0x000d, 0x001b, 0x007f, 0x0085, 0x009f,
        ] as [UInt32]) func characterThatTurnsOrHidesTextIsRefusedEverywhere(value: UInt32) throws
    {
        let character = String(try #require(Unicode.Scalar(value)))
        for name in [character, character + "Shop", "Sh" + character + "op", "Shop" + character, "東" + character + "京"]
        {
            #expect(!name.isShownAsItIs, "\(name.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }

    /// Joiners and selectors hide text where no writing needs them.
    @Test(arguments: [
        "👩\u{200d}", "\u{200d}💻", "👩\u{200d}a", "1\u{200d}2", "م\u{200c}a", "م\u{200d}م", "a\u{200c}\u{200c}b",
        "👩\u{200d}\u{200d}💻", "\u{fe0f}", " \u{fe0f}", "a\u{fe0f}\u{fe0f}", "a\u{e0100}\u{e0101}",
    ]) func joinerWithoutNeedIsRefused(name: String) {
        #expect(!name.isShownAsItIs)
    }
}
