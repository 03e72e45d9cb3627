import Bus
import Contracts
import DatabaseService
import Vocabulary

/// The service, or one of its handlers. It keeps the dependencies whole.
protocol PasskeyComponent: Sendable {
    var dependencies: PasskeyService.Dependencies { get }
}

extension PasskeyComponent {
    var now: @Sendable () -> Moment { dependencies.now }
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] { dependencies.randomBytes }
    var store: PasskeyStore { dependencies.store }
    var peers: any BusRequestSending { dependencies.peers }
    var trust: AttestationTrust { dependencies.trust }
    var metrics: PasskeyMetrics { dependencies.metrics }

    /// The relying party of a sign-in.
    /// - Throws: `passkeysNotEnabled`, `projectDisabled` for a tenant without sign-ins, and those of
    ///   `Identity.ResolveConfiguration`.
    func relyingParty(of realm: Realm, _ call: BusCall) async throws -> EffectiveRelyingParty {
        let configuration = try await dependencies.configurations.configuration(
            forSignInTo: realm, call.options(at: now()))
        return try EffectiveRelyingParty(configuration.passkeyConfig, of: realm, defaults: dependencies.defaults)
    }
}
