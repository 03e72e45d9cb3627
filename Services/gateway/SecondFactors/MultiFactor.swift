import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Enrolls, uses and withdraws second factors (REST 3.1 to 3.5). The only `FactorInfo` of the body determines the
    /// service that receives the request.
    static let multiFactor: [Route] = [
        Route(.post, .v2("accounts/mfaEnrollment:start"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(FactorInfoBody<IDTokenBody, EnrollmentInfo>.self)
            let realm = try call.realm(body)
            switch try body.info.onlyMember() {
            case .phone(let info):
                let reply = try await call.send(
                    MFASMS.StartEnrollment(
                        realm: realm, idToken: body.idToken.secret, phoneNumber: info.phoneNumber.nilIfEmpty,
                        appCredential: info.app.credential(bundleID: call.iOSBundleID), locale: call.locale,
                        client: call.client))
                return .json(PhoneSessionReply(phoneSessionInfo: .init(sessionInfo: reply.sessionInfo.reveal())))
            case .totp(let info):
                let reply = try await call.send(
                    MFATOTP.StartEnrollment(
                        realm: realm, idToken: body.idToken.secret, qrCode: info.qrCode?.value?.form))
                return .json(TOTPSessionReply(reply))
            case nil: throw try await apiError(of: body.idToken.secret, in: realm, call)
            }
        },
        Route(.post, .v2("accounts/mfaEnrollment:finalize"), .v2, .client) { call in
            let body = try call.realmBody(FactorInfoBody<FinishEnrollmentFields, VerificationInfo>.self)
            let realm = try call.realm(body)
            switch try body.info.onlyMember() {
            case .phone(let info):
                let reply = try await call.send(
                    MFASMS.FinishEnrollment(
                        realm: realm, idToken: body.idToken.secret, sessionInfo: info.sessionInfo.secret,
                        code: info.code.secret, displayName: body.displayName.nilIfEmpty, locale: call.locale,
                        client: call.client))
                return call.json(
                    FactorTokensReply(reply.tokens, phoneAuthInfo: .init(phoneNumber: reply.phoneNumber.rawValue)),
                    signedIn: reply.tokens)
            case .totp(let info):
                let reply = try await call.send(
                    MFATOTP.FinishEnrollment(
                        realm: realm, idToken: body.idToken.secret, sessionInfo: info.sessionInfo.secret,
                        code: info.verificationCode.secret, displayName: body.displayName.nilIfEmpty,
                        locale: call.locale, client: call.client))
                return call.json(FactorTokensReply(reply.tokens, totpAuthInfo: .init()), signedIn: reply.tokens)
            case nil: throw try await apiError(of: body.idToken.secret, in: realm, call)
            }
        },
        Route(.post, .v2("accounts/mfaEnrollment:withdraw"), .v2, .client) { call in
            let body = try call.realmBody(WithdrawFactorBody.self)
            let reply = try await call.send(
                Identity.WithdrawFactor(
                    realm: call.realm(body), idToken: body.idToken.secret,
                    factorID: body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init), locale: call.locale,
                    client: call.client))
            return call.json(FactorTokensReply(reply.tokens), signedIn: reply.tokens)
        },
        Route(.post, .v2("accounts/mfaSignIn:start"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(FactorInfoBody<FactorSignInFields, SignInInfo>.self)
            let realm = try call.realm(body)
            guard let credential = body.mfaPendingCredential.secret else {
                throw APIError(.missingPendingCredential)
            }
            guard let factorID = body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init) else {
                throw APIError(.missingFactorID)
            }
            // Without a member, the request is for an SMS.
            switch try body.info.onlyMember() ?? .phone(AppCredentialBody()) {
            case .phone(let app):
                let reply = try await call.send(
                    MFASMS.StartSignIn(
                        project: realm.project, tenant: realm.tenant, pendingCredential: credential,
                        factorID: factorID, appCredential: app.credential(bundleID: call.iOSBundleID),
                        locale: call.locale, client: call.client))
                return .json(PhoneResponseReply(phoneResponseInfo: .init(sessionInfo: reply.sessionInfo.reveal())))
            }
        },
        Route(.post, .v2("accounts/mfaSignIn:finalize"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(FactorInfoBody<FactorSignInFields, VerificationInfo>.self)
            let realm = try call.realm(body)
            let info = try body.info.onlyMember()
            guard let credential = body.mfaPendingCredential.secret else {
                throw APIError(.missingPendingCredentialOfSignIn)
            }
            switch info {
            case .phone(let info):
                let reply = try await call.send(
                    MFASMS.FinishSignIn(
                        project: realm.project, tenant: realm.tenant, pendingCredential: credential,
                        sessionInfo: info.sessionInfo.secret,
                        code: info.code.secret, client: call.client), timeout: Call.signInTimeout)
                // Only Android reads the number.
                let number = call.request.headers["x-android-package"].map { _ in reply.phoneNumber.rawValue }
                return call.json(
                    FactorTokensReply(reply.tokens, phoneAuthInfo: number.map { .init(phoneNumber: $0) }),
                    signedIn: reply.tokens)
            case .totp(let info):
                let reply = try await call.send(
                    MFATOTP.FinishSignIn(
                        project: realm.project, tenant: realm.tenant, pendingCredential: credential,
                        factorID: body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init),
                        code: info.verificationCode.secret, client: call.client), timeout: Call.signInTimeout)
                return call.json(FactorTokensReply(reply.tokens), signedIn: reply.tokens)
            case nil: throw APIError.invalidArgument()
            }
        },
    ]

    /// The error of an enrollment without a `FactorInfo`. Errors of the ID token come first (REST 3.1).
    private static func apiError(
        of idToken: Secret<String>?, in realm: Realm, _ call: Call
    ) async throws -> APIError {
        _ = try await call.send(Identity.VerifyIDToken(realm: realm, idToken: idToken))
        return .invalidArgument()
    }
}
