/// A defect of a request that the gateway finds before it calls a service. `ErrorMap.swift` maps each to its response.
enum RequestError: CaseIterable, Sendable {
    case invalidProjectID
    // Tokens.
    case missingGrantType
    case invalidGrantType
    // Accounts.
    /// A client that signs up cannot choose the account id.
    case unexpectedAccountID
    case unsupportedUpdateParameters
    case disablingOwnAccount
    case invalidProviderID
    // Identity providers.
    case missingRequestURL
    case invalidRequestURL
    case missingProviderConfiguration
    case missingProviderConfigurationID
    case invalidProviderConfigurationID
    case providerConfigurationNotFound
    case missingOAuthClientID
    case missingOAuthClientSecret
    case missingIssuer
    case missingSAMLRelyingParty
    // E-mail actions.
    case missingRequestType
    case invalidRequestType
    case invalidLink
    // Second factors.
    case missingPendingCredential
    /// At the end of a sign-in, where the protocol has another code for it.
    case missingPendingCredentialOfSignIn
    case missingFactorID
    // Public configuration.
    case invalidOAuthClientID
    case invalidAppID
    case invalidCertificateHash
    case missingClientType
    case missingRecaptchaVersion
    case invalidRecaptchaVersion
    // Tenants.
    case invalidTenantType
    case invalidPageToken
}
