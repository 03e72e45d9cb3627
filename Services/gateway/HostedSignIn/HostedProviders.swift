import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The ways to sign in beside the field of the address.
struct HostedOffer: Sendable {
    var passkeys: Bool
    var providers: [Federation.ListSignInProviders.Entry]

    var isEmpty: Bool { !passkeys && providers.isEmpty }
}

/// Identity providers on the hosted sign-in. They send the user to the handler of all sign-ins, which goes on here.
extension HostedSignInPages {
    static let providerPath = "\(path)/provider"

    static let providerRoutes: [Route] = [
        Route(.post, .local(providerPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, startProviderSignIn)
        }
    ]

    private static func startProviderSignIn(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let (url, fields) = try await SignInVisit(visit.call).open(
            providerID: form["provider"] ?? "", of: visit.realm, at: visit.origin
        ) { reply in
            StartedSignIn(
                state: reply.state.reveal(), sessionID: reply.sessionID.reveal(), apiKey: visit.apiKey,
                tenantID: visit.realm.tenant?.rawValue, language: visit.language.rawValue, channel: nil,
                hostedQuery: visit.query)
        }
        var response = visit.respond(
            HostedSignInView(visit: visit).leavingPage(visit.pageTexts.appVerification.title, to: url))
        response.headers += fields
        return response
    }

    /// Signs in with the response of a provider.
    /// - Parameter started: from the cookie of this browser.
    static func finishProviderSignIn(
        _ call: Call, _ started: StartedSignIn, _ form: ProviderResponseForm
    ) async -> HTTPResponse {
        await respond(call, at: HTTPRequest(.get, path, query: started.hostedQuery ?? "")) { visit in
            if let code = form["error"] {
                let failure = SignInFailure(providerError: code)
                guard failure == .canceled else { throw failure }
                return visit.redirect(to: path)
            }
            let reply = try await call.send(
                Federation.SignIn(
                    realm: visit.realm, requestURL: visit.origin.text + SignInPages.handlerPath,
                    response: form.response, sessionID: Secret(started.sessionID), client: visit.client),
                timeout: IdentityToolkit.providerSignInTimeout
            ).signIn
            guard let confirmation = reply.confirmation else {
                return await finish(visit, reply.session?.tokens, orPending: reply.pending?.secondFactor)
            }
            // The account of the address has other ways to sign in.
            let flow = visit.flow.begun().restarted(email: confirmation.email.rawValue)
            let ways = await visit.providers().filter { confirmation.verifiedProviders.contains($0.id) }
            return visit.respond(
                HostedSignInView(visit: visit).passwordPage(
                    flow, note: visit.texts.otherMethod, offer: HostedOffer(passkeys: false, providers: ways)), flow)
        }
    }
}

extension HostedVisit {
    /// None while federation is away.
    func providers() async -> [Federation.ListSignInProviders.Entry] {
        // `try?`: other ways to sign in remain.
        (try? await call.send(Federation.ListSignInProviders(realm: realm)).providers) ?? []
    }
}

extension PageIcon {
    /// The mark of a provider of the catalogue. Nil for one that has none on pages.
    init?(provider id: String) {
        switch Federation.SupportedProvider(rawValue: id) {
        case .apple?: self = .apple
        case .facebook?: self = .facebook
        case .gitHub?: self = .gitHub
        case .google?: self = .google
        case .linkedIn?: self = .linkedIn
        case .microsoft?: self = .microsoft
        case .gameCenter?, nil: return nil
        }
    }
}
