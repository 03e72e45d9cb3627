internal import COpenSSL

/// One element of DER (ITU-T X.690), for structures for which OpenSSL has no type, such as extensions of vendors.
/// OpenSSL reads the tag and the length.
package struct ASN1Element: Equatable, Sendable {
    package enum Tag: Equatable, Sendable {
        /// A tag of the class "universal".
        case integer, octetString, enumerated, sequence, set
        /// A tag of the class "context-specific", with its number.
        case context(Int)
        /// All others.
        case other
    }

    package let tag: Tag
    package let isConstructed: Bool
    /// Without tag and length.
    package let content: [UInt8]

    /// Parses one element that uses all of `der`.
    /// - Returns: nil if it is not exactly one element of definite length.
    package init?(der: [UInt8]) {
        guard let (element, count) = Self.first(of: der[...]), count == der.count else { return nil }
        self = element
    }

    /// The elements of a constructed element.
    /// - Parameter maximum: of their number.
    /// - Returns: nil if the element is primitive, or its content is not a list of at most `maximum` elements.
    package func children(maximum: Int) -> [ASN1Element]? {
        guard isConstructed else { return nil }
        var children: [ASN1Element] = []
        var rest = content[...]
        while !rest.isEmpty {
            guard children.count < maximum, let (child, count) = Self.first(of: rest) else { return nil }
            children.append(child)
            rest = rest.dropFirst(count)
        }
        return children
    }

    /// The value of an `INTEGER` or `ENUMERATED`.
    /// - Returns: nil for another tag, and for a value that is negative or has more than 63 bits.
    package var unsignedValue: Int? {
        guard tag == .integer || tag == .enumerated, !isConstructed, content.count <= 8,
            let first = content.first, first < 0x80
        else { return nil }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }

    private init(tag: Tag, isConstructed: Bool, content: [UInt8]) {
        self.tag = tag
        self.isConstructed = isConstructed
        self.content = content
    }

    /// - Returns: the element and the number of its bytes, including tag and length.
    private static func first(of der: ArraySlice<UInt8>) -> (ASN1Element, Int)? {
        der.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = start
            var length = 0
            var number: Int32 = 0
            var tagClass: Int32 = 0
            let code = ASN1_get_object(&position, &length, &number, &tagClass, bytes.count)
            // 0x80: error, including a length beyond the end. 1: indefinite length, which DER does not have.
            guard code & 0x80 == 0, code & 1 == 0, let content = position else {
                ERR_clear_error()
                return nil
            }
            let element = ASN1Element(
                tag: tag(tagClass, number), isConstructed: code & V_ASN1_CONSTRUCTED != 0,
                content: Array(UnsafeBufferPointer(start: content, count: length)))
            return (element, content - start + length)
        }
    }

    private static func tag(_ tagClass: Int32, _ number: Int32) -> Tag {
        switch (tagClass, number) {
        case (V_ASN1_UNIVERSAL, V_ASN1_INTEGER): .integer
        case (V_ASN1_UNIVERSAL, V_ASN1_OCTET_STRING): .octetString
        case (V_ASN1_UNIVERSAL, V_ASN1_ENUMERATED): .enumerated
        case (V_ASN1_UNIVERSAL, V_ASN1_SEQUENCE): .sequence
        case (V_ASN1_UNIVERSAL, V_ASN1_SET): .set
        case (V_ASN1_CONTEXT_SPECIFIC, let number): .context(Int(number))
        default: .other
        }
    }
}
