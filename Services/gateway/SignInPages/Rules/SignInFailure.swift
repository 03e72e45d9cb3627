import Contracts
import Pages
import Vocabulary

/// Why a sign-in on a page failed. Applications and users get texts of this list only, never those of the provider
/// (security rule FE18).
enum SignInFailure: String, Error, CaseIterable, Sendable {
    /// The user ended the sign-in at the provider.
    case canceled = "auth/user-cancelled"
    /// The provider, or the verification of its response, reports an error.
    case refused = "auth/invalid-credential"
    case providerUnreachable = "auth/network-request-failed"
    /// The project does not offer the provider.
    case notOffered = "auth/operation-not-allowed"
    /// The host of the page is not an authorized domain.
    case unauthorizedDomain = "auth/unauthorized-domain"
    /// The application has another client ID than the registered one.
    case invalidClient = "auth/invalid-oauth-client-id"
    case tooManyRequests = "auth/too-many-requests"
    case `internal` = "auth/internal-error"

    /// - Parameter providerError: the parameter `error` of the response (RFC 6749 4.1.2.1).
    init(providerError code: String) {
        let canceled: Set = ["access_denied", "user_cancelled_authorize", "user_cancelled_login"]
        let unavailable: Set = ["temporarily_unavailable", "server_error"]
        self = canceled.contains(code) ? .canceled : unavailable.contains(code) ? .providerUnreachable : .refused
    }

    init(_ error: ServiceError) {
        let failure = Self.codes.first { $0.codes.contains(error.code) }?.failure
        self = failure ?? .internal
    }

    private static let codes: [(codes: Set<WireError.Code>, failure: SignInFailure)] = [
        (
            [.providerUnavailable, .unavailable, .overloaded, .deadlineExceeded, .requestBlocked],
            .providerUnreachable
        ),
        (
            [.providerNotFound, .providerDisabled, .projectDisabled, .tenantNotFound, .unsupportedTenantOperation],
            .notOffered
        ),
        (
            [
                .invalidProviderResponse, .invalidProviderCredential, .missingNonce, .nonceMismatch,
                .duplicateProviderCredential,
            ], .refused
        ),
        ([.unauthorizedDomain, .invalidContinueURL], .unauthorizedDomain),
        ([.tooManyAttempts, .quotaExceeded], .tooManyRequests),
    ]

    /// For applications.
    var message: String {
        switch self {
        case .canceled: "The user did not sign in at the provider."
        case .refused: "The provider reports an error, or its response is not valid."
        case .providerUnreachable: "The provider or the service cannot be reached."
        case .notOffered: "The provider is not configured or not enabled in this project."
        case .unauthorizedDomain: "The host of this page is not an authorized domain of the project."
        case .invalidClient: "The OAuth client ID or app ID is not that of this application."
        case .tooManyRequests: "Too many attempts. Try again later."
        case .internal: "Internal error encountered."
        }
    }

    /// For users.
    func text(in texts: PageTexts) -> PageTexts.Message {
        switch self {
        case .canceled: texts.providerSignIn.canceled
        case .refused: texts.providerSignIn.refused
        case .providerUnreachable: texts.providerSignIn.unreachable
        case .notOffered: texts.providerSignIn.notOffered
        case .unauthorizedDomain, .invalidClient: texts.providerSignIn.unknownApp
        case .tooManyRequests: texts.tooManyAttempts
        case .internal: texts.unavailable
        }
    }

    /// The status of the page.
    var status: Int {
        switch self {
        case .canceled: 200
        case .refused, .notOffered, .unauthorizedDomain, .invalidClient: 400
        case .tooManyRequests: 429
        case .providerUnreachable: 503
        case .internal: 500
        }
    }
}
