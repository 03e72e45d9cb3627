import Foundation
import ServiceRuntime
import Testing

struct LogEventTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func pageIsThatOfTheCode() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/operate/log-events.md"), encoding: .utf8)
        #expect(page == LogEventDocument.markdown, "run `make settings`")
    }

    /// `noun.verb-past`, and as the case.
    @Test(arguments: LogEvent.allCases) func nameIsThatOfTheCase(event: LogEvent) {
        #expect(event.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*/) != nil)
        let name = event.rawValue.filter(\.isLetter).lowercased()
        #expect("\(event)".lowercased() == name)
    }

    @Test(arguments: LogEvent.allCases) func meaningIsOneClause(event: LogEvent) {
        #expect(
            event.meaning.count > 20 && !event.meaning.hasSuffix(".") && !event.meaning.contains { "|\n".contains($0) })
    }

    /// Where the event itself is an argument of the call; others choose it before.
    @Test func levelsAreThoseOfTheSources() throws {
        var found: [String: Set<String>] = [:]
        var text = ""
        for folder in ["Services", "Shared"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files)
            where file.pathExtension == "swift" && file.lastPathComponent != "LogEvent.swift" {
                let source = try String(contentsOf: file, encoding: .utf8)
                text += source
                for match in source.matches(of: /\b(debug|info|warn|error)(?:OnceAMinute)?\(\s*\.([a-z][A-Za-z]+)\b/) {
                    found[String(match.2), default: []].insert(String(match.1))
                }
            }
        }
        for event in LogEvent.allCases {
            #expect(text.contains(".\(event)"), "nothing logs \(event)")
            if let levels = found["\(event)"] { #expect(levels == Set(event.levels.map(\.rawValue)), "\(event)") }
        }
    }
}
