import Bus
import Contracts
import Crypto
import DatabaseService
import MasterKey
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// Fake identity with the operations that the passkey service uses: accounts by ID tokens that name them, and their
/// lists of passkeys.
final class FakeIdentity: Sendable {
    struct State {
        var accounts: [AccountID: Account] = [:]
        var configuration: ProjectConfiguration.Passkeys?
        var isTenantDisabled = false
        /// The errors of the next request of each operation.
        var refusals: [Identity.Operation: ServiceError] = [:]
        /// The next enrollment takes effect, but its reply is lost.
        var losesReply = false
        var requests: [Identity.Operation] = []
        var enrolled: [Identity.EnrollPasskey] = []
        /// The enrollments that took effect, by their idempotency keys.
        var recordedEnrollments: [String: Identity.EnrollPasskey.Reply] = [:]
        var signIns: [Identity.SignInWithPasskey] = []
        var refusedSignIns: [Identity.RecordRefusedSignIn] = []
        var criteria: [[Identity.FindAccounts.Criterion]] = []
    }
    let state = Mutex(State())
    static let tokens = TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600)

    func add(_ id: String, in realm: Realm = PasskeyFixture.realm, email: String? = nil) {
        let account = Account(
            id: AccountID(id), realm: realm, email: EmailAddress(email ?? "\(id)@example.com"), emailVerified: true,
            validSince: Timestamp(seconds: 0), createdAt: Moment(milliseconds: 0))
        state.withLock { $0.accounts[account.id] = account }
    }

    func change(_ id: String, _ change: (inout Account) -> Void) {
        state.withLock { state in
            if var account = state.accounts[AccountID(id)] {
                change(&account)
                state.accounts[account.id] = account
            }
        }
    }

    func configure(_ change: (inout ProjectConfiguration.Passkeys) -> Void) {
        state.withLock { state in
            var configuration = state.configuration ?? .init()
            change(&configuration)
            state.configuration = configuration
        }
    }

    func refuse(_ operation: Identity.Operation, _ code: WireError.Code) {
        state.withLock { $0.refusals[operation] = ServiceError(code) }
    }

    func passkeys(of id: String) -> [AccountPasskey] {
        state.withLock { $0.accounts[AccountID(id)]?.passkeys ?? [] }
    }

    private func reply<Reply>(
        _ operation: Identity.Operation, _ body: (inout State) throws -> Reply
    ) throws -> Reply {
        try state.withLock { state in
            state.requests.append(operation)
            if let refusal = state.refusals.removeValue(forKey: operation) { throw refusal }
            return try body(&state)
        }
    }

    private static func account(behind token: Secret<String>?, _ state: State) throws -> Account {
        guard let token else { throw ServiceError(.missingIDToken) }
        guard let account = state.accounts[AccountID(token.reveal())] else { throw ServiceError(.invalidIDToken) }
        return account
    }

    private static func principal(_ account: Account) -> Principal {
        .init(
            accountID: account.id, realm: account.realm, issuedAt: Timestamp(seconds: 0),
            authenticatedAt: Timestamp(seconds: 0), signInProvider: "password")
    }

    var peers: ScriptedMesh {
        let mesh = ScriptedMesh(as: .passkey)
        mesh.reply(to: Identity.ResolveConfiguration.self) { [self] _, _ in
            try reply(.resolveConfiguration) { state in
                var configuration = ProjectConfiguration()
                configuration.passkeyConfig = state.configuration
                return .init(
                    configuration: configuration, projectNumber: "1", isDisabled: state.isTenantDisabled)
            }
        }
        mesh.reply(to: Identity.VerifyIDToken.self) { [self] request, _ in
            try reply(.verifyIDToken) {
                .init(principal: Self.principal(try Self.account(behind: request.idToken, $0)))
            }
        }
        mesh.reply(to: Identity.FindAccounts.self) { [self] request, _ in
            try reply(.findAccounts) { state in
                state.criteria.append(request.criteria)
                return .init(
                    accounts: state.accounts.values.filter { account in
                        account.realm == request.realm
                            && request.criteria.contains { criterion in
                                switch criterion {
                                case .accountID(let id): account.id == id
                                case .email(let email): account.email?.rawValue == email
                                case .phoneNumber(let number): account.phoneNumber?.rawValue == number
                                case .initialEmail, .provider: false
                                }
                            }
                    })
            }
        }
        mesh.reply(to: Identity.CheckPasskeyEnrollment.self) { [self] request, _ in
            try reply(.checkPasskeyEnrollment) { state in
                let account = try Self.account(behind: request.idToken, state)
                return .init(
                    account: account, principal: Self.principal(account), configuration: state.configuration)
            }
        }
        mesh.reply(to: Identity.EnrollPasskey.self) { [self] request, options in
            try reply(.enrollPasskey) { state in
                let key = options.idempotencyKey ?? ""
                if let recorded = state.recordedEnrollments[key] { return recorded }
                var account = try Self.account(behind: request.idToken, state)
                state.enrolled.append(request)
                account.passkeys.append(request.passkey)
                state.accounts[account.id] = account
                let reply = Identity.EnrollPasskey.Reply(
                    account: account,
                    tokens: TokenSet(
                        idToken: Secret("id"), refreshToken: Secret("refresh-\(state.enrolled.count)"),
                        expiresInSeconds: 3600))
                state.recordedEnrollments[key] = reply
                if state.losesReply {
                    state.losesReply = false
                    throw ServiceError(.deadlineExceeded)
                }
                return reply
            }
        }
        mesh.reply(to: Identity.SignInWithPasskey.self) { [self] request, _ in
            try reply(.signInWithPasskey) { state in
                state.signIns.append(request)
                guard let account = state.accounts[request.accountID], account.realm == request.realm,
                    account.passkeys.contains(where: { $0.credentialID == request.credentialID })
                else { throw ServiceError(.passkeyNotFound) }
                guard !account.disabled else { throw ServiceError(.accountDisabled) }
                return .init(account: account, tokens: Self.tokens)
            }
        }
        mesh.reply(to: Identity.RecordRefusedSignIn.self) { [self] request, _ in
            try reply(.recordRefusedSignIn) { state in
                state.refusedSignIns.append(request)
                return EmptyReply()
            }
        }
        return mesh
    }
}

/// The passkey service with all real parts except the clock and identity.
struct PasskeyFixture {
    static let realm = Realm(project: ProjectID("demo"))
    static let relyingPartyID = "example.com"

    let clock = ManualClock()
    let identity = FakeIdentity()
    let masterKeys: ReloadingMasterKeyRing
    let place: StoreLocation
    let store: PasskeyStore
    let metrics = Metrics()
    let logged = LoggedLines()
    let configurations: ProjectConfigurations
    let service: PasskeyService

    final class LoggedLines: Sendable {
        let all = Mutex<[String]>([])

        func lines(of event: String) -> [String] { all.withLock { $0.filter { $0.contains(" \(event) ") } } }
    }

    init(
        _ engine: StoreEngine = .memory,
        defaults: RelyingPartyDefaults = .init(id: RelyingPartyID(relyingPartyID), isDev: false),
        trust: AttestationTrust = .none
    ) async throws {
        place = try await StoreLocation(engine, name: "passkey", migrations: PasskeyMigrations.all)
        masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        store = try await PasskeyStore(try await place.open(), keys: masterKeys)
        configurations = ProjectConfigurations(identity.peers, instant: { [clock] in clock.instant })
        service = Self.service(
            on: store, identity, configurations, clock, defaults, trust,
            PasskeyMetrics(metrics, log: Self.log(to: logged)))
        identity.add("ada")
    }

    private static func service(
        on store: PasskeyStore, _ identity: FakeIdentity, _ configurations: ProjectConfigurations,
        _ clock: ManualClock, _ defaults: RelyingPartyDefaults, _ trust: AttestationTrust, _ metrics: PasskeyMetrics
    ) -> PasskeyService {
        PasskeyService(
            dependencies: .init(
                now: { clock.now }, randomBytes: Random.bytes, store: store, peers: identity.peers,
                configurations: configurations, defaults: defaults, trust: trust, metrics: metrics))
    }

    private static func log(to logged: LoggedLines) -> Log {
        Log(instance: "passkey.1", write: { line in logged.all.withLock { $0.append(line) } })
    }

    /// Another process with the same database.
    func secondService() async throws -> (service: PasskeyService, store: PasskeyStore) {
        let store = try await PasskeyStore(try await place.open(), keys: masterKeys)
        let metrics = PasskeyMetrics(Metrics(), log: Self.log(to: logged))
        let defaults = RelyingPartyDefaults(id: RelyingPartyID(Self.relyingPartyID), isDev: false)
        return (Self.service(on: store, identity, configurations, clock, defaults, .none, metrics), store)
    }

    /// - Returns: the number of deleted credentials.
    @discardableResult
    func reconcile() async throws -> Int {
        try await Reconciliation(store, peers: identity.peers, log: Self.log(to: logged))
            .reconcile(at: clock.now)
    }

    /// Sends the request as the bus does, and throws refusals as the bus returns them.
    func send<Request: BusRequest>(
        _ request: Request, to service: PasskeyService? = nil
    ) async throws -> Request.Reply where Request.Operation == Passkey.Operation {
        let service = service ?? self.service
        let call = try BusCall(request, deadline: clock.now + .seconds(5))
        do {
            return try await service.handle(Request.operation, call).result()
        } catch let error as ServiceError {
            throw ServiceError(WireError(error, now: clock.now))
        }
    }

    // MARK: Enrollment

    func startEnrollment(
        _ id: String? = "ada", in realm: Realm = realm, isConditional: Bool = false
    ) async throws -> Passkey.StartEnrollment.Reply {
        try await send(
            Passkey.StartEnrollment(realm: realm, idToken: id.map(Secret.init), isConditional: isConditional))
    }

    @discardableResult
    func finishEnrollment(
        _ response: Passkey.RegistrationResponse, by id: String? = "ada", in realm: Realm = realm,
        name: String? = "laptop", from address: String? = nil, of service: PasskeyService? = nil
    ) async throws -> TokenSet {
        try await send(
            Passkey.FinishEnrollment(
                realm: realm, idToken: id.map(Secret.init), response: response, name: name,
                client: ClientContext(ipAddress: address)),
            to: service
        ).tokens
    }

    /// An authenticator whose credential is a passkey of an account.
    func enrolled(
        _ id: String = "ada", in realm: Realm = realm,
        _ prepare: (inout SoftwareAuthenticator) -> Void = { _ in }
    ) async throws -> SoftwareAuthenticator {
        if identity.state.withLock({ $0.accounts[AccountID(id)] == nil }) { identity.add(id, in: realm) }
        var device = try SoftwareAuthenticator()
        prepare(&device)
        try await finishEnrollment(
            device.register(try await startEnrollment(id, in: realm)), by: id, in: realm)
        return device
    }

    // MARK: Sign-in

    func startSignIn(
        idToken: String? = nil, identifier: String? = nil, in realm: Realm = realm
    ) async throws -> Passkey.StartSignIn.Reply {
        try await send(
            Passkey.StartSignIn(realm: realm, idToken: idToken.map(Secret.init), identifier: identifier))
    }

    @discardableResult
    func finishSignIn(
        _ response: Passkey.AuthenticationResponse, in realm: Realm = realm, of service: PasskeyService? = nil
    ) async throws -> Identity.FirstFactorReply {
        try await send(Passkey.FinishSignIn(realm: realm, response: response), to: service)
    }

    /// A whole sign-in without a user name.
    @discardableResult
    func signIn(
        _ device: inout SoftwareAuthenticator, _ deviation: SoftwareAuthenticator.Deviation = .init()
    ) async throws -> Identity.FirstFactorReply {
        try await finishSignIn(device.authenticate(try await startSignIn(), deviation))
    }

    // MARK: State

    func credentialCount() async throws -> Int { try await store.listing.keys(after: nil, limit: 1000).count }

    func stored(_ device: SoftwareAuthenticator) async throws -> PasskeyCredential? {
        try await store.credential(device.credentialID, in: Self.realm.project)?.credential
    }

    /// The ceremonies that are not finished.
    func ceremonyCount() async throws -> Int {
        try await store.database.read { transaction in
            try transaction.rows("SELECT challenge_digest FROM ceremonies WHERE request_digest IS NULL LIMIT 1000")
                .count
        }
    }
}

/// The code of the error of a request; nil if it succeeded.
func errorCode(_ body: () async throws -> Void) async -> WireError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ServiceError)?.code ?? .internal
    }
}
