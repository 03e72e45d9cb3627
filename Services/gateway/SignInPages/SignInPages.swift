import Contracts
import FoundationEssentials
import HTTPServer
import Vocabulary

/// The pages on which users sign in with an identity provider (REST 7.1, 7.2).
enum SignInPages {
    static let routes: [Route] = [
        Route(.get, .local(handlerPath, "/emulator/auth/handler"), .page, .unauthenticated, rate: .signIn) { call in
            switch call.request.queryItem("authType") {
            case AppVerificationVisit.authType?:
                await AppVerificationVisit(call, AppVerificationRequest(call.request)).open(in: language(of: call))
            case _?:
                await SignInVisit(call).start(
                    SignInPageRequest(handler: call.request.queryItem), in: language(of: call))
            case nil: await finish(call)
            }
        },
        Route(.get, .local("/__/auth/callback"), .page, .unauthenticated, rate: .signIn, handler: finish),
        // The response modes of Apple and SAML (security rule FE17).
        Route(
            .post, .local(handlerPath, "/emulator/auth/handler", "/__/auth/callback"), .page, .unauthenticated,
            rate: .signIn
        ) { call in
            guard let response = ProviderResponseForm(form: call.request) else { throw APIError.invalidArgument() }
            return await SignInVisit(call).finish(response, in: language(of: call))
        },
        Route(.get, .local("/__/auth/signin"), .page, .unauthenticated, rate: .signIn) { call in
            await SignInVisit(call).start(SignInPageRequest(credential: call.request.queryItem), in: language(of: call))
        },
        Route(.get, .local("/__/auth/iframe", "/emulator/auth/iframe"), .page, .unauthenticated) { call in
            try await SignInFrame.open(call)
        },
        ScriptFile.appVerification.route(), ScriptFile.handler.route(), ScriptFile.fragment.route(),
        ScriptFile.iframe.route(),
    ]

    /// The redirect URI that operators register at the providers.
    static let handlerPath = "/__/auth/handler"

    @Sendable private static func finish(_ call: Call) async -> HTTPResponse {
        let visit = SignInVisit(call)
        // The implicit flow of OpenID Connect: only the browser sees the response.
        guard call.request.rawQuery?.isEmpty == false else { return visit.readFragment(in: language(of: call)) }
        return await visit.finish(ProviderResponseForm(query: call.request), in: language(of: call))
    }

    private static func language(of call: Call) -> Language {
        Language.find(call.request.queryItem("hl"), acceptLanguage: call.request.headers["accept-language"])
    }
}

/// The parameters of a provider's response, as the browser delivers them.
struct ProviderResponseForm: Sendable {
    private static let maximumFormBytes = 256 << 10

    /// The query, or the body of the form, as sent.
    let text: String
    let isForm: Bool
    let items: [(name: String, value: String)]

    /// In a form that a page of this origin has sent again.
    static let repetitionField = "latchkeyRepeated"
    var isRepeated: Bool { self[Self.repetitionField] != nil }

    init(query request: HTTPRequest) {
        text = request.rawQuery ?? ""
        isForm = false
        items = request.queryItems
    }

    /// - Returns: nil for anything but a form of at most 256 KiB.
    init?(form request: HTTPRequest) {
        guard RequestBody.mediaType(of: request) == "application/x-www-form-urlencoded",
            request.body.count <= Self.maximumFormBytes, let text = String(validating: request.body, as: UTF8.self)
        else { return nil }
        self.text = text
        isForm = true
        items = HTTPRequest(.post, "/", query: text).queryItems
    }

    /// Nil if absent or empty.
    subscript(name: String) -> String? { items.first { $0.name == name }.map(\.value).nilIfEmpty }

    /// The parameter that identifies the sign-in: of OAuth, or of SAML.
    var state: String? { self["state"] ?? self["RelayState"] }

    /// For federation.
    var response: Federation.ProviderResponse {
        .init(
            idToken: self["id_token"].map(Secret.init), code: self["code"].map(Secret.init),
            state: self["state"].map(Secret.init), issuer: self["iss"], user: self["user"],
            samlResponse: self["SAMLResponse"].map(Secret.init), relayState: self["RelayState"].map(Secret.init))
    }
}
