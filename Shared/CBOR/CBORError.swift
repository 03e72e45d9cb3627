/// Why bytes are not acceptable CBOR.
package enum CBORError: Error, Equatable, Sendable {
    /// Not well-formed (RFC 8949 appendix F), or ends early.
    case malformed
    /// More bytes follow the item.
    case trailingBytes
    /// A tag, an indefinite length, an unassigned simple value, or a map key that is neither an integer nor a text.
    case unsupported
    /// A number or a length has more bytes than it needs.
    case notShortest
    case duplicateKey
    /// The keys of a map are not in the order of CTAP2.
    case keyOrder
    case tooDeep
    case tooManyItems
    case tooLong
}
