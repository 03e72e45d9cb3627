import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// Passkeys at the sign-in of the console. One that verifies its user is both factors.
extension ConsoleSignIn {
    static func signInWithPasskey(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        do {
            let body = try RequestBody.decode(
                AuthenticatorResponseBody<AssertionBody>.self, from: Data((visit.form["response"] ?? "").utf8))
            let reply = try await visit.call.send(
                Passkey.FinishSignIn(
                    realm: .operators, response: try AuthenticatorResponseBody.decoded(body), client: visit.call.client),
                timeout: Call.signInTimeout)
            guard let tokens = reply.tokens else { return visit.redirect(to: path) }
            return try await open(visit, tokens)
        } catch let error as ServiceError {
            guard let sentence = HostedRefusal(error.code).sentence(in: visit.language.pageTextSet) else { throw error }
            return visit.signInPage(refusal: sentence, passkeys: await visit.passkeyOffer())
        }
    }

    /// A passkey or an authenticator app, for an operator who has neither, and for one who has just verified both factors.
    static func openFactorChoice(
        _ visit: ConsoleSignInVisit, refusal: String? = nil
    ) async throws -> HTTPResponse {
        guard let token = visit.flow.enrollmentToken else { return visit.redirect(to: path) }
        do {
            let reply = try await visit.call.send(
                Passkey.StartEnrollment(realm: .operators, idToken: Secret(token)))
            let options = CreationOptionsReply(reply).credentialCreationOptions
            return visit.factorPage(visit.reaches(reply.relyingPartyID) ? options : nil, reply.relyingPartyID, refusal)
        } catch let error as ServiceError {
            switch HostedRefusal(error.code) {
            // Without passkeys there is nothing to choose.
            case .notOffered, .unavailable: return visit.redirect(to: enrollPath)
            case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .emailTaken, .emailNotConfirmed,
                .wrongCode, .codeExpired, .invalidNumber, .numberTaken, .numberIsFactor, .numberHasOtherRole,
                .tooManyFactors, .noSecondStep, .invalidName, .appNotVerified, .refusedPasskey, .passkeyTimedOut,
                .passkeyExists, .identityTaken, .onlyWayIn, .signInAgain, .ended, .accountDisabled, .signUpClosed,
                .unknownApp, .foreignForm, .invalidLink, .expiredLink, .providerRefused, .providerUnreachable,
                .limited, .unexpected:
                throw error
            }
        }
    }

    static func addPasskey(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        guard let token = visit.flow.enrollmentToken else { return visit.redirect(to: path) }
        let tokens: TokenSet
        do {
            let body = try RequestBody.decode(
                AuthenticatorResponseBody<AttestationBody>.self, from: Data((visit.form["response"] ?? "").utf8))
            tokens = try await visit.call.send(
                Passkey.FinishEnrollment(
                    realm: .operators, idToken: Secret(token), response: try AuthenticatorResponseBody.decoded(body),
                    name: visit.form["name"].nilIfEmpty, locale: visit.language.rawValue, client: visit.call.client),
                timeout: Call.signInTimeout
            ).tokens
        } catch let error as ServiceError {
            guard let sentence = HostedRefusal(error.code).sentence(in: visit.language.pageTextSet) else { throw error }
            return try await openFactorChoice(visit, refusal: sentence)
        }
        do {
            return try await open(visit, tokens)
        } catch let error as ServiceError where error.code == .secondFactorRequired {
            // The first passkey of an operator: the sign-in with it is the one that opens the console.
            let target = visit.targetPath.map { [(name: ConsoleSignInVisit.target, value: $0)] } ?? []
            let address = HostedVisit.address(path, [(name: ConsoleSignInVisit.added, value: "1")] + target)
            return HTTPResponse(
                status: 303,
                headers: [("Location", address), HostedFlow().begun().field(of: .operators, isSecure: true)])
        }
    }
}

/// Whether the page of the sign-in has passkeys.
enum ConsolePasskeyOffer: Sendable {
    case none
    case options(RequestOptionsReply.Options)
    /// Only at this host: browsers use no passkey at an IP address.
    case onlyAt(String)

    var isOffered: Bool {
        switch self {
        case .options: true
        case .none, .onlyAt: false
        }
    }
}

extension ConsoleSignInVisit {
    /// A page without passkeys is better than one that waits for them.
    var offerTimeout: Duration { .seconds(3) }

    /// The host as the browser knows it, without its port.
    private var host: String {
        WebURL("http://\(call.request.headers["host"] ?? "")/")?.host ?? ""
    }

    /// Whether passkeys of the relying party work on this page.
    func reaches(_ relyingPartyID: String) -> Bool {
        host == relyingPartyID || host.hasSuffix(".\(relyingPartyID)")
    }

    func passkeyOffer() async -> ConsolePasskeyOffer {
        do {
            let reply = try await call.send(
                Passkey.StartSignIn(realm: .operators), timeout: offerTimeout)
            guard reaches(reply.relyingPartyID) else { return .onlyAt(reply.relyingPartyID) }
            return .options(RequestOptionsReply(reply).credentialRequestOptions)
        } catch {
            return .none  // No operator yet, no relying party, or the service is away.
        }
    }

    // MARK: HTML

    /// The address of the console at another host.
    private func address(at host: String) -> String {
        let port = (call.request.headers["host"] ?? "").halves(at: ":").behind.map { ":\($0)" } ?? ""
        return host == "localhost"
            ? "http://localhost\(port)\(ConsolePages.path)" : "https://\(host)\(ConsolePages.path)"
    }

    /// - Parameter hasAlarm: a refusal stands elsewhere on the page otherwise.
    func passkeySignIn(_ offer: ConsolePasskeyOffer, hasAlarm: Bool) -> HTML? {
        let all = language.pageTexts
        switch offer {
        case .none: return nil
        case .onlyAt(let host): return "<p class=\"small muted\">\(passkeyTexts.onlyAt(address(at: host)))</p>"
        case .options(let options):
            return scriptedForm(
                ConsoleSignIn.passkeyPath,
                [
                    ("options", EmbeddedJSON.json(options)),
                    ("ceremony-milliseconds", String(Passkey.ceremonyLifetime.saturatedMilliseconds)),
                    ("start", (hasAlarm ? HostedSignInView.PasskeyStart.atOnce : .afterAnAct).rawValue),
                ],
                """
                \(hasAlarm ? HTML.alarm(isHidden: true) : nil)
                \(HTML.button(
                    all.passkeyPage.signIn, .plain, icon: .passkey, id: "usePasskey", waitsForScript: true, isWide: true))
                """)
        }
    }

    /// - Parameter options: nil where the page is not at the host of the relying party.
    func factorPage(
        _ options: CreationOptionsReply.Options?, _ relyingPartyID: String, _ refusal: String?
    ) -> HTTPResponse {
        let all = language.pageTexts
        let name = PageField(id: "name", label: passkeyTexts.name) { field in
            field.hint = "\(passkeyTexts.nameHint)"
            field.maximumLength = AccountPasskey.maximumNameLength
        }
        let passkey: HTML =
            options.map { options in
                scriptedForm(
                    ConsoleSignIn.factorPath,
                    [
                        ("options", EmbeddedJSON.json(options)), ("exists", all.passkeyPage.messages.exists),
                    ],
                    """
                    \(refusal == nil ? HTML.alarm(isHidden: true) : nil)
                    \(name.html)
                    <p>\(HTML.button(all.passkeyPage.add, icon: .passkey, id: "addPasskey", waitsForScript: true))</p>
                    """)
            } ?? HTML.note(.neutral, "<p>\(passkeyTexts.onlyAt(address(at: relyingPartyID)))</p>")
        return respond(
            passkeyTexts.choice.title, refusal: refusal, field: nil,
            script: options == nil ? nil : .accountPasskey,
            """
            <p>\(passkeyTexts.choice.body)</p>
            \(passkey)
            <p>\(HTML.buttonLink(to: address(ConsoleSignIn.enrollPath), passkeyTexts.useApp, .plain))</p>
            """)
    }

    /// A form that the script of the page completes and sends.
    private func scriptedForm(
        _ path: String, _ data: [(name: String, value: String)], _ content: HTML
    ) -> HTML {
        let messages = language.pageTexts.passkeyPage.messages
        let all = data + [("canceled", messages.canceled), ("unsupported", messages.unsupported)]
        let attributes = all.map { #" data-\#($0.name)="\#($0.value)""# as HTML }
        return """
            <form method="post" action="\(address(path))" id="passkeyForm" class="scripted"\(attributes)>
            \(HTML.hidden([(HostedFlow.tokenField, flow.token ?? ""), ("response", "")]))
            \(content)
            </form>
            """
    }
}
