/// Why a response of an identity provider is rejected. No case contains text of the response.
package enum SAMLError: Error, Equatable, Sendable {
    // MARK: The document

    /// Not Base64 of one well-formed XML document in UTF-8, or not a SAML 2.0 response.
    case malformed
    /// More bytes, elements or levels than the limits of `XMLDocument`.
    case tooLarge
    case documentType
    /// A comment, a processing instruction or a CDATA section.
    case forbiddenContent
    case duplicateID
    /// Not exactly one assertion, as a child of the response.
    case assertionCount
    case encrypted

    // MARK: The signature

    case unsigned
    /// A signature has another form than this module verifies, or another place.
    case unsupportedSignature
    /// An algorithm or transform is not among the allowed ones.
    case unsupportedAlgorithm
    /// The signature is of no configured certificate, or the content was changed.
    case invalidSignature

    // MARK: The content

    case failedStatus(SAMLStatus)
    case wrongIssuer
    case wrongDestination
    case wrongRecipient
    case wrongAudience
    /// Not the response to the request of this sign-in.
    case wrongRequest
    case expired
    case notYetValid
    /// No valid bearer confirmation of the subject.
    case unconfirmedSubject
    /// No name identifier, or an empty or too long one.
    case invalidSubject
    /// The name identifier is another one at each sign-in.
    case transientSubject
    /// A condition that this module cannot evaluate (SAML Core 2.5.1.1).
    case unsupportedCondition
    /// No statement that the user has authenticated.
    case unauthenticated

    /// The libraries cannot start, or have no memory.
    case unavailable
}

/// The status codes of a response that the provider could not or would not give (SAML Core 3.2.2.2).
package enum SAMLStatus: String, CaseIterable, Sendable {
    case authenticationFailed = "AuthnFailed"
    case noAuthenticationContext = "NoAuthnContext"
    case noPassive = "NoPassive"
    case invalidNameIDPolicy = "InvalidNameIDPolicy"
    case requestDenied = "RequestDenied"
    case requestUnsupported = "RequestUnsupported"
    case unknownPrincipal = "UnknownPrincipal"
    case requester = "Requester"
    case responder = "Responder"
    case versionMismatch = "VersionMismatch"
    case other
}

extension SAMLError {
    /// For the client and the log.
    package var explanation: String {
        switch self {
        case .malformed: "The SAML response is malformed."
        case .tooLarge: "The SAML response is too large."
        case .documentType: "The SAML response has a document type declaration."
        case .forbiddenContent: "The SAML response contains a comment, a processing instruction or a CDATA section."
        case .duplicateID: "The SAML response contains an ID twice."
        case .assertionCount: "The SAML response does not contain exactly one assertion."
        case .encrypted: "The SAML response is encrypted. Disable encryption of assertions at the provider."
        case .unsigned: "Neither the SAML response nor its assertion is signed."
        case .unsupportedSignature: "The signature of the SAML response has an unsupported form."
        case .unsupportedAlgorithm:
            "The signature of the SAML response uses an algorithm that is not allowed, for example SHA-1."
        case .invalidSignature: "The signature of the SAML response is not valid for the configured certificates."
        case .failedStatus(let status):
            status == .other
                ? "The provider reports an error." : "The provider reports the SAML status \(status.rawValue)."
        case .wrongIssuer: "The issuer of the SAML response is not the configured idpEntityId."
        case .wrongDestination: "The destination of the SAML response is not the configured callbackUri."
        case .wrongRecipient: "The recipient of the SAML assertion is not the configured callbackUri."
        case .wrongAudience: "The audience of the SAML assertion is not the configured spEntityId."
        case .wrongRequest: "The SAML response belongs to another request."
        case .expired: "The SAML assertion is expired."
        case .notYetValid: "The SAML assertion is not valid yet."
        case .unconfirmedSubject: "The SAML assertion has no bearer confirmation of its subject."
        case .invalidSubject: "The SAML assertion has no valid NameID."
        case .transientSubject:
            "The NameID of the SAML assertion is transient. Configure a persistent NameID at the provider."
        case .unsupportedCondition: "The SAML assertion has an unsupported condition."
        case .unauthenticated: "The SAML assertion contains no authentication statement."
        case .unavailable: "SAML responses cannot be verified at present."
        }
    }
}
