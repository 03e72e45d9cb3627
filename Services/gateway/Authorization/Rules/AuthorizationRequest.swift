import Contracts
import Vocabulary

/// A request of a registered application for a code (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1).
struct AuthorizationRequest: Equatable, Sendable {
    enum Prompt: String, Sendable {
        /// The user sees no page: without a session the request fails.
        case noPage = "none"
        case login
        case selectAccount = "select_account"
    }

    var application: ApplicationID
    var redirectURL: String
    var state: String?
    var challenge: Identity.CodeChallenge
    var nonce: String?
    var prompt: Prompt?
    var maximumSignInAgeSeconds: Int64?
    var minimumLevel: AuthenticationLevel?
    var tenant: TenantID?
    var language: String?
    /// The address with which the sign-in begins.
    var loginHint: EmailAddress?

    /// Why an application gets no code, in the words of RFC 6749 §4.1.2.1 and OpenID Connect.
    enum Refusal: String, Error, Sendable {
        case invalidRequest = "invalid_request"
        case unsupportedResponseType = "unsupported_response_type"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case loginRequired = "login_required"
        case interactionRequired = "interaction_required"
        case accessDenied = "access_denied"
        /// The user has just signed in, and not as surely as the application demands.
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        case temporarilyUnavailable = "temporarily_unavailable"
        case serverError = "server_error"
    }

    private static let maximumStateBytes = 512
    private static let maximumAge: ClosedRange<Int64> = 0...31_536_000

    /// What is needed before anything else: to whom the response goes.
    /// - Returns: nil if a parameter is missing or repeated (RFC 6749 §3.1). There is no address to return to.
    static func application(
        in items: [(name: String, value: String)]
    ) -> (id: ApplicationID, redirectURL: String)? {
        guard let id = single("client_id", in: items), Realm.isIdentifier(id),
            let redirectURL = single("redirect_uri", in: items)
        else { return nil }
        return (ApplicationID(id), redirectURL)
    }

    static func state(in items: [(name: String, value: String)]) -> String? {
        single("state", in: items).flatMap { $0.utf8.count <= maximumStateBytes ? $0 : nil }
    }

    /// - Parameter redirectURL: registered by the application.
    init(
        _ application: ApplicationID, redirectURL: String, _ items: [(name: String, value: String)]
    ) throws(Refusal) {
        let names = items.map(\.name)
        guard Set(names).count == names.count else { throw .invalidRequest }
        func item(_ name: String) -> String? { Self.single(name, in: items) }
        guard item("request") == nil else { throw .requestNotSupported }
        guard item("request_uri") == nil else { throw .requestURINotSupported }
        guard item("response_type") == "code" else { throw .unsupportedResponseType }
        guard item("response_mode") ?? "query" == "query" else { throw .invalidRequest }
        guard let challenge = Identity.CodeChallenge(item("code_challenge"), method: item("code_challenge_method"))
        else { throw .invalidRequest }
        guard (item("state")?.utf8.count ?? 0) <= Self.maximumStateBytes,
            (item("nonce")?.utf8.count ?? 0) <= Identity.IssueAuthorizationCode.maximumNonceBytes
        else { throw .invalidRequest }
        self.application = application
        self.redirectURL = redirectURL
        self.challenge = challenge
        state = item("state")
        nonce = item("nonce")
        if let text = item("prompt") {
            // `consent` asks for nothing here: the applications of a project are its own.
            guard let prompt = Prompt(rawValue: text) ?? (text == "consent" ? .selectAccount : nil) else {
                throw .invalidRequest
            }
            self.prompt = prompt
        }
        if let text = item("max_age") {
            guard text.isASCIIDigits, let seconds = Int64(text), Self.maximumAge.contains(seconds) else {
                throw .invalidRequest
            }
            maximumSignInAgeSeconds = seconds
        }
        // Any of them is enough. Levels that nobody here has are ignored, as OpenID Connect says.
        minimumLevel = item("acr_values")?.pieces(at: " ").compactMap { AuthenticationLevel(rawValue: String($0)) }
            .min()
        if let text = item("tenantId") {
            guard Realm.isIdentifier(text) else { throw .invalidRequest }
            tenant = TenantID(text)
        }
        language = item("hl") ?? item("ui_locales")?.pieces(at: " ").first.map(String.init)
        loginHint = item("login_hint").flatMap { EmailAddress($0) }
    }

    /// The value of a parameter that stands once; an empty one is absent.
    private static func single(_ name: String, in items: [(name: String, value: String)]) -> String? {
        let values = items.filter { $0.name == name }
        return values.count == 1 ? values.first?.value.nilIfEmpty : nil
    }

    /// How old the sign-in may be (security rule FE26).
    /// - Parameter act: a sign-in for this request is new enough for the time that the way to the application takes.
    func maximumSignInAgeSeconds(after act: HostedConfirmation.Act?) -> Int64? {
        guard act == .signedIn, let limit = prompt == .login ? 0 : maximumSignInAgeSeconds else {
            return maximumSignInAgeSeconds
        }
        return max(limit, Self.recentSeconds)
    }

    static let recentSeconds: Int64 = 300

    /// The query of this request.
    var items: [(name: String, value: String)] {
        let values: [(name: String, value: String?)] = [
            ("response_type", "code"), ("client_id", application.rawValue), ("redirect_uri", redirectURL),
            ("code_challenge", challenge.text), ("code_challenge_method", "S256"), ("state", state), ("nonce", nonce),
            ("prompt", prompt?.rawValue), ("max_age", maximumSignInAgeSeconds.map { "\($0)" }),
            ("acr_values", minimumLevel?.rawValue), ("tenantId", tenant?.rawValue), ("hl", language),
            ("login_hint", loginHint?.rawValue),
        ]
        return values.compactMap { item in item.value.map { (item.name, $0) } }
    }
}

extension AuthorizationRequest {
    /// What a request needs before a code is issued.
    enum Step: Equatable, Sendable {
        case issue
        /// - Parameter isAgain: also of a user who is signed in.
        case signIn(isAgain: Bool)
        case refuse(Refusal)
    }

    /// - Parameters:
    ///   - isSignedIn: the browser has a session of the hosted pages.
    ///   - act: what the user has done on these pages for this request.
    ///   - isAssured: no other application can receive the response. A code for another one is never issued unseen
    ///     (security rule FE25).
    func step(isSignedIn: Bool, after act: HostedConfirmation.Act?, isAssured: Bool) -> Step {
        switch (prompt, act) {
        case (.noPage?, _):
            guard isSignedIn else { return .refuse(.loginRequired) }
            return isAssured ? .issue : .refuse(.interactionRequired)
        case (.login?, .accountChosen?), (.login?, nil): return .signIn(isAgain: true)
        case (.selectAccount?, nil): return .signIn(isAgain: false)
        case (.login?, .signedIn?), (.selectAccount?, _?), (nil, _):
            return isSignedIn && (isAssured || act != nil) ? .issue : .signIn(isAgain: false)
        }
    }

    /// The next step after identity has refused to issue the code.
    func step(after refusal: WireError.Code, act: HostedConfirmation.Act?) -> Step {
        let isUnseen = prompt == .noPage
        return switch refusal {
        case .recentSignInRequired: isUnseen ? .refuse(.loginRequired) : .signIn(isAgain: true)
        // Who has just signed in would get the same page again and again.
        case .secondFactorRequired:
            isUnseen || act == .signedIn ? .refuse(.unmetAuthenticationRequirements) : .signIn(isAgain: true)
        case .sessionExpired, .invalidIDToken, .accountNotFound, .accountDisabled:
            isUnseen ? .refuse(.loginRequired) : .signIn(isAgain: true)
        default: .refuse(Refusal(refusal))
        }
    }
}

extension AuthorizationRequest.Refusal {
    /// What an application learns of an error of identity.
    init(_ code: WireError.Code) {
        self =
            switch code {
            case .unavailable, .overloaded, .deadlineExceeded: .temporarilyUnavailable
            case .tenantNotFound: .invalidRequest
            case .projectDisabled: .accessDenied
            default: .serverError
            }
    }
}
