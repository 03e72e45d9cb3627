import Blocking
import Bus
import Contracts
import Crypto
import DatabaseService
import Foundation
import MasterKey
import SQL
import SQLite
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct IdentityStoreTests {
    /// AU2: every change has a record, and every record has a change.
    @Test func auditLogRecordsEveryChangeOnce() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(displayName: "Countess"))
        _ = try? await fixture.signUp()  // Refused: another account has the address.
        let actions = try await fixture.auditActions()
        #expect(actions.filter { $0.hasPrefix("account.") } == ["account.created", "account.updated"])
    }

    @Test func databaseFileContainsNoSecrets() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/identity.sqlite"
        let database = try SQLiteDatabase(.file(path))
        let store = try await IdentityStore(database, keys: ReloadingMasterKeyRing(.variable(.init(.random()))))
        let now = Moment(milliseconds: 1_700_000_000_000)
        let keys = SigningKeyRing(store: store, now: { now })
        _ = try await keys.rotateIfDue(.idToken, traceID: "test")
        let key = try keys.active(.idToken, at: now.timestamp)
        await store.close()
        let file = try Data(contentsOf: URL(filePath: path))
        let secret = Data(try key.privateKey.pkcs8DER)
        #expect(file.range(of: secret.suffix(64)) == nil)
    }

    @Test func expiredRowsAreSwept() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try? await fixture.signIn("ada@example.com", "wrong")
        fixture.clock.advance(by: Session.idleLifetime + .seconds(1))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let counts = try await fixture.store.read { transaction in
            try ["sessions", "sign_in_attempts", "recorded_replies"].map { table in
                try transaction.firstRow("SELECT COUNT(*) AS n FROM \(table)")!.get("n") as Int
            }
        }
        #expect(counts == [0, 0, 0])
        await #expect(throws: ServiceError(.invalidRefreshToken)) {
            try await fixture.refresh(made.tokens.refreshToken)
        }
    }
}
