internal import CXMLSec

/// An XML document from outside, within limits: UTF-8, no document type declaration, comments, processing instructions
/// or CDATA sections. It is parsed once; signatures are verified in the same tree that `root` shows.
///
/// libxml2 and xmlsec use processor time: not on a cooperative thread. The document belongs to one thread.
final class XMLDocument {
    static let maximumBytes = 256 << 10
    /// Elements within elements, including the root.
    static let maximumDepth = 48
    static let maximumElements = 4096
    /// The parser compares each attribute of an element with the others.
    private static let maximumEqualsSignsPerTag = 256

    private let document: OpaquePointer
    let root: XMLElement
    /// The nodes of the library, by `XMLElement.index`.
    private let nodes: [OpaquePointer]

    /// The libraries have global state, which is prepared once.
    private static let isLibraryReady = lk_xml_initialize()

    /// - Throws: `tooLarge`, `documentType`, `forbiddenContent`, `malformed`, `unavailable`.
    init(_ bytes: [UInt8]) throws(SAMLError) {
        guard Self.isLibraryReady else { throw .unavailable }
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
        // A declaration of another encoding would not change how the bytes are read, so it does not matter.
        guard String(validating: bytes, as: UTF8.self) != nil, Self.hasFewAttributes(bytes) else { throw .malformed }
        var hasDTD = false
        guard let document = lk_xml_parse(bytes, bytes.count, &hasDTD) else {
            throw hasDTD ? .documentType : .malformed
        }
        var reader = XMLTreeReader()
        let result: Result<XMLElement, SAMLError> = Result { () throws(SAMLError) in try reader.read(document) }
        switch result {
        case .success(let element): root = element
        case .failure(let error):
            lk_xml_free(document)
            throw error
        }
        self.document = document
        nodes = reader.nodes
    }

    deinit { lk_xml_free(document) }

    /// Whether the signature is valid for the element that its one reference names. `XMLSignature` has checked its form.
    /// - Parameter key: DER SubjectPublicKeyInfo.
    func isValid(_ signature: XMLElement, of element: XMLElement, key: [UInt8]) throws(SAMLError) -> Bool {
        guard nodes.indices.contains(signature.index), nodes.indices.contains(element.index) else {
            throw .unavailable
        }
        switch lk_xml_verify(document, nodes[signature.index], nodes[element.index], key, key.count) {
        case LK_XML_VERIFIED: return true
        case LK_XML_INVALID: return false
        default: throw .unavailable
        }
    }

    /// A tag contains no `<`, and one equals sign for each attribute.
    private static func hasFewAttributes(_ bytes: [UInt8]) -> Bool {
        var count = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"): count = 0
            case UInt8(ascii: "="): count += 1
            default: continue
            }
            if count > maximumEqualsSignsPerTag { return false }
        }
        return true
    }
}

/// Copies the tree of the library into values, and collects its nodes.
private struct XMLTreeReader {
    private(set) var nodes: [OpaquePointer] = []

    mutating func read(_ document: OpaquePointer) throws(SAMLError) -> XMLElement {
        var root: XMLElement?
        var next = lk_xml_first_of_document(document)
        // Beside the root a document has only comments and processing instructions.
        while let node = next {
            guard lk_xml_kind_of(node) == LK_XML_ELEMENT else { throw .forbiddenContent }
            root = try element(node, depth: 1)
            next = lk_xml_next(node)
        }
        guard let root else { throw .malformed }
        return root
    }

    private mutating func element(_ node: OpaquePointer, depth: Int) throws(SAMLError) -> XMLElement {
        guard depth <= XMLDocument.maximumDepth, nodes.count < XMLDocument.maximumElements else { throw .tooLarge }
        let index = nodes.count
        nodes.append(node)
        let attributes = try attributes(of: node)
        var elements: [XMLElement] = []
        var text = ""
        var next = lk_xml_first_child(node)
        while let child = next {
            switch lk_xml_kind_of(child) {
            case LK_XML_ELEMENT: elements.append(try element(child, depth: depth + 1))
            case LK_XML_TEXT: text += String(cString: lk_xml_text(child))
            default: throw .forbiddenContent
            }
            next = lk_xml_next(child)
        }
        return XMLElement(
            name: String(cString: lk_xml_name(node)), namespace: Self.text(lk_xml_namespace(node)),
            attributes: attributes, elements: elements, text: text, index: index)
    }

    private func attributes(of node: OpaquePointer) throws(SAMLError) -> [XMLElement.Attribute] {
        var attributes: [XMLElement.Attribute] = []
        var next = lk_xml_first_attribute(node)
        while let attribute = next {
            guard let value = lk_xml_copy_attribute_value(attribute) else { throw .unavailable }
            defer { lk_xml_free_text(value) }
            attributes.append(
                .init(
                    name: String(cString: lk_xml_attribute_name(attribute)),
                    namespace: Self.text(lk_xml_attribute_namespace(attribute)), value: String(cString: value)))
            next = lk_xml_next_attribute(attribute)
        }
        return attributes
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
