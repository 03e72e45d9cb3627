import Foundation
import Testing

/// `docs/contribute/security-rules.md` lists the rules that sources and tests cite, and no other.
@Suite struct SecurityRuleTests {
    private static let areas = "PW|EN|RL|SM|TO|WR|WA|FE|TK|MP|HT|JS|BU|SE|LG|AU|AD|DH"
    private static let areaNames = areas.split(separator: "|").map(String.init)

    /// The rules that a text names. `WA4 to WA6` names three.
    private static func rules(in text: String) throws -> Set<String> {
        let rule = try Regex("\\b(\(areas))([0-9]{1,2})\\b(?: to (\(areas))([0-9]{1,2})\\b)?")
        var rules: Set<String> = []
        // Few lines name one.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)
        for match in lines.filter({ areaNames.contains(where: $0.contains) }).flatMap({ $0.matches(of: rule) }) {
            guard let area = match.output[1].substring, let first = match.output[2].substring.flatMap({ Int($0) })
            else { continue }
            let last = match.output[4].substring.flatMap { Int($0) } ?? first
            for number in first...max(first, last) { rules.insert("\(area)\(number)") }
        }
        return rules
    }

    private static func page() throws -> Set<String> {
        let text = try String(
            contentsOf: SourceTree.root.appending(path: "docs/contribute/security-rules.md"), encoding: .utf8)
        return try text.split(separator: "\n").filter { $0.hasPrefix("| ") }.reduce(into: []) { found, row in
            let cell = row.dropFirst(2).prefix { $0 != "|" }
            found.formUnion(try rules(in: String(cell)))
        }
    }

    /// Read once, for both tests.
    private static let cited = Result {
        let files =
            try ["Makefile"].map { SourceTree.root.appending(path: $0) }
            + ["Services", "Shared", "Tests", "deploy"].flatMap { folder in
                try FileManager.default.subpathsOfDirectory(atPath: SourceTree.root.appending(path: folder).path)
                    .filter { name in [".swift", ".py", ".js", ".service", ".conf"].contains { name.hasSuffix($0) } }
                    .map { SourceTree.root.appending(path: "\(folder)/\($0)") }
            }
        return try files.filter { $0.path != #filePath }.reduce(into: Set<String>()) { found, file in
            found.formUnion(try rules(in: String(contentsOf: file, encoding: .utf8)))
        }
    }

    @Test func everyCitedRuleStandsOnThePage() throws {
        #expect(try Self.cited.get().subtracting(Self.page()).sorted() == [])
    }

    @Test func everyRuleOfThePageIsCited() throws {
        let page = try Self.page()
        #expect(page.count > 150)
        #expect(try page.subtracting(Self.cited.get()).sorted() == [])
    }
}
