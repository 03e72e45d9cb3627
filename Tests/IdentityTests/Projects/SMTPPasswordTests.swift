import Contracts
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The password of a project's mail server, which earlier versions stored as plain text.
@Suite struct SMTPPasswordTests {
    private static let project = ProjectID("shop")
    private static let secret = "correct-smtp-horse"

    private final class MeshStorage: Sendable {
        let place: StoreLocation
        let keys: ReloadingMasterKeyRing

        init(_ engine: StoreEngine) async throws {
            place = try await StoreLocation(engine, name: "identity")
            keys = try ReloadingMasterKeyRing(.variable(MasterKeyRing(.random())))
        }

        func open() async throws -> IdentityStore { try await IdentityStore(try await place.open(), keys: keys) }
    }

    /// A database in which an earlier version stored a configuration with SMTP settings.
    private func home(_ engine: StoreEngine) async throws -> MeshStorage {
        let home = try await MeshStorage(engine)
        let store = try await home.open()
        let audit = AuditEntry(
            at: Moment(milliseconds: 0), realm: Realm(project: Self.project), action: .projectCreated, actor: .system,
            traceID: "t")
        _ = try await store.createProject(
            Project(id: Self.project, number: "1", apiKey: "k", configuration: .init(), revision: 1),
            at: Moment(milliseconds: 0), audit: audit)
        try await store.write { transaction in
            try transaction.execute(
                "UPDATE projects SET configuration = $1",
                .text(
                    #"{"notification":{"sendEmail":{"smtp":{"host":"mail.example","password":"\#(Self.secret)"}}}}"#))
        }
        await store.close()
        return home
    }

    /// The stored row: its text, and the password if it is sealed.
    private func row(_ store: IdentityStore) async throws -> (text: String, password: String?) {
        try await store.read { [keys = store.sealingKeys] transaction in
            let row = try transaction.firstRow("SELECT configuration, sealed_smtp_password FROM projects")
            let record: [UInt8]? = try row?.getIfPresent("sealed_smtp_password")
            let binding = IdentityStore.sealedSMTPPassword.binding(.text(Self.project.rawValue))
            let password = try record.map { String(decoding: try keys.open($0, binding: binding), as: UTF8.self) }
            return (try row?.get("configuration") ?? "", password)
        }
    }

    private func replace(
        _ store: IdentityStore, _ change: (inout ProjectConfiguration) -> Void
    ) async throws -> ProjectConfiguration {
        let current = try #require(try await store.project(Self.project))
        var configuration = current.configuration
        change(&configuration)
        let audit = AuditEntry(
            at: Moment(milliseconds: 0), realm: Realm(project: Self.project), action: .configurationChanged,
            actor: .system, traceID: "t")
        return try await store.replaceConfiguration(
            Self.project, configuration, expectedRevision: current.revision, audit: audit, idempotency: nil
        ).configuration
    }

    @Test(arguments: StoreEngine.shared) func plainPasswordIsSealed(engine: StoreEngine) async throws {
        let home = try await home(engine)
        let store = try await home.open()
        let (text, password) = try await row(store)
        #expect(!text.contains(Self.secret))
        #expect(text.contains("mail.example"))
        #expect(password == Self.secret)
        #expect(try await store.project(Self.project)?.configuration.notification?.sendEmail?.smtp?.password == nil)
        #expect(try await store.sealedRecords.countRecords().seen > 0)

        // Other changes keep the password.
        let changed = try await replace(store) { $0.authorizedDomains = ["shop.example"] }
        #expect(changed.notification?.sendEmail?.smtp?.host == "mail.example")
        #expect(changed.notification?.sendEmail?.smtp?.password == nil)
        #expect(try await row(store).password == Self.secret)
        await store.close()

        // A second start changes nothing.
        let again = try await home.open()
        #expect(try await row(again).password == Self.secret)
        await again.close()
    }

    @Test(arguments: StoreEngine.shared) func passwordIsReplacedAndRemoved(engine: StoreEngine) async throws {
        let home = try await home(engine)
        let store = try await home.open()
        let changed = try await replace(store) { $0.notification?.sendEmail?.smtp?.password = "another" }
        #expect(changed.notification?.sendEmail?.smtp?.password == nil)
        #expect(try await row(store).password == "another")
        #expect(try await !row(store).text.contains("another"))
        _ = try await replace(store) { $0.notification?.sendEmail?.smtp?.password = "" }
        #expect(try await row(store).password == nil)
        _ = try await replace(store) { $0.notification?.sendEmail?.smtp?.password = "third" }
        _ = try await replace(store) { $0.notification?.sendEmail?.smtp = nil }
        #expect(try await row(store).password == nil)
        await store.close()
    }
}
