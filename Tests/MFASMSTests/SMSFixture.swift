import Bus
import Contracts
import Crypto
import DatabaseService
import MasterKey
import PhoneNumbers
import SQL
import ServiceRuntime
import Settings
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// mfa-sms with all real parts except the clock and the services it depends on.
struct SMSFixture {
    static let realm = Realm(project: ProjectID("p"))
    static let number = "+12025550143"

    let clock = ManualClock()
    let mesh = FakeMesh()
    let metrics = Metrics()
    let activity = ActivityCounts()
    let place: StoreLocation
    let masterKeys: ReloadingMasterKeyRing
    private let policy: SendingPolicy
    private(set) var store: SMSStore
    let lines = LogLines()

    final class LogLines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// No limits: sending limits have their own tests.
    static var policy: SendingPolicy {
        var policy = SendingProcess.boundless
        policy.numberTypes = SendingPolicy.development.numberTypes
        return policy
    }

    init(
        _ engine: StoreEngine = .memory, _ ring: MasterKeyRing = .init(.random()), policy: SendingPolicy = Self.policy
    ) async throws {
        self.policy = policy
        place = try await StoreLocation(engine, name: "mfa_sms", migrations: SMSMigrations.all)
        masterKeys = try ReloadingMasterKeyRing(.variable(ring))
        store = try await SMSStore(place.open(), keys: masterKeys, policy: policy)
    }

    /// Stops the process and starts a new one on the same store.
    mutating func restart() async throws {
        await store.close()
        store = try await SMSStore(place.open(), keys: masterKeys, policy: policy)
    }

    /// A low difficulty.
    private static var appCheckSettings: AppVerificationSettings {
        var reader = SettingsReader(
            Environment(["LATCHKEY_SMS_CHALLENGE_BITS": "8"]), of: .service(.mfaSMS))
        return AppVerificationSettings(from: &reader, isDev: false)
    }

    func service(
        isDev: Bool = true, _ change: (inout SMSService.Dependencies) -> Void = { _ in }
    ) -> SMSService {
        let log = Log(
            instance: "mfa-sms.1", settings: .init(level: .debug),
            write: { [lines] line in lines.all.withLock { $0.append(line) } })
        let configurations = ProjectConfigurations(mesh.peers, instant: { [clock] in clock.instant })
        var dependencies = SMSService.Dependencies(
            now: { [clock] in clock.now }, randomBytes: Random.bytes, store: store, peers: mesh.peers,
            configurations: configurations,
            appVerifier: AppVerifier(
                Self.appCheckSettings, store, mesh.peers, configurations, now: { [clock] in clock.now },
                randomBytes: Random.bytes, log: log, isDev: isDev),
            // Most tests cover the steps after app verification.
            verifyAppCredential: { _, _, _, _ in }, originDomain: nil, metrics: CodeMetrics(metrics),
            sendingMetrics: SendingMetrics(
                metrics, activity: activity, policy: store.sending.rules.policy, log: log), log: log, isDev: isDev)
        change(&dependencies)
        return SMSService(dependencies: dependencies)
    }

    /// Sends the request as the bus does.
    func send<Request: BusRequest>(
        _ request: Request, of service: SMSService? = nil
    ) async throws -> Request.Reply where Request.Operation == MFASMS.Operation {
        let call = try BusCall(request, deadline: clock.now + .seconds(5))
        return try await (service ?? self.service()).handle(Request.operation, call).result()
    }

    // MARK: Flows

    func startPhoneSignIn(
        to number: String? = Self.number, in realm: Realm = Self.realm, from address: String? = nil,
        of service: SMSService? = nil
    ) async throws -> SentMessage {
        let sent = try await send(
            MFASMS.StartPhoneSignIn(
                realm: realm, phoneNumber: number, appCredential: .init(), client: .init(ipAddress: address)),
            of: service)
        return try SentMessage(sent, lastCode)
    }

    func signIn(
        _ sessionInfo: String?, _ code: String?, in realm: Realm = Self.realm,
        _ intent: Identity.PhoneIntent = .signUpOrIn,
        of service: SMSService? = nil
    ) async throws -> Identity.PhoneSignInReply {
        try await send(
            MFASMS.FinishPhoneSignIn(
                realm: realm, sessionInfo: sessionInfo.map(Secret.init), code: code.map(Secret.init), intent: intent),
            of: service)
    }

    func startEnrollment(
        _ idToken: String? = "ada", _ number: String? = Self.number, in realm: Realm = Self.realm,
        of service: SMSService? = nil
    ) async throws -> SentMessage {
        let sent = try await send(
            MFASMS.StartEnrollment(
                realm: realm, idToken: idToken.map(Secret.init), phoneNumber: number, appCredential: .init()),
            of: service)
        return try SentMessage(sent, lastCode)
    }

    func finishEnrollment(
        _ sessionInfo: String?, _ code: String?, _ idToken: String? = "ada", in realm: Realm = Self.realm,
        of service: SMSService? = nil
    ) async throws -> MFASMS.FinishEnrollment.Reply {
        try await send(
            MFASMS.FinishEnrollment(
                realm: realm, idToken: idToken.map(Secret.init), sessionInfo: sessionInfo.map(Secret.init),
                code: code.map(Secret.init), displayName: "my phone"), of: service)
    }

    func startSignIn(
        _ credential: String? = "ada", factor: String? = "f1", of service: SMSService? = nil
    ) async throws -> SentMessage {
        let sent = try await send(
            MFASMS.StartSignIn(
                project: Self.realm.project, pendingCredential: credential.map(Secret.init),
                factorID: factor.map { FactorID($0) }, appCredential: .init()), of: service)
        return try SentMessage(sent, lastCode)
    }

    func finishSignIn(
        _ sessionInfo: String?, _ code: String?, _ credential: String? = "ada", of service: SMSService? = nil
    ) async throws -> MFASMS.FinishSignIn.Reply {
        try await send(
            MFASMS.FinishSignIn(
                project: Self.realm.project, pendingCredential: credential.map(Secret.init),
                sessionInfo: sessionInfo.map(Secret.init), code: code.map(Secret.init)), of: service)
    }

    /// The code of the last message.
    private var lastCode: String { mesh.state.withLock { $0.messages.last?.code.reveal() ?? "" } }

    func giveFactors(_ numbers: [String]) throws {
        let factors = try numbers.enumerated().map { place, number in
            SecondFactor(
                id: FactorID("f\(place + 1)"), kind: .phone(try #require(PhoneNumber(number))), displayName: nil,
                enrolledAt: Moment(milliseconds: 0))
        }
        mesh.state.withLock { $0.factors = factors }
    }
}

struct SentMessage {
    let sessionInfo: String
    let code: String

    init(_ sent: MFASMS.SentCode, _ code: String) throws {
        sessionInfo = sent.sessionInfo.reveal()
        self.code = code
    }

    /// Always a wrong code.
    var invalidCode: String { Self.wrong(code) }

    static func wrong(_ code: String, by step: Int = 1) -> String {
        let number = String(((Int(code) ?? 0) + step) % 1_000_000)
        return String(repeating: "0", count: 6 - number.count) + number
    }
}

/// Runs the calls in parallel and counts their results.
func outcomes(
    of count: Int, _ body: @escaping @Sendable (Int) async throws -> Void
) async -> (successes: Int, refusals: [ServiceError: Int]) {
    await withTaskGroup(of: ServiceError?.self) { group in
        for number in 0..<count {
            group.addTask {
                do {
                    try await body(number)
                    return nil
                } catch let error as ServiceError {
                    return error
                } catch {
                    Issue.record("\(error)")
                    return ServiceError(.internal)
                }
            }
        }
        var successes = 0
        var refusals: [ServiceError: Int] = [:]
        for await refusal in group {
            if let refusal { refusals[refusal, default: 0] += 1 } else { successes += 1 }
        }
        return (successes, refusals)
    }
}
