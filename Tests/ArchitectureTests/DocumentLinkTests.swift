import Foundation
import Testing

/// Every link of the documentation leads to a file and a heading that exist.
struct DocumentLinkTests {
    /// The documents, relative to the repository.
    private static func documents() throws -> [String] {
        let folders = ["docs", "deploy", "Services", "Shared", "Tests"]
        let nested = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: SourceTree.root.path + "/" + folder).map {
                "\(folder)/\($0)"
            }
        }
        let top = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        return (top + nested).filter { $0.hasSuffix(".md") && !$0.contains("/.") }.sorted()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
    }

    /// As web pages of the repository name them.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
                let heading = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                return String(
                    heading.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
            })
    }

    @Test func documentsAreFound() throws { #expect(try Self.documents().count > 40) }

    @Test func indexNamesEveryPage() throws {
        let index = try Self.text("docs/README.md")
        for document in try Self.documents() where document.hasPrefix("docs/") && document != "docs/README.md" {
            #expect(index.contains("](\(document.dropFirst("docs/".count)))"), "\(document) is not in docs/README.md")
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        for document in try Self.documents() {
            let text = try Self.text(document)
            for match in text.matches(of: /\]\(([^)\s#:]*)(?:#([^)\s]*))?\)/) {
                let (link, anchor) = (String(match.1), match.2.map(String.init))
                let folder = document.split(separator: "/").dropLast().joined(separator: "/")
                let target =
                    link.isEmpty
                    ? SourceTree.root.appending(path: document)
                    : SourceTree.root.appending(path: folder).appending(path: link).standardizedFileURL
                guard FileManager.default.fileExists(atPath: target.path) else {
                    Issue.record("\(document) links \(link), which does not exist")
                    continue
                }
                guard let anchor, target.pathExtension == "md" else { continue }
                let found = Self.anchors(of: try String(contentsOf: target, encoding: .utf8)).contains(anchor)
                #expect(found, "\(document) links #\(anchor) of \(target.lastPathComponent), which does not exist")
            }
        }
    }
}
