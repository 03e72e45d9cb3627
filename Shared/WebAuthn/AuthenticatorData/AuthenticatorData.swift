package import CBOR

/// The signed statement of an authenticator (Web Authentication Level 3 §6.1).
package struct AuthenticatorData: Equatable, Sendable {
    /// As received: signatures cover these bytes.
    package let bytes: [UInt8]
    /// SHA-256 of the RP ID.
    package let relyingPartyIDHash: [UInt8]
    package let flags: AuthenticatorFlags
    package let signCount: UInt32
    /// Present if the AT flag is set.
    package let attestedCredentialData: AttestedCredentialData?
    /// Present if the ED flag is set. Outputs that were not requested must be tolerated.
    package let extensions: CBORMap?

    /// Longer data is rejected. A credential ID of 1023 bytes and an RSA key of 8192 bits need 2.5 KiB.
    package static let maximumBytes = 64 << 10

    /// Throws `malformedAuthenticatorData`, or `malformedKey` if the key is not acceptable CBOR.
    package init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= Self.maximumBytes else { throw .malformedAuthenticatorData }
        var reader = AuthenticatorDataReader(bytes)
        self.bytes = bytes
        relyingPartyIDHash = try reader.read(32)
        flags = AuthenticatorFlags(rawValue: UInt8(truncatingIfNeeded: try reader.readNumber(bytes: 1)))
        signCount = UInt32(truncatingIfNeeded: try reader.readNumber(bytes: 4))
        attestedCredentialData =
            flags.contains(.attestedCredentialData) ? try AttestedCredentialData(&reader) : nil
        if flags.contains(.extensionData) {
            let item = try reader.readItem(CBORDecoder(), orThrow: .malformedAuthenticatorData)
            guard case .map(let extensions) = item.value else { throw .malformedAuthenticatorData }
            self.extensions = extensions
        } else {
            extensions = nil
        }
        guard reader.isAtEnd else { throw .malformedAuthenticatorData }
    }
}

/// A new credential inside the authenticator data (Web Authentication Level 3 §6.5.1).
package struct AttestedCredentialData: Equatable, Sendable {
    package let aaguid: AAGUID
    /// It has any length: registration checks it.
    package let credentialID: [UInt8]
    /// The COSE key as received, in canonical CBOR. `CredentialPublicKey` parses it.
    package let publicKey: [UInt8]

    init(_ reader: inout AuthenticatorDataReader) throws(WebAuthnError) {
        guard let aaguid = AAGUID(try reader.read(AAGUID.byteCount)) else { throw .malformedAuthenticatorData }
        self.aaguid = aaguid
        credentialID = try reader.read(Int(try reader.readNumber(bytes: 2)))
        publicKey = try reader.readItem(CredentialPublicKey.decoder, orThrow: .malformedKey).encoded
    }
}
