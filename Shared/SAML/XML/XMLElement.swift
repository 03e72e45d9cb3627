/// An element of a parsed document: what it contains, as values.
struct XMLElement: Sendable {
    struct Attribute: Equatable, Sendable {
        var name: String
        /// Empty: in no namespace.
        var namespace: String
        var value: String
    }

    /// Without the prefix.
    let name: String
    /// Empty: in no namespace.
    let namespace: String
    let attributes: [Attribute]
    /// In document order.
    let elements: [XMLElement]
    /// All texts between the elements, in document order.
    let text: String
    /// Which element of its document this is. Document order, starting from the root with 0.
    let index: Int

    func isNamed(_ name: String, in namespace: String) -> Bool { self.name == name && self.namespace == namespace }

    /// The value of an attribute in no namespace.
    func attribute(_ name: String) -> String? {
        attributes.first { $0.name == name && $0.namespace.isEmpty }?.value
    }

    func children(_ name: String, in namespace: String) -> [XMLElement] {
        elements.filter { $0.isNamed(name, in: namespace) }
    }

    /// The text of an element without child elements, and without white space around it. Documents contain no comments,
    /// so that no part of it is hidden.
    var value: String? { elements.isEmpty ? text.trimmingXMLSpace : nil }

    /// Whether the element contains only elements.
    var hasOnlyElements: Bool { text.trimmingXMLSpace.isEmpty }

    /// Calls `body` with this element and all elements inside it, in document order.
    func forEach<Failure: Error>(_ body: (XMLElement) throws(Failure) -> Void) throws(Failure) {
        try body(self)
        for element in elements { try element.forEach(body) }
    }
}

extension String {
    /// Without blanks, tabs and line ends at both ends (XML 1.0, 2.3).
    fileprivate var trimmingXMLSpace: String {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let bytes = utf8.drop(while: isSpace)
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(bytes[...last]))
    }
}
