import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// A call arrives twice, and one copy commits between two transactions of the other: both have one reply. Before the commit there is
/// no recorded reply, and after it the tokens of the request are void.
@Suite struct OvertakenCallTests {
    enum Operation: CaseIterable {
        case update, delete, scheduleDeletion, endSessions

        /// - Returns: what the reply says, without what is made for each reply.
        func send(_ tokens: TokenSet, _ fixture: IdentityFixture) async throws -> String {
            let (realm, idToken) = (IdentityFixture.realm, tokens.idToken)
            func send<Request: BusRequest>(_ request: Request) async throws -> Request.Reply
            where Request.Operation == Identity.Operation { try await fixture.send(request, idempotencyKey: "k") }
            switch self {
            case .update:
                return try await send(
                    Identity.UpdateOwnAccount(
                        realm: realm, idToken: idToken, changes: .init(password: Secret("another-horse-9")))
                ).tokens.refreshToken.reveal()
            case .delete:
                return "\(try await send(Identity.DeleteOwnAccount(realm: realm, idToken: idToken)))"
            case .scheduleDeletion:
                let request = Identity.ScheduleOwnDeletion(
                    realm: realm, idToken: idToken, restorationURL: "https://auth.example/login",
                    client: ClientContext(offersRestoration: true))
                return "\(try await send(request).dueAt)"
            case .endSessions:
                return "\(try await send(Identity.EndOwnSessions(realm: realm, idToken: idToken, selection: .all)))"
            }
        }
    }

    @Test(arguments: Operation.allCases) func bothCopiesHaveOneReply(operation: Operation) async throws {
        var (transactions, hasRun) = (0, true)
        while hasRun {
            let statements = CountingDatabase.Statements()
            let fixture = try await IdentityFixture(counting: statements)
            try await fixture.configure { configuration in
                configuration.emailPrivacyConfig?.enableImprovedEmailPrivacy = false
                if operation == .scheduleDeletion {
                    configuration.accountDeletion = .init()
                    configuration.accountDeletion?.graceDays = 3
                }
            }
            let tokens = try await fixture.signUp().tokens
            fixture.clock.advance(by: .seconds(5))
            let first = Mutex<String?>(nil)
            statements.intervene(after: transactions) {
                let reply = try await operation.send(tokens, fixture)
                first.withLock { $0 = reply }
            }
            let second = try await operation.send(tokens, fixture)
            hasRun = !statements.endIntervention()
            if hasRun { #expect(first.withLock(\.self) == second, "after \(transactions) transactions") }
            transactions += 1
        }
        // The project, the account, and the change at least.
        #expect(transactions > 2)
    }
}
