package import Vocabulary

extension Federation.Provider {
    /// A SAML 2.0 identity provider (REST 5.3, `inboundSamlConfigs`), and this service as its service provider.
    package struct SAML: Codable, Equatable, Sendable {
        /// A certificate of this service, for the configuration of the identity provider.
        package struct SigningCertificate: Codable, Equatable, Sendable {
            /// PEM.
            package var certificate: String
            package var expiresAt: Timestamp

            package init(certificate: String, expiresAt: Timestamp) {
                self.certificate = certificate
                self.expiresAt = expiresAt
            }
        }

        package var displayName: String?
        /// `idpEntityId`
        package var entityID: String
        /// `ssoUrl`: where browsers are sent with an authentication request.
        package var signOnURL: String
        /// Authentication requests are signed with a key that federation creates.
        package var signsRequests: Bool
        /// Each PEM, or the Base64 of the DER form. Responses must be signed with the key of one of them.
        package var certificates: [String]
        /// `spEntityId`
        package var serviceProviderEntityID: String
        /// `callbackUri`, the assertion consumer service: where the provider posts its response to.
        package var callbackURL: String
        /// The e-mail domains for which the provider is authoritative; `*`: all.
        package var authoritativeDomains: [String]
        /// The certificates of `signsRequests`. Federation sets it; in a request it is ignored.
        package var signingCertificates: [SigningCertificate]

        package init(
            displayName: String? = nil, entityID: String, signOnURL: String, signsRequests: Bool = false,
            certificates: [String], serviceProviderEntityID: String, callbackURL: String,
            authoritativeDomains: [String] = [], signingCertificates: [SigningCertificate] = []
        ) {
            self.displayName = displayName
            self.entityID = entityID
            self.signOnURL = signOnURL
            self.signsRequests = signsRequests
            self.certificates = certificates
            self.serviceProviderEntityID = serviceProviderEntityID
            self.callbackURL = callbackURL
            self.authoritativeDomains = authoritativeDomains
            self.signingCertificates = signingCertificates
        }
    }
}
