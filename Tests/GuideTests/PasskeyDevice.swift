import Foundation
import LatchkeyAuth
import Synchronization
import TestSupport
import Vocabulary

/// A device with its user: it creates one passkey, and offers the credentials that the user has.
final class PasskeyDevice: Sendable {
    private let authenticator: Mutex<SoftwareAuthenticator>
    private let chosenKind = Mutex(CredentialRequest.Kind.passkey)
    /// The stored password.
    let person: TestUser
    /// Signs the ID token of Apple for a nonce.
    private let appleToken: @Sendable (_ hashedNonce: String) throws -> String

    init(
        person: TestUser, appleToken: @escaping @Sendable (_ hashedNonce: String) throws -> String = { _ in "" }
    ) throws {
        authenticator = Mutex(try SoftwareAuthenticator(origin: "https://localhost"))
        self.person = person
        self.appleToken = appleToken
    }

    /// The credential that the user chooses from a combined request.
    func choose(_ kind: CredentialRequest.Kind) { chosenKind.withLock { $0 = kind } }

    func createPasskey(_ request: PasskeyRegistrationRequest) throws -> PasskeyRegistration {
        try authenticator.withLock { try $0.register(request) }
    }

    func usePasskey(_ request: PasskeyAssertionRequest) throws -> PasskeyAssertion {
        try authenticator.withLock { try $0.authenticate(request) }
    }

    /// - Returns: nil if the request shows nothing without a credential, and the device has none.
    func credential(for request: CredentialRequest) throws -> CombinedCredential? {
        let kind = chosenKind.withLock { $0 }
        guard request.kinds.contains(kind) else { throw UnexpectedKindError() }
        switch kind {
        case .passkey:
            let own = authenticator.withLock { $0.userHandle == nil ? nil : Data($0.credentialID.bytes) }
            let allowed = request.passkey.allowedCredentialIDs
            guard let own, allowed.isEmpty || allowed.contains(own) else {
                guard request.presentation == .sheetIfAvailable else { throw UnexpectedKindError() }
                return nil
            }
            return .passkey(try usePasskey(request.passkey))
        case .password: return .password(email: person.email, password: person.password)
        case .apple:
            return .apple(idToken: try appleToken(request.hashedNonce), rawNonce: request.rawNonce)
        }
    }
}

/// The request does not offer the credential that the user has.
struct UnexpectedKindError: Error {}
