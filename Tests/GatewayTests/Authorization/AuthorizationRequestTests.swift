import Contracts
import Testing
import Vocabulary

@testable import GatewayService

/// The rules of requests for a code.
@Suite struct AuthorizationRequestTests {
    typealias Refusal = AuthorizationRequest.Refusal

    /// RFC 7636 appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let url = "https://app.example.com/"
    static let items: [(name: String, value: String)] = [
        ("response_type", "code"), ("client_id", "c"), ("redirect_uri", url), ("state", "s"),
        ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]

    private static func request(
        _ changes: [(name: String, value: String)] = [], without names: Set<String> = []
    ) throws(Refusal) -> AuthorizationRequest {
        let changed = names.union(changes.map(\.name))
        return try AuthorizationRequest(
            ApplicationID("c"), redirectURL: url, items.filter { !changed.contains($0.name) } + changes)
    }

    @Test func completeRequestIsRead() throws {
        let request = try Self.request([
            ("nonce", "n"), ("prompt", "login"), ("max_age", "600"), ("acr_values", "unknown phr urn:latchkey:2fa"),
            ("tenantId", "t-1"), ("ui_locales", "de en"), ("login_hint", "ada@example.com"), ("scope", "openid"),
            ("response_mode", "query"),
        ])
        #expect(request.state == "s" && request.nonce == "n" && request.prompt == .login)
        #expect(request.maximumSignInAgeSeconds == 600 && request.minimumLevel == .twoFactors)
        #expect(request.tenant == TenantID("t-1") && request.language == "de")
        #expect(request.loginHint == EmailAddress("ada@example.com"))
        #expect(
            try AuthorizationRequest(ApplicationID("c"), redirectURL: Self.url, request.items) == request,
            "it comes back from the sign-in as it was")
    }

    @Test(
        arguments: [
            ([("response_type", "token")], Refusal.unsupportedResponseType),
            ([("response_type", "code id_token")], .unsupportedResponseType),
            ([("response_type", "")], .unsupportedResponseType),
            ([("request", "e30.e30.")], .requestNotSupported),
            ([("request_uri", "https://a.example/")], .requestURINotSupported),
            ([("response_mode", "fragment")], .invalidRequest), ([("response_mode", "form_post")], .invalidRequest),
            // Downgrades: no challenge, and the method that hides nothing.
            ([("code_challenge", "")], .invalidRequest), ([("code_challenge_method", "plain")], .invalidRequest),
            ([("code_challenge_method", "")], .invalidRequest), ([("code_challenge", "short")], .invalidRequest),
            ([("prompt", "none login")], .invalidRequest), ([("prompt", "create")], .invalidRequest),
            ([("max_age", "-1")], .invalidRequest), ([("max_age", "1.5")], .invalidRequest),
            ([("max_age", "99999999999999999999")], .invalidRequest), ([("tenantId", "a b")], .invalidRequest),
            ([("state", String(repeating: "s", count: 513))], .invalidRequest),
            ([("nonce", String(repeating: "n", count: 257))], .invalidRequest),
            // Two values: which one counts?
            ([("nonce", "a"), ("nonce", "b")], .invalidRequest), ([("state", "a"), ("state", "b")], .invalidRequest),
        ] as [([(name: String, value: String)], Refusal)])
    func otherRequestIsRefused(changes: [(name: String, value: String)], refusal: Refusal) {
        #expect(throws: refusal) { try Self.request(changes) }
    }

    @Test func applicationAndAddressComeFirst() {
        #expect(AuthorizationRequest.application(in: Self.items)?.id == ApplicationID("c"))
        for name in ["client_id", "redirect_uri"] {
            let others = Self.items.filter { $0.name != name }
            #expect(AuthorizationRequest.application(in: others) == nil)
            #expect(AuthorizationRequest.application(in: Self.items + [(name, "another")]) == nil)
        }
        let others = Self.items.filter { $0.name != "client_id" }
        #expect(AuthorizationRequest.application(in: others + [("client_id", "a b")]) == nil)
    }

    /// Whether a browser gets a code (i), a page (s, S for one who is signed in) or an error (x): signed out, signed in
    /// before, with an account that was chosen for the request, and with a sign-in for the request.
    @Test(
        arguments: [
            (nil, "siii"), ("none", "xiii"), ("login", "SSSi"), ("select_account", "ssii"), ("consent", "ssii"),
        ] as [(String?, String)])
    func promptDecidesWhatTheUserSees(prompt: String?, letters: String) throws {
        let request = try Self.request(prompt.map { [("prompt", $0)] } ?? [])
        func letter(_ isSignedIn: Bool, _ act: HostedConfirmation.Act?) -> String {
            switch request.step(isSignedIn: isSignedIn, after: act, isAssured: true) {
            case .issue: "i"
            case .signIn(let isAgain): isAgain ? "S" : "s"
            case .refuse(let refusal): refusal == .loginRequired ? "x" : "?"
            }
        }
        #expect(
            [letter(false, nil), letter(true, nil), letter(true, .accountChosen), letter(true, .signedIn)].joined()
                == letters)
        #expect(letter(false, .accountChosen) != "i" && letter(false, .signedIn) != "i")
    }

    /// RFC 8252 §8.6: another application may have the scheme or the port.
    @Test func codeOfANativeApplicationIsNeverIssuedUnseen() throws {
        let request = try Self.request()
        #expect(
            request.step(isSignedIn: true, after: nil, isAssured: false) == .signIn(isAgain: false))
        #expect(request.step(isSignedIn: true, after: .accountChosen, isAssured: false) == .issue)
        #expect(
            try Self.request([("prompt", "none")]).step(isSignedIn: true, after: .signedIn, isAssured: false)
                == .refuse(.interactionRequired))
    }

    @Test(
        arguments: [
            (WireError.Code.recentSignInRequired, nil, nil, AuthorizationRequest.Step.signIn(isAgain: true)),
            (.recentSignInRequired, "none", nil, .refuse(.loginRequired)),
            (.secondFactorRequired, nil, nil, .signIn(isAgain: true)),
            (.secondFactorRequired, nil, .accountChosen, .signIn(isAgain: true)),
            (.secondFactorRequired, nil, .signedIn, .refuse(.unmetAuthenticationRequirements)),
            (.secondFactorRequired, "none", nil, .refuse(.unmetAuthenticationRequirements)),
            (.sessionExpired, nil, .signedIn, .signIn(isAgain: true)),
            (.sessionExpired, "none", .signedIn, .refuse(.loginRequired)),
            (.unavailable, nil, nil, .refuse(.temporarilyUnavailable)), (.internal, nil, nil, .refuse(.serverError)),
            (.projectDisabled, nil, nil, .refuse(.accessDenied)),
        ] as [(WireError.Code, String?, HostedConfirmation.Act?, AuthorizationRequest.Step)])
    func refusalOfIdentityLeadsToASignIn(
        code: WireError.Code, prompt: String?, act: HostedConfirmation.Act?, step: AuthorizationRequest.Step
    ) throws {
        let request = try Self.request(prompt.map { [("prompt", $0)] } ?? [])
        #expect(request.step(after: code, act: act) == step)
    }

    /// A sign-in for the request is new, also when the way to the application takes longer than `max_age`.
    @Test(
        arguments: [
            ([], nil, nil), ([], .signedIn, nil), ([("max_age", "60")], nil, 60), ([("max_age", "60")], .signedIn, 300),
            ([("max_age", "60")], .accountChosen, 60), ([("max_age", "9000")], .signedIn, 9000),
            ([("prompt", "login")], .signedIn, 300), ([("prompt", "login"), ("max_age", "9000")], .signedIn, 300),
        ] as [([(name: String, value: String)], HostedConfirmation.Act?, Int64?)])
    func signInIsNotAskedForTwice(
        changes: [(name: String, value: String)], act: HostedConfirmation.Act?, seconds: Int64?
    ) throws {
        #expect(try Self.request(changes).maximumSignInAgeSeconds(after: act) == seconds)
    }

    /// Only a request of this origin is one: another address gets no name of an application, and no confirmation.
    @Test func addressContainsItsRequest() throws {
        let origin = HostedOrigin(host: "auth.example.com", text: "https://auth.example.com")
        let request = try Self.request([("prompt", "login"), ("max_age", "0")])
        let url = try #require(WebURL(origin.text + request.address))
        #expect(AuthorizationRequest(in: url, at: origin) == request)
        for text in [
            "https://evil.example\(request.address)", "https://auth.example.com.evil.example\(request.address)",
            "https://auth.example.com/other?a", "https://auth.example.com/__/auth/authorize?client_id=c",
        ] {
            #expect(AuthorizationRequest(in: try #require(WebURL(text)), at: origin) == nil)
        }
    }
}
