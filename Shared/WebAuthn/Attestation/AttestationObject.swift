package import CBOR

/// The result of a registration (Web Authentication Level 3 §6.5): an attestation statement and the data it covers.
package struct AttestationObject: Equatable, Sendable {
    /// `fmt`, which may be unknown.
    package let formatIdentifier: String
    /// `attStmt`
    package let statement: CBORMap
    package let authenticatorData: AuthenticatorData

    package static let maximumBytes = 256 << 10

    /// Parses the CBOR map. Other members are ignored.
    package init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard let item = try? CBORDecoder(maximumBytes: Self.maximumBytes).decode(bytes), case .map(let map) = item,
            let format = map["fmt"]?.text, let statement = map["attStmt"]?.map, let data = map["authData"]?.bytes
        else { throw .malformedAttestationObject }
        formatIdentifier = format
        self.statement = statement
        authenticatorData = try AuthenticatorData(data)
    }
}
