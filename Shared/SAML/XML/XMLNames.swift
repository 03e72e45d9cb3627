/// The namespaces and identifiers that this module reads and writes.
enum XMLNamespace {
    static let assertion = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let `protocol` = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let signature = "http://www.w3.org/2000/09/xmldsig#"
    static let exclusiveC14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
    /// The namespace of the prefix `xml`, which needs no declaration.
    static let xml = "http://www.w3.org/XML/1998/namespace"
}
