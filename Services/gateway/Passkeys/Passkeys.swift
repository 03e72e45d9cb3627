import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The ceremonies of Web Authentication (REST 3.6). The passkey service verifies them.
    static let passkeys: [Route] = [
        Route(.post, .v2("accounts/passkeyEnrollment:start"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(StartPasskeyEnrollmentBody.self)
            let reply = try await call.send(
                Passkey.StartEnrollment(
                    realm: call.realm(body), idToken: body.idToken.secret, isConditional: body.conditional ?? false))
            return .json(CreationOptionsReply(reply))
        },
        Route(.post, .v2("accounts/passkeyEnrollment:finalize"), .v2, .client) { call in
            let body = try call.realmBody(FinishPasskeyEnrollmentBody.self)
            let realm = try call.realm(body)
            let response = try await registrationResponse(body, in: realm, call)
            let reply = try await call.send(
                Passkey.FinishEnrollment(
                    realm: realm, idToken: body.idToken.secret, response: response, name: body.name.nilIfEmpty,
                    locale: call.locale, client: call.client))
            return call.json(
                PasskeySessionReply(reply.account, reply.tokens, credentialID: response.id), session: reply.tokens)
        },
        Route(.post, .v2("accounts/passkeySignIn:start"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(StartPasskeySignInBody.self)
            let reply = try await call.send(
                Passkey.StartSignIn(
                    realm: call.realm(body), idToken: body.idToken.secret, identifier: body.identifier.nilIfEmpty))
            return .json(RequestOptionsReply(reply))
        },
        Route(.post, .v2("accounts/passkeySignIn:finalize"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(FinishPasskeySignInBody.self)
            let response = try AuthenticatorResponseBody.decoded(body.authenticatorAuthenticationResponse)
            let reply = try await call.send(
                Passkey.FinishSignIn(realm: call.realm(body), response: response, client: call.client),
                timeout: Call.signInTimeout)
            return call.json(
                PasskeySessionReply(reply.account, reply.tokens, credentialID: response.id), session: reply.tokens,
                orPending: reply.secondFactor)
        },
    ]

    /// - Throws: the error of the ID token, if it has one, instead of an error of the response.
    private static func registrationResponse(
        _ body: RealmBody<FinishPasskeyEnrollmentBody>, in realm: Realm, _ call: Call
    ) async throws -> Passkey.RegistrationResponse {
        do throws(ServiceError) {
            return try AuthenticatorResponseBody.decoded(body.authenticatorRegistrationResponse)
        } catch {
            _ = try await call.send(Identity.VerifyIDToken(realm: realm, idToken: body.idToken.secret))
            throw error
        }
    }
}

private struct StartPasskeyEnrollmentBody: Decodable {
    var idToken: String?
    /// A Latchkey extension: the client creates the passkey without asking the user (conditional create).
    var conditional: Bool?
}

private struct FinishPasskeyEnrollmentBody: Decodable {
    var idToken: String?
    var name: String?
    var authenticatorRegistrationResponse: AuthenticatorResponseBody<AttestationBody>?
}

private struct StartPasskeySignInBody: Decodable {
    // Latchkey extensions: a user name, or the session of a user who signs in again.
    var identifier: String?
    var idToken: String?
}

private struct FinishPasskeySignInBody: Decodable {
    var authenticatorAuthenticationResponse: AuthenticatorResponseBody<AssertionBody>?
}
