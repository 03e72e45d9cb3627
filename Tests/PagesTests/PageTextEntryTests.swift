import Foundation
import Testing
import Vocabulary

@testable import Pages

/// The texts that a project can replace are the texts of the pages: a new one without an entry fails here.
@Suite struct PageTextEntryTests {
    /// Every text by its path; nil for one with a value, which a mirror cannot call.
    private static func leaves(of value: Any, _ path: [String] = []) -> [String: String?] {
        let children = Mirror(reflecting: value).children
        let text = value as? String
        if text != nil || children.isEmpty { return [path.joined(separator: "."): text] }
        return children.reduce(into: [:]) { found, child in
            found.merge(leaves(of: child.value, path + [child.label ?? "?"])) { $1 }
        }
    }

    /// `pages.signIn.title`: `signInTitle`.
    private static func key(_ path: String) -> String {
        let names = path.split(separator: ".").drop { $0 == "pages" }
        let words = names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    @Test func everyTextHasAnEntry() throws {
        let groups = Language.english.pageTextSet.groups
        let leaves = Self.leaves(of: groups)
        #expect(Set(leaves.keys.map(Self.key)).count == leaves.count)
        #expect(Set(leaves.keys.map(Self.key)) == Set(PageTextEntry.all.keys))
        for (path, text) in leaves {
            let entry = try #require(PageTextEntry.all[Self.key(path)], "\(path)")
            #expect((entry.placeholder == nil) == (text != nil), "\(path)")
            if let text { #expect(entry.read(groups) == text, "\(path)") }
        }
    }

    @Test(arguments: [Language.english, .arabic]) func entryReplacesItsTextAlone(language: Language) {
        let builtIn = language.pageTextSet
        let before = PageTextEntry.all.mapValues { $0.read(builtIn.groups) }
        for (key, entry) in PageTextEntry.all {
            let value = entry.placeholder?.rawValue
            let after = builtIn.replaced(by: [key: "own " + (value ?? "text")]).groups
            let changed = PageTextEntry.all.filter { $0.value.read(after) != before[$0.key] }
            #expect(changed.keys.sorted() == [key])
            let shown = value.map { language.isRightToLeft ? "\u{2068}\($0)\u{2069}" : $0 }
            #expect(entry.read(after) == "own " + (shown ?? "text"), "\(key)")
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
        let replaced = texts.replaced(by: ["former": "x"])
        #expect(PageTextEntry.all.values.allSatisfy { $0.read(replaced.groups) == $0.read(texts.groups) })
    }
}
