import Bus
import Contracts
import Crypto
import DatabaseService
import FoundationEssentials
import JSON
import MasterKey
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// Fake identity with the operations that federation uses.
final class FakeIdentity: Sendable {
    struct State {
        var configuration = ProjectConfiguration()
        var isDisabled = false
        /// The error of `resolveConfiguration` in tenants.
        var tenantError: ServiceError?
        /// The sign-ins, in order.
        var received: [Identity.SignInWithProvider] = []
        /// The links of the only account, which every ID token is of.
        var links: [ProviderLink] = []
        /// The reply to the next sign-ins; nil: a session.
        var reply: Identity.ProviderSignInReply?
        /// The changes of accounts, in order.
        var updates: [Identity.UpdateAccount] = []
        /// The error of the next changes of accounts.
        var updateError: ServiceError?
        /// The recorded changes of providers, by idempotency key.
        var providerChanges: [String?: Identity.RecordProviderChange] = [:]
        /// The error of the next changes of providers.
        var providerChangeError: ServiceError?
    }
    let state = Mutex(State())

    init() {
        state.withLock { $0.configuration.authorizedDomains = ["localhost", "app.example.com"] }
    }

    var received: [Identity.SignInWithProvider] { state.withLock { $0.received } }

    static let session = Identity.ProviderSignInReply(
        session: .init(
            account: Account(
                id: AccountID("ada"), realm: FederationFixture.realm, validSince: Timestamp(seconds: 0),
                createdAt: Moment(milliseconds: 0)),
            tokens: TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600),
            isNewAccount: true, isEmailRecycled: false))

    var peers: ScriptedMesh {
        let mesh = ScriptedMesh(as: .federation)
        mesh.reply(to: Identity.ResolveConfiguration.self) { [self] request, _ in
            try state.withLock {
                if request.realm.tenant != nil, let error = $0.tenantError { throw error }
                return .init(configuration: $0.configuration, projectNumber: "12345", isDisabled: $0.isDisabled)
            }
        }
        mesh.reply(to: Identity.SignInWithProvider.self) { [self] request, _ in
            state.withLock {
                $0.received.append(request)
                return $0.reply ?? Self.session
            }
        }
        mesh.reply(to: Identity.LookUpOwnAccount.self) { [self] request, _ in
            try state.withLock {
                guard request.idToken != nil else { throw ServiceError(.missingIDToken) }
                guard let session = Self.session.session else { throw ServiceError(.internal) }
                var account = session.account
                account.providers = $0.links
                return .init(account: account)
            }
        }
        mesh.reply(to: Identity.FindAccounts.self) { [self] request, _ in
            try state.withLock { state in
                guard let session = Self.session.session else { throw ServiceError(.internal) }
                let isFound = request.criteria.contains { criterion in
                    guard case .provider(let id, let subject) = criterion else { return false }
                    return state.links.contains { $0.providerID == id && $0.providerAccountID == subject }
                }
                return .init(accounts: isFound ? [session.account] : [])
            }
        }
        mesh.reply(to: Identity.UpdateAccount.self) { [self] request, _ in
            try state.withLock { state in
                guard let session = Self.session.session else { throw ServiceError(.internal) }
                if let error = state.updateError { throw error }
                state.updates.append(request)
                return .init(account: session.account)
            }
        }
        mesh.reply(to: Identity.RecordProviderChange.self) { [self] request, options in
            try state.withLock { state in
                if let error = state.providerChangeError { throw error }
                state.providerChanges[options.idempotencyKey] = request
                return EmptyReply()
            }
        }
        return mesh
    }
}

/// Federation with all real parts except the clock, identity and the providers.
struct FederationFixture: Sendable {
    static let realm = Realm(project: ProjectID("demo"))
    static let clientID = FakeProviders.clientID
    static let openID = "oidc.test"

    let clock = ManualClock()
    let identity = FakeIdentity()
    let masterKeys: ReloadingMasterKeyRing
    let place: StoreLocation
    let store: FederationStore
    let providers: FakeProviders
    let metrics = Metrics()
    let lines = LoggedLines()
    /// The anchors of the certificate of Game Center.
    var anchors = TrustAnchors([])

    final class LoggedLines: Sendable {
        let all = Mutex<[String]>([])
    }

    init(_ providers: FakeProviders, _ engine: StoreEngine = .memory) async throws {
        self.providers = providers
        place = try await StoreLocation(engine, name: "federation", migrations: FederationMigrations.all)
        masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        store = try await FederationStore(try await place.open(), keys: masterKeys)
    }

    static let client = ClientContext(ipAddress: "192.0.2.1", operatorName: "ada")

    /// A change for tests that are not about the audit log.
    static func change(_ id: String = Random.bytes(16).hexadecimal, at milliseconds: Int64 = 0) -> ProviderChange {
        ProviderChange(
            id: id, change: .created, realm: realm, at: Moment(milliseconds: milliseconds), ipAddress: nil,
            operatorName: nil, trace: .random())
    }

    var log: Log { Log(instance: "federation.1", write: { [lines] line in lines.all.withLock { $0.append(line) } }) }

    func providerChanges(on store: FederationStore? = nil) -> ProviderChangeOutbox {
        ProviderChangeOutbox(in: store ?? self.store, peers: identity.peers, log: log)
    }

    func service(
        on store: FederationStore? = nil, isDev: Bool = true, acceptsUnsignedTokens: Bool = false
    ) throws -> FederationService {
        let endpoints = try #require(DevEndpoints(providers.endpoints))
        let counters = FederationMetrics(metrics: metrics, log: log)
        var policy = OutgoingPolicy(isDev: true, endpoints: endpoints)
        // A busy machine does not fail tests.
        (policy.documentTime, policy.apiTime) = (.seconds(60), .seconds(60))
        return FederationService(
            .init(
                now: { [clock] in clock.now }, randomBytes: Random.bytes, store: store ?? self.store,
                peers: identity.peers,
                configurations: ProjectConfigurations(identity.peers, instant: { [clock] in clock.instant }),
                providerChanges: providerChanges(on: store),
                providers: ProviderClient(policy, instant: { [clock] in clock.instant }, metrics: counters),
                gameCenterAnchors: .chosen(anchors), isDev: isDev, acceptsUnsignedTokens: acceptsUnsignedTokens,
                metrics: counters))
    }

    /// Services read the configuration again.
    func endConfigurations() { clock.advance(by: RealmCache<ProjectConfiguration>.timeToLive) }

    /// Sends the request as the bus does, and throws errors as the bus returns them.
    func send<Request: BusRequest>(
        _ request: Request, to service: FederationService
    ) async throws -> Request.Reply where Request.Operation == Federation.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5))
        do {
            return try await service.handle(Request.operation, call).result()
        } catch let error as ServiceError {
            throw ServiceError(WireError(error, now: clock.now))
        }
    }

    /// The OpenID provider of the local server.
    func openIDProvider(
        usesCodeFlow: Bool = false, domains: [String] = [], isEnabled: Bool = true, secret: String? = "oidc-secret"
    ) -> Federation.Provider {
        .init(
            id: Self.openID, isEnabled: isEnabled, clientID: Self.clientID, clientSecret: secret.map(Secret.init),
            kind: .oidc(.init(issuer: providers.base, usesCodeFlow: usesCodeFlow, authoritativeDomains: domains)))
    }

    static func supported(
        _ provider: Federation.SupportedProvider, secret: String? = nil, apple: Federation.Provider.Apple? = nil
    ) -> Federation.Provider {
        .init(
            id: provider.rawValue, isEnabled: true, clientID: clientID, clientSecret: secret.map(Secret.init),
            kind: .supported(apple))
    }

    func insert(_ provider: Federation.Provider) async throws {
        #expect(try await store.insert(provider, in: Self.realm, revision: 1, Self.change()))
    }

    func request(
        _ providerID: String?, idToken: String? = nil, accessToken: String? = nil, nonce: String? = nil,
        code: String? = nil, state: String? = nil, user: String? = nil, error: String? = nil,
        sessionID: String? = nil, pendingToken: Secret<String>? = nil
    ) -> Federation.SignIn {
        .init(
            realm: Self.realm, requestURL: state == nil ? "http://localhost" : "http://localhost/after?code=x",
            response: .init(
                providerID: providerID, idToken: idToken.map(Secret.init), accessToken: accessToken.map(Secret.init),
                nonce: nonce.map(Secret.init), code: code.map(Secret.init), state: state.map(Secret.init), user: user,
                error: error),
            sessionID: sessionID.map(Secret.init), pendingToken: pendingToken)
    }
}

/// The code of the error that `body` throws, with its message if a message is expected.
func errorCode(_ body: () async throws -> Void) async -> WireError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ServiceError)?.code ?? (error as? ServiceError)?.code
    }
}
