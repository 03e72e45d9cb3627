package import Bus
package import Contracts
package import Vocabulary

/// Passkeys: the relying party of Web Authentication Level 3. The switch is the table of contents: one operation, one
/// handler.
///
/// Identity decides what an account may do and which passkeys it has. This service verifies the ceremonies.
package final class PasskeyService: Sendable {
    package struct Dependencies: Sendable {
        package var now: @Sendable () -> Moment
        /// The steady clock.
        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
        package var store: PasskeyStore
        package var peers: any BusRequestSending
        /// The relying party of realms that configure none.
        package var defaults: RelyingPartyDefaults
        package var trust: AttestationTrust
        package var metrics: PasskeyMetrics
    }

    private let store: PasskeyStore
    private let relyingParties: RelyingPartyCache
    private let enrollment: EnrollmentHandler
    private let signIn: SignInHandler
    private let imports: ImportHandler

    package init(_ dependencies: Dependencies) {
        store = dependencies.store
        relyingParties = RelyingPartyCache(
            dependencies.peers, defaults: dependencies.defaults, now: dependencies.now,
            instant: dependencies.instant)
        enrollment = EnrollmentHandler(
            now: dependencies.now, randomBytes: dependencies.randomBytes, store: dependencies.store,
            peers: dependencies.peers, defaults: dependencies.defaults, trust: dependencies.trust,
            metrics: dependencies.metrics)
        signIn = SignInHandler(
            now: dependencies.now, randomBytes: dependencies.randomBytes, store: dependencies.store,
            peers: dependencies.peers, relyingParties: relyingParties, metrics: dependencies.metrics)
        imports = ImportHandler(now: dependencies.now, store: dependencies.store)
    }

    package func handle(_ operation: Passkey.Operation, _ call: BusCall) async throws -> BusReply {
        switch operation {
        case .startEnrollment: try await call.reply(with: enrollment.start)
        case .finishEnrollment: try await call.reply(with: enrollment.finish)
        case .startSignIn: try await call.reply(with: signIn.start)
        case .finishSignIn: try await call.reply(with: signIn.finish)
        case .describeRelyingParty: try await call.reply(with: describeRelyingParty)
        case .importCredentials: try await call.reply(with: imports.importCredentials)
        case .forgetAccounts: try await call.reply(with: forgetAccounts)
        }
    }

    /// Invalidates cached values after an event of another process.
    package func receive(_ event: BusEvent) async {
        switch event {
        case .configurationChanged(let realm): await relyingParties.invalidate(realm.project)
        case .sessionsRevoked, .signingKeysChanged, .messagesQueued: break
        }
    }

    private func forgetAccounts(_ request: Passkey.ForgetAccounts) async throws -> EmptyReply {
        try request.check()
        try await store.forget(request.accounts, in: request.realm)
        return EmptyReply()
    }

    private func describeRelyingParty(
        _ request: Passkey.DescribeRelyingParty, _ call: BusCall
    ) async throws -> Passkey.DescribeRelyingParty.Reply {
        let relyingParty = try await relyingParties.relyingParty(of: request.realm, call)
        let configuration = relyingParty.configuration
        return .init(
            relyingPartyID: relyingParty.id.rawValue, relatedOrigins: relyingParty.relatedOrigins,
            appleApps: configuration.appleApps ?? [], androidApps: configuration.androidApps ?? [],
            enrollURL: configuration.enrollUrl, manageURL: configuration.manageUrl)
    }
}
