import Contracts
import Crypto
import Vocabulary

/// Identifiers that a secret of the service determines: the same input always gives the same one, and nothing is stored
/// for it.
struct DerivedIdentifiers: Sendable {
    let key: [UInt8]

    /// The user handle of an account: 32 bytes that reveal nothing (security rule WR25).
    func userHandle(of account: AccountID, in realm: Realm) -> OctetString {
        OctetString(digest("user-handle", realm, account.rawValue))
    }

    /// Credentials for the allow list of a name without passkeys: one or two, the same ones each time, with common
    /// lengths and transports (security rule EN5).
    func falseCredentials(
        for name: String, in realm: Realm, of relyingParty: RelyingPartyID
    ) -> [Passkey.CredentialDescriptor] {
        let seed = digest("false-credentials", realm, relyingParty.rawValue, name)
        // Most accounts have one passkey.
        let count = seed[0] < 64 ? 2 : 1
        return (1...count).compactMap { number in
            let model = Self.models[Int(seed[number]) % Self.models.count]
            let bytes = HMAC.sha512(key: seed, message: [UInt8(number)]).prefix(model.idBytes)
            return CredentialID(Array(bytes)).map { .init(id: $0, transports: model.transports) }
        }
    }

    /// Credential IDs and transports of common authenticators. Some client libraries do not report transports.
    private static let models: [(idBytes: Int, transports: [String])] = [
        (20, ["hybrid", "internal"]), (20, []),  // Passwords of Apple.
        (16, ["hybrid", "internal"]), (16, []),  // Password managers.
        (32, ["internal"]), (32, []),  // Platform authenticators.
        (48, ["nfc", "usb"]), (64, ["usb"]),  // Security keys.
    ]

    /// The digest of a request, so that it is recognized when it comes again.
    func digest(ofRequest request: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: key, message: Array("request/".utf8) + request)
    }

    private func digest(_ label: String, _ realm: Realm, _ fields: String...) -> [UInt8] {
        let fields = [label, realm.project.rawValue, realm.tenant?.rawValue ?? ""] + fields
        // Each field with its length, so that no two lists give the same text.
        let text = fields.map { "\($0.utf8.count):\($0)," }.joined()
        return HMAC.sha256(key: key, message: Array(text.utf8))
    }
}
