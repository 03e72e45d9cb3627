import Foundation
import Testing
import Vocabulary

@testable import Pages

/// The texts that a project can replace are the texts of the pages: a new one without an entry fails here.
@Suite struct PageTextEntryTests {
    private static let value = "17"

    /// Every text with its path, a closure as it is with a sample.
    private static func leaves(of value: Any, _ path: [String] = []) -> [String: String] {
        let text: String? =
            switch value {
            case let text as String: text
            case let text as @Sendable (String) -> String: text(Self.value)
            case let text as @Sendable (Int) -> String: Int(Self.value).map(text)
            default: nil
            }
        if let text { return [path.joined(separator: "."): text] }
        return Mirror(reflecting: value).children.reduce(into: [:]) { found, child in
            found.merge(leaves(of: child.value, path + [child.label ?? "?"])) { $1 }
        }
    }

    /// `pages.signIn.title`: `signInTitle`.
    private static func key(_ path: String) -> String {
        let names = path.split(separator: ".").drop { $0 == "pages" }
        let words = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    @Test func everyTextHasAnEntry() {
        let keys = Self.leaves(of: Language.english.pageTextSet.groups).keys.map(Self.key)
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys) == Set(PageTextEntry.all.keys))
    }

    @Test(arguments: [Language.english, .arabic]) func entryReplacesItsTextAlone(language: Language) {
        let builtIn = language.pageTextSet
        let before = Self.leaves(of: builtIn.groups)
        for (key, entry) in PageTextEntry.all {
            let own = "own " + (entry.placeholder?.rawValue ?? "text")
            let after = Self.leaves(of: builtIn.replaced(by: [key: own]).groups)
            let changed = after.filter { before[$0.key] != $0.value }
            let shown = language.isRightToLeft ? "\u{2068}\(Self.value)\u{2069}" : Self.value
            #expect(changed.keys.map(Self.key) == [key])
            #expect(changed.values.first == "own " + (entry.placeholder == nil ? "text" : shown), "\(key)")
        }
    }

    @Test(arguments: Language.allCases) func builtInTextsKeepTheRulesOfOwnOnes(language: Language) {
        for (key, entry) in PageTextEntry.all {
            let text = entry.text(in: language)
            #expect(text.utf8.count <= entry.maximumBytes, "\(key): \(text.utf8.count)")
            #expect(!text.contains("<") && !text.contains(">"), "\(key)")
            if let placeholder = entry.placeholder { #expect(text.contains(placeholder.rawValue), "\(key)") }
        }
    }

    /// `docs/use/page-texts.md` lists the keys with the English texts.
    @Test func everyTextIsInTheDocument() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/use/page-texts.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let expected = PageTextEntry.all.values.map { "| `\($0.key)` | \($0.text(in: .english)) |" }
        #expect(Set(lines.map(String.init)) == Set(expected) && lines.count == expected.count)
    }

    @Test func unknownKeyHasNoEffect() {
        let texts = Language.english.pageTextSet
        let before = Self.leaves(of: texts.groups)
        #expect(Self.leaves(of: texts.replaced(by: ["former": "x"]).groups) == before)
    }
}
