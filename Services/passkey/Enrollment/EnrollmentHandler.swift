import Bus
import Contracts
import JSON
import Vocabulary
import WebAuthn

/// Enrollment of a passkey (REST 3.6, WebAuthn 7.1). Identity decides which accounts may add one, and has the list.
struct EnrollmentHandler: PasskeyComponent {
    /// How long the enrollment of a credential that identity does not list yet may be in progress: longer than the
    /// deadline of a request.
    static let maximumListingTime = Duration.seconds(60)

    let dependencies: PasskeyService.Dependencies

    // MARK: Start

    func start(_ request: Passkey.StartEnrollment, _ call: BusCall) async throws -> Passkey.StartEnrollment.Reply {
        let (account, relyingParty) = try await check(request.idToken, in: request.realm, .start, call)
        let challenge = Challenge(bytes: randomBytes(Challenge.byteCount))
        let ceremony = Ceremony(
            challengeDigest: challenge.digest, realm: account.realm, purpose: .registration,
            owner: .account(account.id),
            // Without asking the user, an authenticator verifies nobody. Sign-ins with the passkey do.
            userVerification: request.isConditional ? .preferred : relyingParty.userVerification,
            isConditional: request.isConditional, createdAt: now())
        try await store.insert(ceremony)
        let user = UserEntity(account, of: relyingParty.id, store.identifiers)
        let enrolled = account.passkeys(of: relyingParty.id).map(\.credentialID)
        let transports = try await store.transports(of: enrolled, in: account.realm.project)
        return .init(
            relyingPartyID: relyingParty.id.rawValue, relyingPartyName: relyingParty.name, userHandle: user.handle,
            userName: user.name, userDisplayName: user.displayName, challenge: Secret(OctetString(challenge.bytes)),
            algorithms: RegistrationVerification.algorithms.map { Int($0.rawValue) },
            timeoutMilliseconds: Int(Passkey.ceremonyLifetime.saturatedMilliseconds),
            excludedCredentials: enrolled.map { .init(id: $0, transports: transports[$0] ?? []) },
            userVerification: ceremony.userVerification, attestation: relyingParty.conveyance)
    }

    // MARK: Finish

    func finish(_ request: Passkey.FinishEnrollment, _ call: BusCall) async throws -> Passkey.FinishEnrollment.Reply {
        let (account, relyingParty) = try await check(request.idToken, in: request.realm, .finish, call)
        // Before the challenge is redeemed: the authenticator already has the credential.
        if let name = request.name.nilIfEmpty, !AccountPasskey.isName(name) { throw ServiceError(.invalidDisplayName) }
        // The repetition of a request may come from another address.
        var normalizedRequest = request
        normalizedRequest.client = .init()
        let digest = store.digest(ofRequest: Array(try WireJSON.encodeSorted(normalizedRequest)))
        let (challenge, credential) = try await metrics.count(.registration, trace: call.trace) {
            let challenge = try Challenge(of: request.response.clientDataJSON)
            do {
                return (
                    challenge, try await redeem(challenge, request.response, digest, for: account, relyingParty, call)
                )
            } catch let error as ServiceError where error.rejectionReason != nil {
                // The same request has redeemed the challenge: its caller did not get the reply.
                guard let credential = try await store.registeredCredential(of: challenge, by: digest, account.id)
                else { throw error }
                return (challenge, credential)
            }
        }
        return try await list(credential, of: challenge, request, digest, call)
    }

    /// Verifies a response, redeems its challenge and stores the credential, which identity does not list yet.
    /// - Throws: an error with a `rejectionReason`. A challenge that was valid is redeemed nevertheless.
    private func redeem(
        _ challenge: Challenge, _ response: Passkey.RegistrationResponse, _ request: [UInt8], for account: Account,
        _ relyingParty: EffectiveRelyingParty, _ call: BusCall
    ) async throws -> PasskeyCredential {
        guard let ceremony = try await store.ceremony(of: challenge), ceremony.owner == .account(account.id) else {
            throw ServiceError.unknownChallenge
        }
        try ceremony.check(.registration, in: account.realm, at: now())
        let credential: PasskeyCredential
        do throws(ServiceError) {
            credential = try RegistrationVerification(
                ceremony: ceremony, challenge: challenge, relyingParty: relyingParty,
                attestation: trust.policy(relyingParty.configuration.attestation)
            ).verify(
                response, account: account.id,
                userHandle: UserEntity(account, of: relyingParty.id, store.identifiers).handle, at: now())
        } catch {
            try await store.redeem(ceremony)
            throw error
        }
        let former = try await store.credential(credential.id, in: account.realm.project)
        if let former, try await isEnrolled(former, call) {
            try await store.redeem(ceremony)
            throw ServiceError.credentialExists
        }
        let registration = try await store.register(
            credential, redeeming: ceremony, by: request, replacing: former?.credential)
        switch registration {
        case .stored: return credential
        case .exists: throw ServiceError.credentialExists
        case .redeemed: throw ServiceError.unknownChallenge
        }
    }

    /// Whether an account of the project has the credential, or is about to have it.
    private func isEnrolled(
        _ former: (credential: PasskeyCredential, unlistedSince: Moment?), _ call: BusCall
    ) async throws -> Bool {
        let (credential, now) = (former.credential, now())
        if let time = former.unlistedSince, now < time + Self.maximumListingTime { return true }
        let listed = try await peers.listedCredentials(
            of: [credential.accountID], in: credential.realm, call.options(at: now))
        return listed.contains(credential.key)
    }

    /// Requests identity to list a verified credential; a repeated request gets the recorded reply. After an error that
    /// is no refusal, identity may list it nevertheless: the reconciliation finds out.
    private func list(
        _ credential: PasskeyCredential, of challenge: Challenge, _ request: Passkey.FinishEnrollment,
        _ digest: [UInt8], _ call: BusCall
    ) async throws -> Passkey.FinishEnrollment.Reply {
        let passkey = AccountPasskey(
            credentialID: credential.id, name: request.name.nilIfEmpty ?? defaultName(of: credential),
            relyingPartyID: credential.relyingPartyID, userHandle: credential.userHandle, aaguid: credential.aaguid,
            isModelVerified: credential.isAttestationTrusted ? true : nil, isBackedUp: credential.isBackedUp,
            createdAt: credential.createdAt)
        let reply: Identity.SessionReply
        do {
            reply = try await peers.send(
                Identity.EnrollPasskey(
                    realm: request.realm, idToken: request.idToken, passkey: passkey,
                    isUserVerified: credential.hasVerifiedUser, locale: request.locale, client: request.client),
                call.options(at: now(), idempotencyKey: store.operationKey(credential, digest)))
        } catch {
            // Identity has listed it, and a sign-in has changed it since: the reply would be outdated.
            if error.code == .idempotencyKeyReused { throw ServiceError(.invalidAuthenticatorResponse) }
            // `try?`: the reconciliation deletes it otherwise.
            if error.isRefusal { try? await store.delete(credential, of: challenge) }
            throw error
        }
        // `try?`: identity lists it, and the reconciliation records that otherwise.
        try? await store.markListed(credential)
        return reply
    }

    /// The name of the authenticator's model. Without a trusted attestation the model is a claim, which anybody can make.
    private func defaultName(of credential: PasskeyCredential) -> String {
        guard let model = AAGUID(text: credential.aaguid).flatMap(trust.name) else {
            return AccountPasskey.defaultName
        }
        let suffix = credential.isAttestationTrusted ? "" : " (unverified)"
        let length = AccountPasskey.maximumNameLength - suffix.unicodeScalars.count
        return String(String.UnicodeScalarView(model.unicodeScalars.prefix(length))) + suffix
    }

    // MARK: Details

    private func check(
        _ idToken: Secret<String>?, in realm: Realm, _ stage: Identity.CheckEnrollment.Stage, _ call: BusCall
    ) async throws -> (account: Account, relyingParty: EffectiveRelyingParty) {
        let check = try await peers.send(
            Identity.CheckPasskeyEnrollment(realm: realm, idToken: idToken, stage: stage), call.options(at: now()))
        return (
            check.account,
            try EffectiveRelyingParty(check.configuration, of: realm, defaults: dependencies.defaults)
        )
    }
}
