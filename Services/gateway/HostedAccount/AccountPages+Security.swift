import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

extension AccountPages {
    static let passwordRoutes: [Route] = [
        get(passwordPath) { account in account.respond(account.view.passwordPage()) },
        post(passwordPath, hashesPassword: true, changePassword),
    ]

    static let factorRoutes: [Route] = [
        get(authenticatorPath, rate: .signIn, startEnrollment), post(authenticatorPath, finishEnrollment),
        get(recoveryCodesPath) { account in account.respond(account.view.recoveryCodesPage()) },
        post(recoveryCodesPath, makeRecoveryCodes),
        get(factorNamePath, openFactorName), post(factorNamePath, renameFactor),
    ]

    static let passkeyRoutes: [Route] = [
        get(passkeyPath, rate: .signIn) { account in try await openPasskey(account) }, post(passkeyPath, addPasskey),
        get(passkeyNamePath, openPasskeyName), post(passkeyNamePath, renamePasskey),
    ]

    static let removalRoutes: [Route] = [get(removalPath, openRemoval), post(removalPath, remove)]

    // MARK: Password

    private static func changePassword(_ account: AccountVisit) async throws -> HTTPResponse {
        guard let password = try account.visit.form()["password"].nilIfEmpty else {
            return account.respond(account.view.passwordPage(refusal: account.all.hostedSignIn.missingPassword))
        }
        do {
            return try await account.change(.init(password: Secret(password)), then: securityPath, .saved)
        } catch let error as ServiceError where HostedRefusal(error.code).isAboutPassword {
            let unmet = error.unmetPasswordRequirements
            let sentence = unmet.isEmpty ? account.visit.sentence(for: error) : nil
            return account.respond(account.view.passwordPage(refusal: sentence, unmet: unmet))
        }
    }

    // MARK: Second factors

    private static func startEnrollment(_ account: AccountVisit) async throws -> HTTPResponse {
        do {
            let reply = try await account.call.send(
                MFATOTP.StartEnrollment(
                    realm: account.visit.realm, idToken: account.session.tokens.idToken, qrCode: .svg))
            return account.respond(account.view.authenticatorPage(reply))
        } catch let error as ServiceError where HostedRefusal(error.code) == .emailNotConfirmed {
            return account.respond(account.view.unverifiedPage(account.texts.addApp))
        }
    }

    /// The first app of an account brings recovery codes, so that a lost phone does not lock its owner out.
    private static func finishEnrollment(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        let session = form[TOTPEnrollmentView.sessionField] ?? ""
        do {
            let reply = try await account.call.send(
                MFATOTP.FinishEnrollment(
                    realm: account.visit.realm, idToken: account.session.tokens.idToken,
                    sessionInfo: session.nilIfEmpty.map(Secret.init),
                    code: Secret(HostedSignInPages.digits(form["code"])),
                    displayName: account.all.authenticatorApp, locale: account.visit.language.rawValue,
                    client: account.visit.client))
            return account.redirect(to: recoveryCodesPath, nil, reply.tokens)
        } catch let error as ServiceError where HostedRefusal(error.code) == .codeExpired {
            return account.redirect(to: authenticatorPath)
        } catch let error as ServiceError {
            guard let refusal = account.visit.sentence(for: error) else { throw error }
            return account.respond(account.view.authenticatorPage(session: session, refusal: refusal))
        }
    }

    /// The answer to the form is the page of the codes: they are shown once.
    private static func makeRecoveryCodes(_ account: AccountVisit) async throws -> HTTPResponse {
        _ = try account.visit.form()
        let reply = try await account.call.send(
            Identity.GenerateRecoveryCodes(
                realm: account.visit.realm, idToken: account.session.tokens.idToken,
                locale: account.visit.language.rawValue, client: account.visit.client))
        return account.respond(account.view.newCodesPage(reply.codes))
    }

    private static func openFactorName(_ account: AccountVisit) async throws -> HTTPResponse {
        guard let factor = account.factor(account.item("id")) else { return account.redirect(to: securityPath) }
        return account.respond(account.view.factorNamePage(factor, name: factor.displayName ?? ""))
    }

    private static func renameFactor(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        guard let factor = account.factor(form["id"]) else { return account.redirect(to: securityPath) }
        let name = form["name"] ?? ""
        do {
            return try await account.change(
                .init(renamedFactor: .init(id: factor.id, name: name)), then: securityPath, .saved)
        } catch let error as ServiceError where HostedRefusal(error.code) == .invalidName {
            return account.respond(account.view.factorNamePage(factor, name: name, isRefused: true))
        }
    }

    // MARK: Passkeys

    private static func openPasskey(_ account: AccountVisit, refusal: String? = nil) async throws -> HTTPResponse {
        let reply = try await account.call.send(
            Passkey.StartEnrollment(realm: account.visit.realm, idToken: account.session.tokens.idToken))
        let options = CreationOptionsReply(reply).credentialCreationOptions
        return account.respond(account.view.addPasskeyPage(options, refusal: refusal))
    }

    private static func addPasskey(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        do {
            let body = try RequestBody.decode(
                AuthenticatorResponseBody<AttestationBody>.self, from: Data((form["response"] ?? "").utf8))
            let reply = try await account.call.send(
                Passkey.FinishEnrollment(
                    realm: account.visit.realm, idToken: account.session.tokens.idToken,
                    response: try AuthenticatorResponseBody.decoded(body), locale: account.visit.language.rawValue,
                    client: account.visit.client))
            return account.redirect(to: securityPath, .added, reply.tokens)
        } catch let error as ServiceError {
            // Here nothing has the passkey yet.
            let failed = account.all.passkeyPage.messages.failed
            let isRefused = HostedRefusal(error.code) == .refusedPasskey
            guard let refusal = isRefused ? failed : account.visit.sentence(for: error) else { throw error }
            return try await openPasskey(account, refusal: refusal)
        }
    }

    private static func openPasskeyName(_ account: AccountVisit) async throws -> HTTPResponse {
        guard let passkey = account.passkey(account.item("id")) else { return account.redirect(to: securityPath) }
        return account.respond(account.view.passkeyNamePage(passkey, name: passkey.chosenName ?? ""))
    }

    private static func renamePasskey(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        guard let passkey = account.passkey(form["id"]) else { return account.redirect(to: securityPath) }
        let name = form["name"] ?? ""
        do {
            return try await account.change(
                .init(renamedPasskey: .init(credentialID: passkey.credentialID, name: name)), then: securityPath,
                .saved)
        } catch let error as ServiceError where HostedRefusal(error.code) == .invalidName {
            return account.respond(account.view.passkeyNamePage(passkey, name: name, isRefused: true))
        }
    }

    // MARK: Removals

    private static func openRemoval(_ account: AccountVisit) async throws -> HTTPResponse {
        guard let removal = AccountRemoval(kind: account.item("kind"), id: account.item("id"), of: account.account)
        else { return account.redirect(to: securityPath) }
        let isOnlyWay = !account.account.keepsWayIn(without: removal.removal)
        return account.respond(account.view.removalPage(removal, isOnlyWay: isOnlyWay))
    }

    private static func remove(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        guard let removal = AccountRemoval(kind: form["kind"], id: form["id"], of: account.account) else {
            return account.redirect(to: securityPath)
        }
        if case .secondFactor(let id) = removal.removal {
            let reply = try await account.call.send(
                Identity.WithdrawFactor(
                    realm: account.visit.realm, idToken: account.session.tokens.idToken, factorID: id,
                    locale: account.visit.language.rawValue, client: account.visit.client))
            return account.redirect(to: securityPath, .removed, reply.tokens)
        }
        do {
            return try await account.change(
                .init(removals: [removal.removal], keepsWayIn: true), then: removal.kind.path, .removed)
        } catch let error as ServiceError where error.code == .onlyWayIn {
            return account.respond(account.view.removalPage(removal, isOnlyWay: true))
        }
    }
}

extension AccountVisit {
    fileprivate func factor(_ id: String?) -> SecondFactor? {
        account.secondFactors.first { $0.id.rawValue == id }
    }

    /// - Parameter text: the credential ID in base64url.
    fileprivate func passkey(_ text: String?) -> AccountPasskey? {
        account.passkeys.first { Base64URL.encode($0.credentialID.bytes) == text }
    }
}
