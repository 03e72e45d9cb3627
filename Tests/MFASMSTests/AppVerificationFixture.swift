import Bus
import Contracts
import Crypto
import FoundationEssentials
import JSON
import Postgres
import SQL
import SQLite
import ServiceRuntime
import Settings
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// App verification with all real parts except the clock, the configuration and the notifier.
struct AppVerificationFixture {
    let clock = ManualClock()
    let database: any SQLDatabase
    let pushes = Pushes()
    let reported = ReportedErrorLog()
    let key = Random.bytes(32)
    let project = ProjectID("p")
    /// Kept alive, because the database is deleted with it.
    private let place: StoreLocation

    /// Records the pushes that the notifier received and can make it refuse more.
    final class Pushes: Sendable {
        let all = Mutex<[Notifier.SendPush]>([])
        let refusal = Mutex<ServiceError?>(nil)
    }

    init(_ engine: StoreEngine = .memory) async throws {
        let tables = AppVerificationMigrations.tables
        let migrations = [SQLMigration(1, tables.name, tables.sql)]
        place = try await StoreLocation(engine, name: "sms", migrations: migrations)
        database = try await place.open()
        try await database.migrate(migrations)
    }

    static let apps = """
        {"authorizedDomains":["auth.example.org"],"mobileApps":[{"bundleId":"org.example.app"},\
        {"bundleId":"org.example.other"}]}
        """

    static func configuration(_ json: String = apps) throws -> ProjectConfiguration {
        try WireJSON.decode(ProjectConfiguration.self, from: Data(json.utf8))
    }

    func appCheck(
        dev: Bool = false, configuration: String = apps,
        change: (inout AppVerificationSettings) -> Void = { _ in }
    ) throws -> AppVerifier {
        var settings = try Self.settings([:])
        settings.challengeBits = 8
        change(&settings)
        return AppVerifier(
            .init(
                now: { [clock] in clock.now }, randomBytes: Random.bytes,
                store: AppVerificationStore(database: database, digestKey: key),
                configuration: { _, _ in try Self.configuration(configuration) },
                push: { [pushes] push, _ in
                    if let refusal = pushes.refusal.withLock({ $0 }) { throw refusal }
                    pushes.all.withLock { $0.append(push) }
                },
                report: { [reported] error in reported.errors.withLock { $0.append(error) } }, settings: settings,
                isDev: dev))
    }

    /// Records the errors that an operator would read in the log.
    final class ReportedErrorLog: Sendable {
        let errors = Mutex<[any Error]>([])
    }

    static func settings(_ variables: [String: String], dev: Bool = false) throws -> AppVerificationSettings {
        var reader = SettingsReader(Environment(variables), of: .service(.mfaSMS))
        let settings = AppVerificationSettings(from: &reader, isDev: dev)
        try reader.finish()
        return settings
    }
}

/// The application of the tests.
let bundle = "org.example.app"
/// An APNs token in the format of iOS.
let deviceToken = String(repeating: "9F86D081", count: 8)

extension AppVerificationFixture {
    var realm: Realm { Realm(project: project) }

    func startDevice(
        _ check: AppVerifier, bundleID: String? = bundle, token: String? = deviceToken, address: String? = nil
    ) async throws -> Notifier.SendPush {
        let request = MFASMS.StartPushVerification(
            project: project, deviceToken: token.map(Secret.init), isSandbox: true, bundleID: bundleID,
            client: .init(ipAddress: address))
        let reply = try await check.startPushVerification(request, BusCall(request, deadline: clock.now + .seconds(5)))
        #expect(reply.timeoutSeconds == 5)
        let push = try #require(pushes.all.withLock { $0.last })
        #expect(push.receipt == reply.receipt)
        return push
    }

    func demand(
        _ check: AppVerifier, _ push: Notifier.SendPush, secret: String? = nil, bundleID: String? = bundle,
        in project: String = "p", configuration: String = apps
    ) async throws {
        try await check.verify(
            .init(
                deviceReceipt: push.receipt, deviceSecret: secret.map(Secret.init) ?? push.secret,
                clientType: .ios, bundleID: bundleID), in: Realm(project: ProjectID(project)),
            Self.configuration(configuration), .init())
    }

    func demand(
        _ check: AppVerifier, token: String, bundleID: String? = bundle, in project: String = "p"
    ) async throws {
        try await check.verify(
            .init(recaptchaToken: Secret(token), bundleID: bundleID), in: Realm(project: ProjectID(project)),
            Self.configuration(), .init())
    }

    func start(_ check: AppVerifier, address: String? = nil) async throws -> MFASMS.StartWebChallenge.Reply {
        try await check.startWebChallenge(.init(project: project, client: .init(ipAddress: address)))
    }

    func finish(
        _ check: AppVerifier, _ challenge: MFASMS.StartWebChallenge.Reply?, answer: String? = nil,
        recaptchaToken: String? = nil, bundleID: String? = bundle, address: String? = nil, in other: String? = nil
    ) async throws -> String {
        let answer = answer ?? challenge.map(Self.solve)
        let request = MFASMS.FinishWebChallenge(
            project: other.map { ProjectID($0) } ?? project, challenge: challenge?.challenge, answer: answer,
            recaptchaToken: recaptchaToken.map(Secret.init), bundleID: bundleID, client: .init(ipAddress: address))
        return try await check.finishWebChallenge(request, BusCall(request, deadline: clock.now + .seconds(5)))
            .token.reveal()
    }

    static func solve(_ challenge: MFASMS.StartWebChallenge.Reply) -> String {
        for number in 0... {
            let digest = SHA2.sha256(Array("\(challenge.challenge.reveal()):\(number)".utf8))
            if ProofOfWorkChallenge.leadingZeroBits(digest) >= challenge.difficultyBits { return String(number) }
        }
        return ""
    }

    /// Runs `body` fifty times in parallel and returns how many calls succeed.
    func successes(_ body: @Sendable @escaping () async throws -> Void) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        try await body()
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
