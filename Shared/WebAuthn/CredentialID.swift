/// The identifier of a credential, chosen by the authenticator.
enum CredentialID {
    /// Web Authentication Level 3 §7.1 step 25; an empty one identifies nothing.
    static let byteCounts = 1...1023

    /// Checks the members that every `PublicKeyCredential` has.
    static func check(_ id: [UInt8], rawID: [UInt8]?, type: String?) throws(WebAuthnError) {
        guard rawID == nil || rawID == id, type == nil || type == "public-key" else { throw .malformedResponse }
        guard byteCounts.contains(id.count) else { throw .credentialIDLength }
    }
}
