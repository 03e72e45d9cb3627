import CBOR

/// Reads the fields of authenticator data one after the other.
struct AuthenticatorDataReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func read(_ count: Int) throws(WebAuthnError) -> [UInt8] {
        guard count <= rest.count else { throw .malformedAuthenticatorData }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Reads a big-endian number of at most 4 bytes.
    mutating func readNumber(bytes count: Int) throws(WebAuthnError) -> UInt32 {
        try read(count).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Reads one CBOR item.
    mutating func readItem(
        _ decoder: CBORDecoder, orThrow error: WebAuthnError
    ) throws(WebAuthnError) -> (value: CBORValue, encoded: [UInt8]) {
        let value: CBORValue
        let byteCount: Int
        do throws(CBORError) {
            (value, byteCount) = try decoder.decodeFirst(of: Array(rest))
        } catch _ {
            throw error
        }
        return (value, try read(byteCount))
    }
}
