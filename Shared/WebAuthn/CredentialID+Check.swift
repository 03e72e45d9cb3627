import Vocabulary

extension CredentialID {
    /// Checks the members that every `PublicKeyCredential` has.
    static func check(_ id: [UInt8], rawID: [UInt8]?, type: String?) throws(WebAuthnError) {
        guard rawID == nil || rawID == id, type == nil || type == "public-key" else { throw .malformedResponse }
        guard byteCounts.contains(id.count) else { throw .credentialIDLength }
    }
}
