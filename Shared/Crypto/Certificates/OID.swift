/// An object identifier (ITU-T X.660) in dotted decimal form, such as `2.5.4.3`.
package struct OID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let description: String

    package init(_ dotted: String) { description = dotted }

    package init(stringLiteral dotted: String) { description = dotted }
}
