import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The offer of a passkey after a sign-in with a password, to a user who has none, on a device that can have one. The user may
/// skip it, and the project sets how often it comes again.
extension HostedSignInPages {
    static let addPasskeyPath = "\(path)/add-passkey"

    static let passkeyOfferRoutes: [Route] = [
        Route(.post, .local(addPasskeyPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, addPasskey)
        }
    ]

    static func openPasskeyOffer(_ visit: HostedVisit, refusal: String? = nil) async throws -> HTTPResponse {
        guard let session = try await HostedSession(of: visit), session.account.passkeys.isEmpty else {
            return visit.leave()
        }
        var options: CreationOptionsReply.Options
        var unasked: CreationOptionsReply.Options?
        do {
            options = try await creationOptions(visit, session, isConditional: false)
            // Once: not again after a refusal.
            if refusal == nil { unasked = try await creationOptions(visit, session, isConditional: true) }
        } catch let error as ServiceError {
            // The user is signed in: an offer that fails must not be in the way.
            visit.call.gateway.dependencies.report(error, visit.call.trace)
            return visit.leave()
        }
        let flow = visit.flow.begun()
        // The offer is for a device that can have a passkey.
        options.hints = [.clientDevice]
        let view = HostedSignInView(visit: visit)
        var response = visit.respond(
            view.passkeyOfferPage(options, unasked: unasked, flow, refusal), flow)
        response.headers += HostedSession.fields(storing: session.tokens, of: visit)
        return response
    }

    /// - Parameter isConditional: a password manager that has just filled in the password creates the passkey without asking.
    private static func creationOptions(
        _ visit: HostedVisit, _ session: HostedSession, isConditional: Bool
    ) async throws -> CreationOptionsReply.Options {
        let reply = try await visit.call.send(
            Passkey.StartEnrollment(
                realm: visit.realm, idToken: session.tokens.idToken, isConditional: isConditional))
        return CreationOptionsReply(reply).credentialCreationOptions
    }

    private static func addPasskey(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard form["skip"] == nil, let session = try await HostedSession(of: visit) else {
            var response = visit.leave()
            let days = visit.configuration.passkeyConfig.offerIntervalDays
            response.headers.append(visit.cookie(.passkeyOffer).field("skipped", seconds: max(1, days) * 86_400))
            return response
        }
        do {
            let body = try RequestBody.decode(
                AuthenticatorResponseBody<AttestationBody>.self, from: .init((form["response"] ?? "").utf8))
            let reply = try await visit.call.send(
                Passkey.FinishEnrollment(
                    realm: visit.realm, idToken: session.tokens.idToken,
                    response: try AuthenticatorResponseBody.decoded(body), locale: visit.language.rawValue,
                    client: visit.client), timeout: Call.signInTimeout)
            var response = visit.leave()
            response.headers += HostedSession.fields(storing: reply.tokens, of: visit)
            return response
        } catch is ServiceError {
            return try await openPasskeyOffer(
                visit, refusal: visit.pageTexts.passkeyPage.messages.failed)
        }
    }
}

extension HostedVisit {
    /// Whether this user gets the offer now.
    func offersPasskey(to account: Account) async -> Bool {
        guard flow.canHavePasskeys == true, account.passkeys.isEmpty,
            configuration.passkeyConfig.offerIntervalDays > 0,
            cookie(.passkeyOffer).value(in: call.request.headers) == nil
        else { return false }
        return await offersPasskeys()
    }
}
