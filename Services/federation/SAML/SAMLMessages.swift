import Blocking
import Contracts
import Crypto
import FoundationEssentials
import SAML
import Vocabulary

/// Requests to SAML providers, their responses, and the keys that sign the requests. All of it uses processor time in C
/// libraries, so that it runs on threads of its own.
struct SAMLMessages: Sendable {
    let now: @Sendable () -> Moment
    let store: FederationStore
    private let threads = BlockingPool(label: "saml", threads: 2, maximumWaiting: 64)

    private static let keyBits = 2048
    private static let certificateSeconds: Int64 = 10 * 365 * 86_400

    // MARK: Sign-in

    /// The address of the provider's page, with an authentication request.
    func requestURL(
        for provider: Federation.Provider, _ saml: Federation.Provider.SAML, state: String, in realm: Realm
    ) async throws -> String {
        guard let destination = WebURL(saml.signOnURL) else {
            throw ServiceError(.providerUnavailable, "The provider has no sign-on URL.")
        }
        let request = AuthenticationRequest(
            id: store.browserSignInSecrets.requestID(ofState: state), issuedAt: now().timestamp,
            destination: destination,
            issuer: saml.serviceProviderEntityID, callbackURL: saml.callbackURL)
        let key = saml.signsRequests ? try await store.signingKey(of: provider.id, in: realm) : nil
        if saml.signsRequests, key == nil { throw ServiceError(.providerDisabled, "the provider has no signing key") }
        return try await run {
            try request.url(relayState: state, signingKey: key.map(Self.signingKey))
        }
    }

    /// Verifies the response to the request of a state. An assertion is accepted once.
    /// - Throws: `invalidProviderResponse` with the reason, `duplicateProviderCredential`.
    func verify(
        _ text: Secret<String>, of provider: Federation.Provider, _ saml: Federation.Provider.SAML, state: String,
        in realm: Realm
    ) async throws -> VerifiedSignIn {
        let secrets = store.browserSignInSecrets
        let now = now().timestamp
        let assertion = try await run {
            do {
                return try SAMLResponseVerifier(
                    issuer: saml.entityID, certificates: saml.certificates.map(SAMLCertificate.init),
                    audience: saml.serviceProviderEntityID, callbackURL: saml.callbackURL,
                    requestID: secrets.requestID(ofState: state)
                ).verify(text.reveal(), at: now)
            } catch let error as SAMLError {
                throw error.serviceError
            }
        }
        let digest = secrets.assertionDigest(realm: realm, providerID: provider.id, id: assertion.id)
        guard try await store.recordUse(ofCredential: digest, until: Moment(assertion.acceptableUntil)) else {
            throw ServiceError(.duplicateProviderCredential)
        }
        return VerifiedSignIn(
            profile: Federation.ProviderProfile(assertion, of: provider.id, saml), credential: .init())
    }

    // MARK: Signing keys

    /// A key that signs requests to one provider, and its certificate.
    struct SigningKey: Sendable {
        /// Base64 of a PKCS #8 PrivateKeyInfo.
        var text: Secret<String>
        var certificate: Federation.Provider.SAML.SigningCertificate
    }

    /// - Parameter providerID: the common name of the certificate.
    func generateSigningKey(of providerID: String) async throws -> SigningKey {
        let now = now().timestamp
        return try await run {
            let key = try PrivateKey.generateRSA(bits: Self.keyBits)
            let end = now + Self.certificateSeconds
            let certificate = try key.selfSignedCertificate(
                commonName: providerID, notBefore: now.seconds, notAfter: end.seconds)
            return SigningKey(
                text: Secret(Data(try key.pkcs8DER).base64EncodedString()),
                certificate: .init(certificate: certificate, expiresAt: end))
        }
    }

    private static func signingKey(_ text: Secret<String>) throws -> PrivateKey {
        guard let der = Data(base64Encoded: text.reveal()) else { throw CryptoError.malformedKey }
        return try PrivateKey(pkcs8DER: Array(der))
    }

    private func run<Result: Sendable>(_ body: @Sendable @escaping () throws -> Result) async throws -> Result {
        do {
            return try await threads.run(body)
        } catch is BlockingPool.OverloadedError {
            throw ServiceError.overloaded
        }
    }
}

extension SAMLError {
    /// The error for clients. It shows no value of the response.
    var serviceError: ServiceError {
        self == .unavailable
            ? ServiceError(.providerUnavailable, explanation) : ServiceError(.invalidProviderResponse, explanation)
    }
}

extension ServiceError {
    /// A response without a request of ours: an attacker could sign a user in to the attacker's account with it.
    static let unsolicitedResponse = ServiceError(
        .invalidProviderResponse,
        "The SAML response has no RelayState of this service. Sign-ins that start at the provider are not available.")
}
