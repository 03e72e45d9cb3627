import Foundation

/// Decides how a request that sends an SMS gets its app credential. The credential is the first of these that exists:
/// a pair of an earlier push, the pair of a new push, the token of the page, none.
struct AppVerificationFlow: Sendable {
    /// What the application can present.
    struct Capabilities: Sendable {
        /// ``AuthSettings/isAppVerificationDisabledForTesting``.
        var isDisabledForTesting = false
        /// The pair of an earlier push.
        var cachedPair: PushPair?
        var token: APNSToken?
        /// Whether a delegate can show the page.
        var hasPage = false
    }

    /// What to do next.
    enum Step: Equatable, Sendable {
        case send(AppCredential)
        /// `accounts:verifyIosClient`.
        case requestPush(APNSToken)
        case awaitPush(receipt: String, timeout: Duration)
        case showPage
        case fail(AuthErrorCode)
    }

    private let capabilities: Capabilities
    private var isRepeated = false

    init(_ capabilities: Capabilities) { self.capabilities = capabilities }

    /// The first step.
    func start() -> Step {
        if capabilities.isDisabledForTesting { return .send(AppCredential()) }
        if let pair = capabilities.cachedPair { return .send(AppCredential(pair)) }
        return fetch()
    }

    private func fetch() -> Step {
        if let token = capabilities.token { return .requestPush(token) }
        // The server decides whether it requires a credential: in dev mode it does not.
        return capabilities.hasPage ? .showPage : .send(AppCredential())
    }

    /// The server has sent a push to the device.
    func pushRequested(_ response: VerifyIosClientRequest.Response) -> Step {
        .awaitPush(receipt: response.receipt, timeout: response.timeout)
    }

    /// The server has sent no push.
    func pushRefused(_ error: AuthErrorCode) -> Step {
        let isReasonForPage = error.code == .missingAppToken || error.code == .invalidAppCredential
        return isReasonForPage && capabilities.hasPage ? .showPage : .fail(error)
    }

    /// The push has arrived, or the time has passed.
    /// - Parameter secret: nil: the push has not arrived. The receipt alone proves nothing.
    func pushEnded(receipt: String, secret: String?) -> Step {
        if let secret { return .send(AppCredential(PushPair(receipt: receipt, secret: secret))) }
        return capabilities.hasPage ? .showPage : .fail(AuthErrorCode(.notificationNotForwarded))
    }

    /// The server has refused the credential with `INVALID_APP_CREDENTIAL`. A pair is repeated once with a new one: the
    /// server accepts each for one code.
    mutating func credentialRefused(_ credential: AppCredential, _ error: AuthErrorCode) -> Step {
        guard credential.iosReceipt != nil, !isRepeated else { return .fail(error) }
        isRepeated = true
        return fetch()
    }
}

/// The receipt of `accounts:verifyIosClient` and the secret of its push.
struct PushPair: Hashable, Sendable {
    var receipt: String
    var secret: String
}

extension AppCredential {
    init(_ pair: PushPair) { self.init(iosReceipt: pair.receipt, iosSecret: pair.secret) }
}
