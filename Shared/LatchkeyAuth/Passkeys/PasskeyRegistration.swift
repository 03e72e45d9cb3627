public import Foundation

/// A request to create a passkey (Web Authentication Level 3, 5.4), valid for five minutes.
public struct PasskeyRegistrationRequest: Hashable, Sendable {
    /// The domain that the passkey belongs to.
    public var relyingPartyID: String
    /// The name of the relying party for the user.
    public var relyingPartyName: String
    /// The bytes that the authenticator signs.
    public var challenge: Data
    /// Identifies the account to the authenticator: at most 64 bytes, not the `uid`.
    public var userID: Data
    /// The name under which the system lists the passkey: the e-mail address, or another text of the account.
    public var name: String
    /// The name of the user.
    public var displayName: String
    /// The passkeys that the account has. Their authenticators create no second one.
    public var excludedCredentialIDs: [Data]
    /// `required` or `preferred`: whether the authenticator must verify the user.
    public var userVerification: String

    init(_ options: StartPasskeyEnrollmentRequest.Options) throws(AuthErrorCode) {
        relyingPartyID = options.rp.id
        relyingPartyName = options.rp.name
        challenge = try Data(passkeyField: options.challenge)
        userID = try Data(passkeyField: options.user.id)
        name = options.user.name
        displayName = options.user.displayName
        excludedCredentialIDs = try PasskeyDescriptor.credentialIDs(options.excludeCredentials)
        userVerification = options.authenticatorSelection?.userVerification ?? "preferred"
    }
}

/// A passkey that an authenticator has created, for ``User/finalizePasskeyEnrollment(withPlatformCredential:)``.
public struct PasskeyRegistration: Hashable, Sendable {
    /// The ID of the passkey.
    public var credentialID: Data
    /// What the client signed, as JSON (Web Authentication Level 3, 5.8.1).
    public var clientDataJSON: Data
    /// The public key and what the authenticator says about it, as CBOR (Web Authentication Level 3, 6.5).
    public var attestationObject: Data

    /// The response of an authenticator.
    public init(credentialID: Data, clientDataJSON: Data, attestationObject: Data) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
    }
}

/// A passkey of an account.
public struct PasskeyInfo: Hashable, Sendable {
    /// The ID of the passkey in base64, for ``User/unenrollPasskey(withCredentialID:)``.
    public let credentialID: String
    /// The name that the user or the server gave it.
    public let name: String?

    init(_ record: AccountRecord.PasskeyRecord) {
        credentialID = record.credentialId
        name = record.name
    }
}
