import Bus
import Contracts
import Vocabulary

/// Remembers devices on which a second factor was shown, and completes sign-ins on them. The page asks; whether a device stands
/// in for the factor is decided here.
struct RememberedDeviceHandler: IdentityComponent {
    let context: IdentityContext

    func remember(
        _ request: Identity.RememberDevice, _ call: BusCall
    ) async throws -> Identity.RememberDevice.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (principal, now, policy) = (session.principal, now(), session.policy)
        let days = session.project.configuration.rememberedDeviceDays
        guard days > 0 else { throw ServiceError(.operationNotAllowed) }
        try principal.requireRecentSignIn(at: now)
        // A recovery code is no factor of the list: a user who uses one has lost a device. Nor does a remembered device
        // prolong itself.
        guard let factor = session.authentication.secondFactor?.id else { throw ServiceError(.secondFactorRequired) }
        guard let signIn = session.authentication.signInID else { throw ServiceError(.recentSignInRequired) }
        let secret = DeviceSecret(secret: randomBytes(DeviceSecret.secretBytes))
        let device = RememberedDevice(
            secret, days: days, device: request.client.device, signInID: signIn, at: now)
        try await store.remember(
            device, inPlaceOf: DeviceSecret.read(request.formerSecrets), ofOwner: principal,
            audit: entry(.deviceRemembered, principal, request.client, call, at: now)
        ) { current in
            guard policy.requestedFactors(of: current.account).contains(where: { $0.id == factor }) else {
                throw ServiceError(.secondFactorRequired)
            }
        }
        return .init(secret: Secret(secret.text), expiresAt: device.expiresAt)
    }

    func signIn(
        _ request: Identity.SignInWithRememberedDevice, _ call: BusCall
    ) async throws -> Identity.SignInWithRememberedDevice.Reply {
        let resolved = try await pendingSignIns.resolve(
            request.pendingCredential, in: Realm(project: request.project, tenant: request.tenant), call)
        let (pending, configuration, now) = (resolved.pending, resolved.project.configuration, now())
        let secrets = DeviceSecret.read(request.secrets)
        guard configuration.rememberedDeviceDays > 0, !secrets.isEmpty else {
            throw ServiceError(.secondFactorRequired)
        }
        let (session, token) = sessions.open(
            for: pending.accountID, in: pending.realm, authentication: pending.authenticationContextOfRememberedDevice,
            client: request.client, at: now)
        let mailContext = notices.context(resolved.project, locale: nil, call)
        // Only a sign-in with a provider has a notice.
        defer { if pending.identity != nil { wakeEmailLoop() } }
        let opened = try await blockingFunctions.run(.init(project: resolved.project, client: request.client), call) {
            responses in
            try await store.signIn(
                PreparedRememberedSignIn(
                    credential: resolved.credential, secrets: secrets, days: configuration.rememberedDeviceDays,
                    policy: SessionPolicy(configuration), session: session, refreshToken: token, responses: responses,
                    notice: SignInNotice(context, resolved.project, request.client, call),
                    mails: { before, after in notices.providerLinks(from: before, to: after, mailContext) },
                    audit: AuditEntry(
                        .signIn, .account(pending.accountID), pending.realm, request.client, call,
                        about: pending.accountID, at: now)))
        }
        return .init(account: opened.account, tokens: try await sessions.tokens(for: opened, request.client))
    }

    func list(
        _ request: Identity.ListRememberedDevices, _ call: BusCall
    ) async throws -> Identity.ListRememberedDevices.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (now, days) = (now(), session.project.configuration.rememberedDeviceDays)
        let devices = try await store.rememberedDevices(
            ofOwner: session.principal, signedInAs: session.authentication.signInID)
        return .init(devices: devices.filter { $0.isValid(days: days, at: now) }.map(Identity.RememberedDevice.init))
    }

    func forget(_ request: Identity.ForgetRememberedDevice, _ call: BusCall) async throws -> EmptyReply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        // Text that is no ID names no device.
        guard let hash = Base64URL.decode(request.id) else { return EmptyReply() }
        try await store.forgetDevice(
            hash, ofOwner: session.principal, signedInAs: session.authentication.signInID,
            audit: entry(.deviceForgotten, session.principal, request.client, call, at: now()))
        return EmptyReply()
    }

    private func entry(
        _ action: AuditEntry.Action, _ principal: Principal, _ client: ClientContext, _ call: BusCall, at now: Moment
    ) -> AuditEntry {
        AuditEntry(
            action, .account(principal.accountID), principal.realm, client, call, about: principal.accountID, at: now)
    }
}

extension PendingSignIn {
    /// The authentication context of the session on a remembered device: it has the time of the first factor, which alone was
    /// shown.
    fileprivate var authenticationContextOfRememberedDevice: AuthenticationContext {
        var authentication = authentication
        authentication.isDeviceRemembered = true
        return authentication
    }
}

extension Identity.RememberedDevice {
    /// The hash of a secret of 256 bits reveals nothing of it.
    init(_ device: RememberedDevice) {
        self.init(
            id: Base64URL.encode(device.secretHash), device: device.device, createdAt: device.createdAt,
            lastUsedAt: device.lastUsedAt, expiresAt: device.expiresAt)
    }
}
