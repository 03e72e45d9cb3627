public import Foundation

/// A request to sign in with a passkey (Web Authentication Level 3, 5.5), valid for five minutes and one response.
public struct PasskeyAssertionRequest: Hashable, Sendable {
    /// The domain that the passkey belongs to.
    public var relyingPartyID: String
    /// The bytes that the authenticator signs.
    public var challenge: Data
    /// The passkeys that the user may choose; empty for any of the relying party.
    public var allowedCredentialIDs: [Data]
    /// `required` or `preferred`: whether the authenticator must verify the user.
    public var userVerification: String

    init(_ options: StartPasskeySignInRequest.Options) throws(AuthErrorCode) {
        relyingPartyID = options.rpId
        challenge = try Data(passkeyField: options.challenge)
        allowedCredentialIDs = try PasskeyDescriptor.credentialIDs(options.allowCredentials)
        userVerification = options.userVerification ?? "preferred"
    }
}

/// The response of an authenticator to a ``PasskeyAssertionRequest``, for
/// ``Auth/finalizePasskeySignIn(withPlatformCredential:)``.
public struct PasskeyAssertion: Hashable, Sendable {
    /// The ID of the passkey.
    public var credentialID: Data
    /// What the client signed, as JSON (Web Authentication Level 3, 5.8.1).
    public var clientDataJSON: Data
    /// What the authenticator signed (Web Authentication Level 3, 6.1).
    public var authenticatorData: Data
    /// The signature of both.
    public var signature: Data
    /// ``PasskeyRegistrationRequest/userID`` of the passkey; nil if the authenticator did not return it.
    public var userID: Data?

    /// The response of an authenticator.
    public init(
        credentialID: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data, userID: Data? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userID = userID
    }
}
