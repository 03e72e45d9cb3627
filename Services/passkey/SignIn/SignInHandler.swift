import Bus
import Contracts
import Vocabulary
import WebAuthn

/// Sign-in with a passkey (REST 3.6, WebAuthn 7.2). This service verifies the assertion; identity opens the session.
struct SignInHandler: PasskeyComponent {
    let dependencies: PasskeyService.Dependencies

    // MARK: Start

    /// The credentials of a reply, and the account that may use them.
    private struct AllowList {
        var realm: Realm
        var relyingParty: EffectiveRelyingParty
        var owner: Ceremony.Owner
        var credentials: [Passkey.CredentialDescriptor]
    }

    func start(_ request: Passkey.StartSignIn, _ call: BusCall) async throws -> Passkey.StartSignIn.Reply {
        let allowList: AllowList
        if let idToken = request.idToken {
            allowList = try await self.allowList(of: idToken, in: request.realm, call)
        } else if let identifier = request.identifier {
            allowList = try await self.allowList(for: SignInIdentifier(identifier), in: request.realm, call)
        } else {
            allowList = AllowList(
                realm: request.realm, relyingParty: try await relyingParty(of: request.realm, call),
                owner: .anyAccount, credentials: [])
        }
        let challenge = Challenge(bytes: randomBytes(Challenge.byteCount))
        let ceremony = Ceremony(
            challengeDigest: challenge.digest, realm: allowList.realm, purpose: .authentication,
            owner: allowList.owner, userVerification: allowList.relyingParty.userVerification, createdAt: now())
        try await store.insert(ceremony)
        return .init(
            relyingPartyID: allowList.relyingParty.id.rawValue, challenge: Secret(OctetString(challenge.bytes)),
            timeoutMilliseconds: Int(Passkey.ceremonyLifetime.saturatedMilliseconds),
            userVerification: ceremony.userVerification,
            allowedCredentials: allowList.credentials)
    }

    /// The passkeys of a signed-in user, who signs in again.
    /// - Throws: `passkeyNotFound` when the account has none.
    private func allowList(of idToken: Secret<String>, in realm: Realm, _ call: BusCall) async throws -> AllowList {
        let principal = try await peers.send(Identity.VerifyIDToken(realm: realm, idToken: idToken), options(call))
            .principal
        return try await allowList(of: principal.accountID, in: principal.realm, call)
    }

    private func allowList(of id: AccountID, in realm: Realm, _ call: BusCall) async throws -> AllowList {
        let relyingParty = try await relyingParty(of: realm, call)
        let account = try await accounts(.accountID(id), in: realm, call).first
        guard let passkeys = account?.passkeys(of: relyingParty.id).nilIfEmpty else {
            throw ServiceError(.passkeyNotFound)
        }
        return AllowList(
            realm: realm, relyingParty: relyingParty, owner: .account(id),
            credentials: try await describe(passkeys.map { .init(id: $0.credentialID) }, in: realm))
    }

    /// The passkeys of a name, or false ones. Both take the same steps, so that the time reveals no account (security
    /// rule EN5).
    private func allowList(
        for identifier: SignInIdentifier, in realm: Realm, _ call: BusCall
    ) async throws -> AllowList {
        let relyingParty = try await relyingParty(of: realm, call)
        let falseCredentials = store.identifiers.falseCredentials(
            for: identifier.text, in: realm, of: relyingParty.id)
        var found: [Account] = []
        if let criterion = identifier.criterion { found = try await accounts(criterion, in: realm, call) }
        let account = found.first { !$0.disabled && !$0.passkeys(of: relyingParty.id).isEmpty }
        let passkeys = account?.passkeys(of: relyingParty.id).map { Passkey.CredentialDescriptor(id: $0.credentialID) }
        return AllowList(
            realm: realm, relyingParty: relyingParty, owner: account.map { .account($0.id) } ?? .noAccount,
            credentials: try await describe(passkeys ?? falseCredentials, in: realm))
    }

    private func accounts(
        _ criterion: Identity.FindAccounts.Criterion, in realm: Realm, _ call: BusCall
    ) async throws -> [Account] {
        try await peers.send(Identity.FindAccounts(realm: realm, criteria: [criterion]), options(call)).accounts
    }

    /// Adds the transports of stored credentials.
    private func describe(
        _ credentials: [Passkey.CredentialDescriptor], in realm: Realm
    ) async throws -> [Passkey.CredentialDescriptor] {
        let transports = try await store.transports(of: credentials.map(\.id), in: realm.project)
        return credentials.map { .init(id: $0.id, transports: transports[$0.id] ?? $0.transports) }
    }

    // MARK: Finish

    func finish(_ request: Passkey.FinishSignIn, _ call: BusCall) async throws -> Passkey.FinishSignIn.Reply {
        let relyingParty = try await relyingParty(of: request.realm, call)
        let (credential, assertion, hasCounterRegression) = try await metrics.count(
            .authentication, trace: call.trace
        ) {
            try await redeem(request, relyingParty, call)
        }
        // From here on the challenge is redeemed, even if identity does not reply.
        return try await peers.send(
            Identity.SignInWithPasskey(
                realm: credential.realm, accountID: credential.accountID, credentialID: credential.id,
                isUserVerified: assertion.isUserVerified, isBackedUp: assertion.isBackedUp,
                hasCounterRegression: hasCounterRegression ? true : nil, client: request.client),
            options(call))
    }

    /// Verifies a response, redeems its challenge and stores the use of the credential.
    /// - Throws: an error with a `rejectionReason`. A challenge that was valid is redeemed nevertheless.
    private func redeem(
        _ request: Passkey.FinishSignIn, _ relyingParty: EffectiveRelyingParty, _ call: BusCall
    ) async throws -> (credential: PasskeyCredential, assertion: Assertion, hasCounterRegression: Bool) {
        let response = request.response
        let challenge = try Challenge(of: response.clientDataJSON)
        let (found, stored) = try await store.ceremony(of: challenge, with: response.id, in: request.realm.project)
        guard let ceremony = found else { throw ServiceError.unknownChallenge }
        try ceremony.check(.authentication, in: request.realm, at: now())
        let credential = stored.flatMap { $0.belongs(to: relyingParty.id, in: ceremony.realm) ? $0 : nil }
        let assertion: Assertion
        do throws(ServiceError) {
            assertion = try AssertionVerification(
                ceremony: ceremony, challenge: challenge, relyingParty: relyingParty
            ).verify(response, credential)
        } catch {
            try await store.redeem(ceremony)
            await recordRefusal(.invalid, of: credential?.accountID, in: ceremony.realm, request.client, call)
            throw error
        }
        guard let credential else { throw ServiceError.unknownCredential }
        let use = CredentialUse(
            assertion: assertion, usedAt: now(),
            refusesCounterRegression: relyingParty.refusesCounterRegression(of: credential))
        switch try await store.record(use, of: credential, redeeming: ceremony) {
        case .recorded(let hasCounterRegression):
            if hasCounterRegression {
                metrics.countCounterRegression(of: credential.id, isAccepted: true, trace: call.trace)
            }
            return (credential, assertion, hasCounterRegression)
        case .refusedForCounterRegression:
            metrics.countCounterRegression(of: credential.id, isAccepted: false, trace: call.trace)
            await recordRefusal(
                .counterRegression, of: credential.accountID, in: credential.realm, request.client, call)
            throw ServiceError.counterRegression
        case .credentialDeleted: throw ServiceError.unknownCredential
        case .redeemed: throw ServiceError.unknownChallenge
        }
    }

    /// Puts a refused response to a valid challenge into the audit log.
    private func recordRefusal(
        _ reason: Identity.RecordRefusedSignIn.Reason, of accountID: AccountID?, in realm: Realm,
        _ client: ClientContext, _ call: BusCall
    ) async {
        // `try?`: the response is refused in any case.
        _ = try? await peers.send(
            Identity.RecordRefusedSignIn(realm: realm, accountID: accountID, reason: reason, client: client),
            call.options(at: now(), timeout: Identity.RecordRefusedSignIn.timeout))
    }

    private func options(_ call: BusCall) -> CallOptions { call.options(at: now()) }
}
