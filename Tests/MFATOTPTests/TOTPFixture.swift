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

@testable import MFATOTPService

/// Fake identity with the operations that mfa-totp uses: accounts by ID tokens that name them, and pending sign-ins.
final class FakeIdentity: Sendable {
    struct State {
        var accounts: [AccountID: Account] = [:]
        var window = 1
        var isOn = true
        /// Start and account of each pending sign-in.
        var pending: [String: (account: AccountID, startedAt: Moment)] = [:]
        var begun = 0
        /// The errors of the next request of each operation.
        var refusals: [Identity.Operation: ServiceError] = [:]
        /// The next enrollment takes effect, but its reply is lost.
        var losesReply = false
        var received: [Identity.Operation] = []
        var criteria: [Int] = []
        var enrolled: [Identity.EnrollFactor] = []
        var enrollmentKeys: [String] = []
        var refusedSignIns: [Identity.RecordRefusedSignIn] = []
    }
    let state = Mutex(State())
    static let tokens = TokenSet(idToken: Secret("id"), refreshToken: Secret("refresh"), expiresInSeconds: 3600)

    func add(_ id: String, in realm: Realm = TOTPFixture.realm) {
        let account = Account(
            id: AccountID(id), realm: realm, email: EmailAddress("\(id)@example.com"), emailVerified: true,
            validSince: Timestamp(seconds: 0), createdAt: Moment(milliseconds: 0))
        state.withLock { $0.accounts[account.id] = account }
    }

    func refuse(_ operation: Identity.Operation, _ code: WireError.Code) {
        state.withLock { $0.refusals[operation] = ServiceError(code) }
    }

    func list(_ factor: FactorID, of id: String) {
        state.withLock {
            $0.accounts[AccountID(id)]?.secondFactors.append(
                .init(id: factor, kind: .totp, displayName: "app", enrolledAt: Moment(milliseconds: 0)))
        }
    }

    func unlist(_ id: String) { state.withLock { $0.accounts[AccountID(id)]?.secondFactors = [] } }

    /// Starts a sign-in whose first factor was verified.
    func begin(_ id: String, at now: Moment) -> Secret<String> {
        state.withLock { state in
            state.begun += 1
            let credential = "pending-\(state.begun)"
            state.pending[credential] = (AccountID(id), now)
            return Secret(credential)
        }
    }

    private func reply<Reply>(
        _ operation: Identity.Operation, _ body: (inout State) throws -> Reply
    ) throws -> Reply {
        try state.withLock { state in
            state.received.append(operation)
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
        let mesh = ScriptedMesh(as: .mfaTOTP)
        mesh.reply(to: Identity.CheckEnrollment.self) { [self] request, _ in
            try reply(.checkEnrollment) { state in
                guard state.isOn else { throw ServiceError(.operationNotAllowed) }
                let account = try Self.account(behind: request.idToken, state)
                if request.stage == .start, account.secondFactors.contains(where: { $0.kind == .totp }) {
                    throw ServiceError(.tooManyTOTPFactors)
                }
                return .init(
                    account: account, principal: Self.principal(account),
                    verification: .totp(windowSteps: state.window), applicationName: "Flower Shop")
            }
        }
        mesh.reply(to: Identity.EnrollFactor.self) { [self] request, options in
            try reply(.enrollFactor) { state in
                var account = try Self.account(behind: request.idToken, state)
                state.enrolled.append(request)
                state.enrollmentKeys.append(options.idempotencyKey ?? "")
                if !account.secondFactors.contains(where: { $0.id == request.factorID }) {
                    account.secondFactors.append(
                        .init(
                            id: request.factorID, kind: .totp, displayName: request.displayName,
                            enrolledAt: Moment(milliseconds: 0)))
                    state.accounts[account.id] = account
                }
                if state.losesReply {
                    state.losesReply = false
                    throw ServiceError(.deadlineExceeded)
                }
                return .init(account: account, tokens: Self.tokens)
            }
        }
        mesh.reply(to: Identity.ResolvePendingSignIn.self) { [self] request, _ in
            try reply(.resolvePendingSignIn) { state in
                guard let pending = request.pendingCredential.flatMap({ state.pending[$0.reveal()] }),
                    let account = state.accounts[pending.account]
                else { throw ServiceError(.invalidPendingCredential) }
                return .init(
                    accountID: account.id, realm: account.realm, factors: account.secondFactors,
                    startedAt: pending.startedAt, verification: .totp(windowSteps: state.window))
            }
        }
        mesh.reply(to: Identity.CompleteSignIn.self) { [self] request, _ in
            try reply(.completeSignIn) { state in
                guard
                    let pending = request.pendingCredential.flatMap({
                        state.pending.removeValue(forKey: $0.reveal())
                    }),
                    let account = state.accounts[pending.account]
                else { throw ServiceError(.invalidPendingCredential) }
                return .init(account: account, tokens: Self.tokens)
            }
        }
        mesh.reply(to: Identity.RecordRefusedSignIn.self) { [self] request, _ in
            try reply(.recordRefusedSignIn) { state in
                state.refusedSignIns.append(request)
                return EmptyReply()
            }
        }
        mesh.reply(to: Identity.FindAccounts.self) { [self] request, _ in
            try reply(.findAccounts) { state in
                state.criteria.append(request.criteria.count)
                return .init(
                    accounts: request.criteria.compactMap { criterion in
                        guard case .accountID(let id) = criterion, let account = state.accounts[id],
                            account.realm == request.realm
                        else { return nil }
                        return account
                    })
            }
        }
        return mesh
    }
}

/// mfa-totp with all real parts except the clock and identity.
struct TOTPFixture {
    static let realm = Realm(project: ProjectID("demo"))

    let clock = ManualClock()
    let identity = FakeIdentity()
    let masterKeys: ReloadingMasterKeyRing
    let place: StoreLocation
    let store: TOTPStore
    let metrics = Metrics()
    let logged = LoggedLines()

    final class LoggedLines: Sendable {
        let all = Mutex<[String]>([])

        func lines(of event: String) -> [String] { all.withLock { $0.filter { $0.contains(" \(event) ") } } }
    }

    init(_ engine: StoreEngine = .memory) async throws {
        place = try await StoreLocation(engine, name: "mfa_totp", migrations: TOTPMigrations.all)
        masterKeys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        store = try await TOTPStore(try await place.open(), keys: masterKeys)
        identity.add("ada")
    }

    var log: Log { Log(instance: "mfa-totp.1", write: { [logged] line in logged.all.withLock { $0.append(line) } }) }

    func service(on store: TOTPStore? = nil) -> TOTPService {
        TOTPService(
            dependencies: .init(
                now: { [clock] in clock.now }, randomBytes: Random.bytes, store: store ?? self.store,
                peers: identity.peers, metrics: TOTPMetrics(metrics, log: log)))
    }

    /// - Returns: the number of deleted factors.
    @discardableResult
    func reconcile() async throws -> Int {
        try await Reconciliation(store, peers: identity.peers, log: log).reconcile(at: clock.now)
    }

    /// Sends the request as the bus does, and throws refusals as the bus returns them.
    func send<Request: BusRequest>(
        _ request: Request, of service: TOTPService? = nil
    ) async throws -> Request.Reply where Request.Operation == MFATOTP.Operation {
        let service = service ?? self.service()
        let call = try BusCall(request, deadline: clock.now + .seconds(5))
        do {
            return try await service.handle(Request.operation, call).result()
        } catch let error as ServiceError {
            throw ServiceError(WireError(error, now: clock.now))
        }
    }

    func start(
        _ id: String = "ada", qrCode: MFATOTP.StartEnrollment.QRCodeForm? = nil
    ) async throws -> MFATOTP.StartEnrollment.Reply {
        try await send(MFATOTP.StartEnrollment(realm: Self.realm, idToken: Secret(id), qrCode: qrCode))
    }

    func finish(
        _ session: Secret<String>?, _ code: String?, by id: String? = "ada", name: String? = "app"
    ) async throws {
        _ = try await send(
            MFATOTP.FinishEnrollment(
                realm: Self.realm, idToken: id.map(Secret.init), sessionInfo: session, code: code.map(Secret.init),
                displayName: name))
    }

    /// The code of a secret, `offset` steps from now.
    func code(_ secret: [UInt8], _ offset: Int64 = 0) -> String {
        TOTPCode(secret: secret, step: TOTPCode.step(at: clock.now) + offset).text
    }

    func code(_ started: MFATOTP.StartEnrollment.Reply, _ offset: Int64 = 0) throws -> String {
        code(try #require(Base32.decode(started.sharedSecretKey.reveal())), offset)
    }

    /// An account whose authenticator app was enrolled with the code of the previous step.
    func enrolled(_ id: String = "ada") async throws -> Enrolled {
        identity.add(id)
        let started = try await start(id)
        try await finish(started.sessionInfo, try code(started, -1), by: id)
        return Enrolled(
            account: id, secret: try #require(Base32.decode(started.sharedSecretKey.reveal())),
            factorID: try #require(identity.state.withLock { $0.enrolled.last?.factorID }))
    }

    struct Enrolled {
        var account: String
        var secret: [UInt8]
        var factorID: FactorID
    }

    /// Signs in with both factors.
    func signIn(
        _ enrolled: Enrolled, _ code: String?, factorID: FactorID? = nil, of service: TOTPService? = nil
    ) async throws {
        _ = try await send(
            MFATOTP.FinishSignIn(
                project: Self.realm.project, pendingCredential: identity.begin(enrolled.account, at: clock.now),
                factorID: factorID ?? enrolled.factorID, code: code.map(Secret.init)), of: service)
    }

    /// A six-digit code that is wrong for every step near now.
    func wrong(_ secret: [UInt8]) -> String {
        let taken = Set((-30...30).map { code(secret, $0) })
        return (0...).lazy.map { String($0 + 1_000_000).dropFirst() }.map(String.init).first { !taken.contains($0) }
            ?? ""
    }

    func factorCount() async throws -> Int { try await store.listing.keys(after: nil, limit: 1000).count }
}

extension TOTPCode {
    /// The text that an authenticator app shows.
    var text: String { String(decoding: characters, as: UTF8.self) }
}

extension TOTPStore {
    /// Verifies a code that always comes from the same request.
    func verifyCode(
        _ code: TOTPCode?, of enrollment: TOTPEnrollment, window: Int, at now: Moment
    ) async throws -> TOTPEnrollment.VerificationResult {
        try await verify(.init(code: code, request: [1], windowSteps: window), of: enrollment, at: now)
    }
}
