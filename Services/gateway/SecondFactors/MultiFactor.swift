internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Enrollment, sign-in and withdrawal of second factors (REST 3.1 to 3.5). The one object of the body that names
    /// the kind of factor selects the service.
    static let multiFactor: [Route] = [
        Route(.post, .v2("accounts/mfaEnrollment:start"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(StartEnrollmentBody.self)
            let realm = try call.realm(body)
            switch try FactorOneOf(phone: body.phoneEnrollmentInfo, totp: body.totpEnrollmentInfo, of: .enrollment) {
            case .phone(let info):
                let reply = try await call.send(
                    MFASMS.StartEnrollment(
                        realm: realm, idToken: body.idToken.secret, phoneNumber: info.phoneNumber.nilIfEmpty,
                        credential: info.app.credential(bundleID: call.iOSBundleID), locale: call.locale,
                        client: call.client))
                return .json(PhoneSessionReply(phoneSessionInfo: .init(sessionInfo: reply.sessionInfo.reveal())))
            case .totp(let info):
                let reply = try await call.send(
                    MFATOTP.StartEnrollment(
                        realm: realm, idToken: body.idToken.secret, qrCode: info.qrCode?.value?.form))
                return .json(TOTPSessionReply(reply))
            case .none: throw try await apiError(of: body.idToken.secret, in: realm, call)
            }
        },
        Route(.post, .v2("accounts/mfaEnrollment:finalize"), .v2, .client) { call in
            let body = try call.realmBody(FinishEnrollmentBody.self)
            let realm = try call.realm(body)
            switch try FactorOneOf(
                phone: body.phoneVerificationInfo, totp: body.totpVerificationInfo, of: .verification)
            {
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
            case .none: throw try await apiError(of: body.idToken.secret, in: realm, call)
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
            let body = try call.realmBody(StartFactorSignInBody.self)
            let realm = try call.realm(body)
            guard let credential = body.mfaPendingCredential.secret else {
                throw APIError.product(
                    "MISSING_MFA_PENDING_CREDENTIAL", detail: "Request does not have MFA pending credential.")
            }
            guard let factorID = body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init) else {
                throw APIError.product(
                    "MISSING_MFA_ENROLLMENT_ID", detail: "No second factor identifier is provided.")
            }
            let app = body.phoneSignInInfo ?? AppCredentialBody()
            let reply = try await call.send(
                MFASMS.StartSignIn(
                    project: realm.project, tenant: realm.tenant, pendingCredential: credential, factorID: factorID,
                    credential: app.credential(bundleID: call.iOSBundleID), locale: call.locale, client: call.client))
            return .json(PhoneResponseReply(phoneResponseInfo: .init(sessionInfo: reply.sessionInfo.reveal())))
        },
        Route(.post, .v2("accounts/mfaSignIn:finalize"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(FinishFactorSignInBody.self)
            let realm = try call.realm(body)
            let choice = try FactorOneOf(
                phone: body.phoneVerificationInfo, totp: body.totpVerificationInfo, of: .verification)
            guard let credential = body.mfaPendingCredential.secret else {
                throw APIError.product("MISSING_CREDENTIAL", detail: "Please set MFA Pending Credential.")
            }
            switch choice {
            case .phone(let info):
                let reply = try await call.send(
                    MFASMS.FinishSignIn(
                        project: realm.project, tenant: realm.tenant, pendingCredential: credential,
                        sessionInfo: info.sessionInfo.secret,
                        code: info.code.secret, client: call.client))
                // Only Android reads the number.
                let number = call.request.headers["x-android-package"].map { _ in reply.phoneNumber.rawValue }
                return call.json(
                    FactorTokensReply(reply.tokens, phoneAuthInfo: number.map { .init(phoneNumber: $0) }),
                    signedIn: reply.tokens)
            case .totp(let info):
                let reply = try await call.send(
                    MFATOTP.FinishSignIn(
                        project: realm.project, tenant: realm.tenant, credential: credential,
                        factorID: body.mfaEnrollmentId.nilIfEmpty.map(FactorID.init),
                        code: info.verificationCode.secret, client: call.client))
                return call.json(FactorTokensReply(reply.tokens), signedIn: reply.tokens)
            case .none: throw APIError.invalidArgument()
            }
        },
    ]

    /// The error for an enrollment without a kind of factor, after authentication of the caller (REST 3.1).
    private static func apiError(
        of idToken: Secret<String>?, in realm: Realm, _ call: Call
    ) async throws -> APIError {
        _ = try await call.send(Identity.VerifyIDToken(realm: realm, idToken: idToken))
        return .invalidArgument()
    }
}
