/// The form of an XML signature (XML Signature 1.1) that this module verifies: enveloped in the element that its only
/// reference names by ID. Every other form is refused before any cryptography.
struct XMLSignature {
    private static let name = "Signature"

    private static let signatureMethods: Set<String> = [
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
    ]
    private static let digestMethods: Set<String> = [
        "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    ]
    private static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    private static let maximumIDBytes = 256

    let element: XMLElement
    /// The parent of the signature.
    let signed: XMLElement

    static func isSignature(_ element: XMLElement) -> Bool {
        element.isNamed(name, in: XMLNamespace.signature)
    }

    /// The signature of an element; nil if it has none.
    /// - Throws: `unsupportedSignature`, `unsupportedAlgorithm`.
    init?(of signed: XMLElement) throws(SAMLError) {
        let signatures = signed.elements.filter(Self.isSignature)
        guard let element = signatures.first else { return nil }
        guard signatures.count == 1 else { throw .unsupportedSignature }
        self.element = element
        self.signed = signed
        try check()
    }

    /// Whether one of the keys has made the signature. Keys in the document do not count.
    /// - Parameter keys: DER SubjectPublicKeyInfo.
    func isValid(in document: XMLDocument, keys: [[UInt8]]) throws(SAMLError) -> Bool {
        for key in keys where try document.isValid(element, of: signed, key: key) { return true }
        return false
    }

    private func check() throws(SAMLError) {
        let parts = try Self.parts(of: element)
        // Without `Object`, which the enveloped-signature transform would exclude from the signed content.
        guard let signedInfo = parts.first, signedInfo.name == "SignedInfo",
            [["SignatureValue"], ["SignatureValue", "KeyInfo"]].contains(parts.dropFirst().map(\.name))
        else { throw .unsupportedSignature }
        let information = try Self.parts(of: signedInfo)
        guard information.map(\.name) == ["CanonicalizationMethod", "SignatureMethod", "Reference"] else {
            throw .unsupportedSignature
        }
        for part in information {
            switch part.name {
            case "CanonicalizationMethod": try Self.checkExclusiveC14N(part)
            case "SignatureMethod": try Self.checkAlgorithm(of: part, among: Self.signatureMethods)
            default: try check(reference: part)
            }
        }
    }

    private func check(reference: XMLElement) throws(SAMLError) {
        guard let id = signed.attribute("ID"), Self.isID(id), reference.attribute("URI") == "#" + id else {
            throw .unsupportedSignature
        }
        let parts = try Self.parts(of: reference)
        guard parts.map(\.name) == ["Transforms", "DigestMethod", "DigestValue"] else { throw .unsupportedSignature }
        for part in parts {
            switch part.name {
            case "Transforms": try Self.check(transforms: try Self.parts(of: part))
            case "DigestMethod": try Self.checkAlgorithm(of: part, among: Self.digestMethods)
            default: break
            }
        }
    }

    private static func check(transforms: [XMLElement]) throws(SAMLError) {
        guard transforms.count == 2, transforms.allSatisfy({ $0.name == "Transform" }), let first = transforms.first,
            let second = transforms.last
        else { throw .unsupportedAlgorithm }
        try checkAlgorithm(of: first, among: [enveloped])
        try checkExclusiveC14N(second)
    }

    /// The child elements, which are all in the namespace of signatures, with nothing between them.
    private static func parts(of element: XMLElement) throws(SAMLError) -> [XMLElement] {
        guard element.hasOnlyElements, element.elements.allSatisfy({ $0.namespace == XMLNamespace.signature }) else {
            throw .unsupportedSignature
        }
        return element.elements
    }

    private static func checkAlgorithm(of element: XMLElement, among names: Set<String>) throws(SAMLError) {
        guard let name = element.attribute("Algorithm"), names.contains(name) else { throw .unsupportedAlgorithm }
        guard element.value == "" else { throw .unsupportedSignature }
    }

    /// Without comments. The list of inclusive namespaces only adds declarations to the signed content.
    private static func checkExclusiveC14N(_ element: XMLElement) throws(SAMLError) {
        guard element.attribute("Algorithm") == XMLNamespace.exclusiveC14N else { throw .unsupportedAlgorithm }
        guard element.hasOnlyElements, element.elements.count <= 1,
            element.elements.allSatisfy({ $0.isNamed("InclusiveNamespaces", in: XMLNamespace.exclusiveC14N) })
        else { throw .unsupportedSignature }
    }

    /// An NCName of ASCII. The library makes an XPointer expression of it.
    private static func isID(_ text: String) -> Bool {
        guard text.utf8.count <= maximumIDBytes, let first = text.utf8.first else { return false }
        return (first.isASCIILetter || first == UInt8(ascii: "_")) && text.utf8.allSatisfy(\.isIDByte)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }

    fileprivate var isIDByte: Bool {
        isASCIILetter || (0x30...0x39).contains(self) || "_-.".utf8.contains(self)
    }
}
