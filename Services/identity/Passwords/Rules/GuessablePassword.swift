/// Whether a password is one that attackers guess early (security rule PW9): a widely used one or the user's own name,
/// doubled, with digits for letters or with digits added; a published passphrase, however its words are separated; a
/// repeated group; sequences and rows of the keyboard.
///
/// It compares lower-case letters. Its patterns are longer than random coincidences: fifteen random lower-case letters
/// are refused about once in 100,000.
struct GuessablePassword {
    /// Minimum characters that do not follow from the previous ones.
    private static let leastChoices = 8
    /// Shorter runs occur by chance.
    private static let leastRun = 4
    /// Shorter words occur inside others.
    private static let leastWord = 4
    /// Up to this many characters before, between and after a common word do not make it a good password.
    private static let mostAdded = 8
    /// Fewer letters between digits and signs make up a word by chance.
    private static let leastPhrase = 12

    private typealias Text = [Unicode.Scalar]

    /// The user's address and its parts, and the project, in lower case.
    private let names: Set<String>
    private let isCommon: (String) -> Bool

    /// - Parameters:
    ///   - names: texts that the password must not equal, in any case.
    ///   - isCommon: whether a lower-case text is widely used.
    init(names: [String], isCommon: @escaping (String) -> Bool) {
        self.names = Set(names.map { $0.lowercased() })
        self.isCommon = isCommon
    }

    /// - Parameter password: in lower case.
    func matches(_ password: String) -> Bool {
        matches(Array(password.unicodeScalars))
    }

    private func matches(_ text: Text) -> Bool {
        if isWord(text) || Self.isRuns(text) { return true }
        if let unit = Self.repeatedUnit(of: text) {
            return unit.count < Self.leastChoices || matches(unit)
        }
        return isWordWithMore(text) || isPhrase(text)
    }

    // MARK: Words

    /// A text that is common when all but its letters is left out: the words of a passphrase between blanks, signs or
    /// digits.
    private func isPhrase(_ text: Text) -> Bool {
        let letters = text.filter(\.properties.isAlphabetic)
        guard letters.count < text.count, letters.count >= Self.leastPhrase,
            Self.choices(text.filter { !$0.properties.isAlphabetic }) <= Self.mostAdded
        else { return false }
        return isKnown(letters)
    }

    private func isWord(_ text: Text) -> Bool {
        guard !isKnown(text) else { return true }
        let isPlain = text.allSatisfy { Self.letters.first?[$0] == nil }
        return !isPlain && Self.letters.contains { letters in isKnown(text.map { letters[$0] ?? $0 }) }
    }

    private func isKnown(_ text: Text) -> Bool {
        let word = Self.string(text)
        return names.contains(word) || isCommon(word)
    }

    /// A common word, or a name, once or repeated, with digits or signs around it.
    private func isWordWithMore(_ text: Text) -> Bool {
        guard let first = text.firstIndex(where: \.properties.isAlphabetic),
            let last = text.lastIndex(where: \.properties.isAlphabetic)
        else { return false }
        let core = Array(text[first...last])
        let outside = Self.choices(Array(text[..<first])) + Self.choices(Array(text[(last + 1)...]))
        guard outside <= Self.mostAdded else { return false }
        if core.count < text.count, core.count >= Self.leastWord {
            if isWord(core) { return true }
            if let unit = Self.repeatedUnit(of: core), unit.count >= Self.leastWord, isWord(unit) { return true }
        }
        let words = text.split { !$0.properties.isAlphabetic }
        guard words.count > 1, let word = words.first, word.count >= Self.leastWord,
            words.allSatisfy({ $0.elementsEqual(word) })
        else { return false }
        return text.count - words.count * word.count <= Self.mostAdded && isWord(Array(word))
    }

    private static func string(_ text: Text) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        return String(view)
    }

    /// Digits and signs that stand for letters; 1 for either of two.
    private static let letters: [[Unicode.Scalar: Unicode.Scalar]] = {
        let common: [Unicode.Scalar: Unicode.Scalar] = [
            "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "!": "i",
        ]
        return ["l", "i"].map { one in common.merging(["1": one]) { $1 } }
    }()

    // MARK: Repetition

    /// The unit that a text repeats at least twice, completely or partly at the end: `abcabcab` repeats `abc`.
    private static func repeatedUnit(of text: Text) -> Text? {
        guard text.count > 1 else { return nil }
        // The length of the longest proper prefix of text[...i] that is its suffix too (Knuth, Morris, Pratt 1977).
        var borders = [0]
        for index in 1..<text.count {
            var length = borders[index - 1]
            while length > 0, text[index] != text[length] { length = borders[length - 1] }
            borders.append(text[index] == text[length] ? length + 1 : 0)
        }
        let period = text.count - borders[text.count - 1]
        return period * 2 <= text.count ? Array(text.prefix(period)) : nil
    }

    // MARK: Runs

    /// Whether sequences and rows make up the text, also with each character doubled, or with two of them interleaved.
    private static func isRuns(_ text: Text) -> Bool {
        let single = text.indices.filter { $0 == 0 || text[$0] != text[$0 - 1] }.map { text[$0] }
        let apart = [0, 1].flatMap { start in stride(from: start, to: text.count, by: 2).map { text[$0] } }
        return [text, single, apart].contains { variant in
            let choices = choices(variant)
            return choices < variant.count && choices < leastChoices
        }
    }

    /// The number of characters that do not follow from the previous ones: two of a run, and one of a run after another
    /// run.
    private static func choices(_ text: Text) -> Int {
        var (choices, index, isBehindRun) = (0, 0, false)
        while index < text.count {
            let length = run(in: text, from: index)
            let isRun = length >= leastRun
            choices += isRun && !isBehindRun ? 2 : 1
            index += isRun ? length : 1
            isBehindRun = isRun
        }
        return choices
    }

    /// The length of the longest run from `start`: one repeated character, adjacent letters of the alphabet, digits, or
    /// adjacent keys of a keyboard.
    private static func run(in text: Text, from start: Int) -> Int {
        func length(_ follows: (Unicode.Scalar, Unicode.Scalar) -> Bool) -> Int {
            var end = start + 1
            while end < text.count, follows(text[end - 1], text[end]) { end += 1 }
            return end - start
        }
        let alphabet = [0, 1, -1].map { (step: Int64) in
            length { Int64($1.value) - Int64($0.value) == step || (step != 0 && isDigitTurn($0, $1, step)) }
        }
        let keyboard = (places[text[start]] ?? []).flatMap { row, _ in
            [1, -1].map { step in
                length { before, after in
                    guard let place = places[before]?.first(where: { $0.row == row }) else { return false }
                    return places[after]?.contains { $0.row == row && $0.column == place.column + step } == true
                }
            }
        }
        return (alphabet + keyboard).max() ?? 1
    }

    /// From 9 to 0 and back.
    private static func isDigitTurn(_ before: Unicode.Scalar, _ after: Unicode.Scalar, _ step: Int64) -> Bool {
        step > 0 ? before == "9" && after == "0" : before == "0" && after == "9"
    }

    /// The position of each character in `rows`.
    private static let places: [Unicode.Scalar: [(row: Int, column: Int)]] = {
        var places: [Unicode.Scalar: [(row: Int, column: Int)]] = [:]
        for (row, keys) in rows.enumerated() {
            for (column, key) in keys.unicodeScalars.enumerated() { places[key, default: []].append((row, column)) }
        }
        return places
    }()

    /// Rows of keyboards, slanting columns of letters, and paths over the number pad.
    private static let rows = [
        "1234567890-=", "!@#$%^&*()_+", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./",
        "qwertzuiopü+", "asdfghjklöä#", "yxcvbnm,.-", "azertyuiop^$", "qsdfghjklmù", "wxcvbn,;:!",
        "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю.",
        "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/",
        "147258369", "741852963", "159357", "753951",
    ]
}
