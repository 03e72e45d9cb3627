import Contracts
import Synchronization
import Testing
import Vocabulary

@testable import LatchkeyProgram
@testable import UserFiles

@Suite struct UserExportTests {
    @Test func busyMeshDelaysAnExport() async throws {
        let calls = Mutex(0)
        let text = Mutex("")
        func export(_ failures: [WireError.Code]) async throws -> Int {
            try await UserExport(
                includesHashes: false, format: .jsonl, retry: BusyRetry(pause: { _ in }),
                page: { token in
                    let call = calls.withLock { calls in
                        defer { calls += 1 }
                        return calls
                    }
                    if call < failures.count { throw ServiceError(failures[call]) }
                    let account = Account(
                        id: AccountID(token ?? "a"), realm: Realm(project: ProjectID("demo")), hasPassword: false,
                        validSince: Timestamp(seconds: 0), createdAt: Moment(milliseconds: 0))
                    return .init(
                        accounts: [.init(account: account, password: nil)], nextPageToken: token == nil ? "b" : nil)
                },
                write: { part in text.withLock { $0 += part } }, advanced: { _ in }
            ).run().accountCount
        }
        #expect(try await export([.overloaded, .unavailable, .deadlineExceeded]) == 2)
        #expect(text.withLock { $0.count { $0 == "\n" } } == 2)
        calls.withLock { $0 = 0 }
        await #expect(throws: ServiceError(.tenantNotFound)) { try await export([.tenantNotFound]) }
        #expect(calls.withLock { $0 } == 1)
    }
}
