#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    internal import Foundation

    // Apple's systems only: this file is not compiled on Linux.

    /// Receives the request that creates a passkey.
    public typealias PasskeyRegistrationRequestCompletion =
        @MainActor @Sendable (
            ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest?, (any Error)?
        ) -> Void

    /// Receives the request to sign in with a passkey.
    public typealias PasskeyAssertionRequestCompletion =
        @MainActor @Sendable (
            ASAuthorizationPlatformPublicKeyCredentialAssertionRequest?, (any Error)?
        ) -> Void

    extension User {
        /// Begins to add a passkey.
        /// - Throws: as ``passkeyRegistrationRequest(withName:)``.
        public func startPasskeyEnrollment(
            withName name: String?
        ) async throws -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            try await passkeyRegistrationRequest(withName: name).platformRequest
        }

        /// Adds the passkey that the system has created.
        /// - Throws: as the form with ``PasskeyRegistration``.
        @discardableResult
        public func finalizePasskeyEnrollment(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialRegistration
        ) async throws -> AuthDataResult {
            try await finalizePasskeyEnrollment(withPlatformCredential: PasskeyRegistration(credential))
        }

        /// The form with a completion handler.
        public func startPasskeyEnrollment(
            withName name: String?, completion: PasskeyRegistrationRequestCompletion?
        ) {
            Task { @MainActor in
                do {
                    let request = try await self.passkeyRegistrationRequest(withName: name)
                    completion?(request.platformRequest, nil)
                } catch {
                    completion?(nil, error)
                }
            }
        }

        /// The form with a completion handler.
        public func finalizePasskeyEnrollment(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialRegistration,
            completion: AuthDataResultCompletion?
        ) {
            finalizePasskeyEnrollment(
                withPlatformCredential: PasskeyRegistration(credential), completion: completion)
        }
    }

    extension Auth {
        /// Begins a sign-in with a passkey.
        /// - Throws: as ``passkeyAssertionRequest(forUserName:)``.
        public func startPasskeySignIn() async throws -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
            try await passkeyAssertionRequest().platformRequest
        }

        /// Signs a user in with the passkey of the system.
        /// - Throws: as the form with ``PasskeyAssertion``.
        @discardableResult
        public func finalizePasskeySignIn(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialAssertion
        ) async throws -> AuthDataResult {
            try await finalizePasskeySignIn(withPlatformCredential: PasskeyAssertion(credential))
        }

        /// The form with a completion handler.
        public func startPasskeySignIn(completion: PasskeyAssertionRequestCompletion?) {
            Task { @MainActor in
                do {
                    let request = try await self.passkeyAssertionRequest()
                    completion?(request.platformRequest, nil)
                } catch {
                    completion?(nil, error)
                }
            }
        }

        /// The form with a completion handler.
        public func finalizePasskeySignIn(
            withPlatformCredential credential: ASAuthorizationPlatformPublicKeyCredentialAssertion,
            completion: AuthDataResultCompletion?
        ) {
            finalizePasskeySignIn(withPlatformCredential: PasskeyAssertion(credential), completion: completion)
        }
    }

    // MARK: - Values

    extension PasskeyRegistrationRequest {
        /// The request for the system. The system excludes no passkeys before macOS 13.5 and iOS 17.4.
        public var platformRequest: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: relyingPartyID
            ).createCredentialRegistrationRequest(challenge: challenge, name: name, userID: userID)
            request.displayName = displayName
            request.userVerificationPreference = .init(rawValue: userVerification)
            if #available(iOS 17.4, macOS 13.5, tvOS 17.4, visionOS 1.1, *) {
                request.excludedCredentials = excludedCredentialIDs.map(
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor.init(credentialID:))
            }
            return request
        }
    }

    extension PasskeyAssertionRequest {
        /// The request for the system.
        public var platformRequest: ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: relyingPartyID
            ).createCredentialAssertionRequest(challenge: challenge)
            request.allowedCredentials = allowedCredentialIDs.map(
                ASAuthorizationPlatformPublicKeyCredentialDescriptor.init(credentialID:))
            request.userVerificationPreference = .init(rawValue: userVerification)
            return request
        }
    }

    extension PasskeyRegistration {
        /// The passkey that the system has created.
        public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration) {
            self.init(
                credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                attestationObject: credential.rawAttestationObject ?? Data())
        }
    }

    extension PasskeyAssertion {
        /// The response of the system.
        public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
            self.init(
                credentialID: credential.credentialID, clientDataJSON: credential.rawClientDataJSON,
                authenticatorData: credential.rawAuthenticatorData, signature: credential.signature,
                userID: credential.userID)
        }
    }
#endif
