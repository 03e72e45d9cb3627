import Foundation
import FoundationXML
import HTTPServer

@testable import GatewayService

/// What a reader sees of a page, line by line: texts of elements, labels of fields, hints for screen readers.
struct VisibleText {
    let lines: [String]

    /// - Returns: nil for a page that is not well formed.
    init?(_ response: TestResponse) {
        let parser = XMLParser(data: response.http.body)
        let collector = Collector()
        parser.delegate = collector
        guard parser.parse() else { return nil }
        collector.breakLine()
        lines = collector.lines
    }

    private final class Collector: NSObject, XMLParserDelegate {
        var lines: [String] = []
        private var line = ""
        private var hiddenDepth = 0
        /// Elements that do not begin a line.
        private static let inline: Set = ["a", "bdi", "b", "em", "strong", "span", "code", "time", "svg", "path"]
        private static let spoken = ["aria-label", "placeholder", "alt"]

        func breakLine() {
            let words = line.split { $0 == " " || $0 == "\n" }
            if !words.isEmpty { lines.append(words.joined(separator: " ")) }
            line = ""
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if hiddenDepth > 0 || ["svg", "script", "style"].contains(name) {
                hiddenDepth += 1
                return
            }
            if !Self.inline.contains(name) { breakLine() }
            for label in Self.spoken.compactMap({ attributes[$0] }) { line += " (\(label)) " }
            if name == "input", attributes["type"] == "checkbox" { line += "[ ] " }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if hiddenDepth == 0 { line += string }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if hiddenDepth > 0 {
                hiddenDepth -= 1
            } else if !Self.inline.contains(name) {
                breakLine()
            }
        }
    }
}
