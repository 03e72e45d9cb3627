import PasswordFilter
import TestSupport
import Testing

@testable import IdentityService

@Suite struct GuessablePasswordTests {
    private static let names = ["Ada.Lovelace@Example.com", "Ada.Lovelace", "demo-shop"]

    private static func matches(_ password: String) -> Bool {
        GuessablePassword(names: names, isCommon: PasswordFilter.standard.contains).matches(password)
    }

    @Test(arguments: [
        // Repeats.
        "aaaaaaaaaaaaaaa", "abababababababa", "abcabcabcabcabc", "xk9xk9xk9xk9xk9", "1111111111111111",
        "xyzzyxxyzzyxxyzzyx",
        // Sequences and rows.
        "123456789012345", "012345678901234", "987654321098765", "abcdefghijklmno", "onmlkjihgfedcba",
        "qwertyuiopasdfg", "poiuytrewqlkjhg", "asdfghjklqwerty", "zxcvbnmasdfghjk", "1qaz2wsx3edc4rf",
        "zaq12wsxcde34rfv", "!@#$%^&*()_+1234", "qwertzuiopasdfg", "azertyuiopqsdfg", "йцукенгшщзхъфыва",
        "112233445566778", "q1w2e3r4t5y6u7i", "1a2b3c4d5e6f7g8", "aaaabbbbccccdddd", "147258369147258369",
        "abcdefg12345678", "abcde12345abcde", "qwerty123456789",
        // Common words, doubled, with additions, with digits for letters.
        "passwordpassword", "password1234567", "1234567password", "12password98765", "sunshine8402715",
        "password-password", "football football", "p@ssw0rd!!!!!!!!", "p4ssw0rdp4ssw0rd", "iloveyou1234567",
        "123sunshine!!!!", "dragon123456789", "sunshinesunshine2024", "congratulations", "congratulations1",
        // Published passphrases, however they are separated.
        "correcthorsebatterystaple", "correct horse battery staple", "correct-horse-battery-staple!",
        "correct.horse.battery.staple.1", "to be or not to be that is the question", "thisismypassword",
        "the_quick_brown_fox_jumps_over_the_lazy_dog", "don't worry, be happy", "ich liebe dich so sehr",
        // The own address and the project.
        "ada.lovelace@example.com", "ada.lovelace@example.com1", "2024ada.lovelace@example.com", "ada.lovelace1234",
        "ada.lovelaceada.lovelace", "demo-shopdemo-shop", "demo-shop2024!!", "ada.lovelace",
    ]) func guessablePasswordIsRefused(password: String) {
        #expect(Self.matches(password))
    }

    @Test(arguments: [
        "correct horse pencil staple", "correcthorsebatterystapler kite", "fifteen-letters", "xkqzvbwmtrgwqpl",
        "mxwtqkvjzprhbnc",
        "tulip kettle rainy otter", "my cat's name is 4 letters", "i went to the market", "83921740651938274",
        "sunshine840271658", "blue ada.lovelace river", "passwords are hard", "zwölf Boxkämpfer", "ключ под ковриком",
        "🔑🐎🔋📎🌧🦦🫖🧲🪁🛶🧊🪴🥁🗿🎈", "Tr0ub4dour&3xyz", "gh8#kLp2", "k2mxqp", "was it abcd or efgh",
        "undefinable-hijinks",
    ]) func uncommonPasswordIsAccepted(password: String) {
        #expect(!Self.matches(password.lowercased()))
    }

    /// PW7.
    @Test func randomLowercaseLettersAreAccepted() {
        var random = SeededRandom(seed: 5)
        let refused = (0..<4_000).count { _ in
            let letters = (0..<15).map { _ in UInt8.random(in: 0x61...0x7a, using: &random) }
            return Self.matches(String(decoding: letters, as: UTF8.self))
        }
        #expect(refused <= 1)
    }

    /// Eight characters suffice where a second factor is mandatory.
    @Test func randomEightCharacterPasswordsAreRarelyRefused() {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var random = SeededRandom(seed: 6)
        let refused = (0..<4_000).count { _ in
            let letters = (0..<8).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
            return Self.matches(String(decoding: letters, as: UTF8.self))
        }
        #expect(refused < 40)
    }

    @Test(arguments: ["", "a", "1", "aa", "é", "e\u{301}"])
    func shortInputsDoNotTrap(password: String) {
        _ = Self.matches(password)
    }

    @Test func longInputsAreEvaluatedQuickly() {
        for password in [
            String(repeating: "a", count: 4096), String(repeating: "ab1", count: 1365),
            (0..<1000).map { "w\($0 * 7919 % 1000)" }.joined(),
        ] { _ = Self.matches(password) }
    }
}
