internal import COpenSSL

/// A distinguished name (RFC 5280 §4.1.2.4). The grouping of attributes into sets is not kept.
package struct CertificateName: Hashable, Sendable {
    package struct Attribute: Hashable, Sendable {
        package let type: OID
        /// Empty for a value without characters, such as a bit string.
        package let value: String
    }

    /// In the order of the certificate.
    package let attributes: [Attribute]

    package static let commonName: OID = "2.5.4.3"
    package static let country: OID = "2.5.4.6"
    package static let organization: OID = "2.5.4.10"
    package static let organizationalUnit: OID = "2.5.4.11"

    package var isEmpty: Bool { attributes.isEmpty }

    /// The values of all attributes of a type.
    package func values(of type: OID) -> [String] {
        attributes.filter { $0.type == type }.map(\.value)
    }

    /// - Parameter name: an `X509_NAME`.
    init(_ name: OpaquePointer) throws(CertificateError) {
        var attributes: [Attribute] = []
        for index in 0..<max(X509_NAME_entry_count(name), 0) {
            let entry = X509_NAME_get_entry(name, index)
            guard let type = OID(object: X509_NAME_ENTRY_get_object(entry)) else { throw .malformed }
            attributes.append(Attribute(type: type, value: Self.text(of: X509_NAME_ENTRY_get_data(entry))))
        }
        self.attributes = attributes
    }

    /// - Parameter value: an `ASN1_STRING`.
    private static func text(of value: UnsafeMutablePointer<ASN1_STRING>?) -> String {
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, value)
        guard count >= 0, let text else {
            ERR_clear_error()
            return ""
        }
        defer { CRYPTO_free(text, #file, #line) }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }
}

extension OID {
    /// - Parameter object: an `ASN1_OBJECT`.
    /// - Returns: nil for an identifier of more than 127 characters.
    init?(object: OpaquePointer?) {
        var text = [CChar](repeating: 0, count: 128)
        // 1: numbers, never a name.
        let count = Int(OBJ_obj2txt(&text, Int32(text.count), object, 1))
        guard count > 0, count < text.count else { return nil }
        self.init(String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
