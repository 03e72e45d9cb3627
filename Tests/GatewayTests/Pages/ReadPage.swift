import Foundation
import FoundationXML
import HTTPServer

@testable import GatewayService

/// A page as an XML parser reads it.
struct ReadPage {
    struct Element {
        var name: String
        var attributes: [String: String]
    }

    let elements: [Element]
    let text: String

    /// - Returns: nil for a page that is not well formed.
    init?(_ response: TestResponse) {
        let parser = XMLParser(data: response.http.body)
        let collector = Collector()
        parser.delegate = collector
        guard parser.parse() else { return nil }
        elements = collector.elements
        text = collector.text
    }

    func all(_ name: String) -> [[String: String]] { elements.filter { $0.name == name }.map(\.attributes) }

    /// The values of the form, by name.
    var fields: [String: String] {
        Dictionary(all("input").map { ($0["name"] ?? "", $0["value"] ?? "") }) { first, _ in first }
    }

    private final class Collector: NSObject, XMLParserDelegate {
        var elements: [Element] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append(Element(name: name, attributes: attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }
}
