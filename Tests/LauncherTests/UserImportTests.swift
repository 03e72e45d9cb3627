import Contracts
import Synchronization
import TestSupport
import Testing
import UserFiles
import Vocabulary

@testable import Launcher

@Suite struct UserImportTests {
    private static let realm = Realm(project: ProjectID("p"))

    /// Collects what an import sends and reports.
    private final class Recorder: Sendable {
        struct Content {
            var sent: [Identity.ImportAccounts] = []
            var keys: [String] = []
            var refused: [String] = []
            var completed: [Int] = []
            var underWay = 0
            var mostUnderWay = 0
            var pauses = 0
        }
        private let content = Mutex(Content())
        var value: Content { content.withLock { $0 } }
        func change<Result: Sendable>(_ body: (inout sending Content) throws -> sending Result) rethrows -> Result {
            try content.withLock(body)
        }
    }

    private func run(
        _ text: String, format: UserFileFormat = .jsonl, from completed: Int = 0, overwrites: Bool = true,
        tenant: String? = nil, _ recorder: Recorder = Recorder(),
        reply: @Sendable @escaping (Identity.ImportAccounts, Int) async throws -> Identity.ImportAccounts.Reply =
            { _, _ in .init(rejections: []) }
    ) async throws -> UserImport.Summary {
        let rest = Mutex(Array(text.utf8)[...])
        var realm = Self.realm
        realm.tenant = tenant.map { TenantID($0) }
        return try await UserImport(
            options: .init(
                realm: realm, format: format, algorithm: nil, allowsOverwrite: overwrites, completedRecords: completed),
            send: { request, key in
                let number = recorder.change { content in
                    content.sent.append(request)
                    content.keys.append(key)
                    content.underWay += 1
                    content.mostUnderWay = max(content.mostUnderWay, content.underWay)
                    return content.sent.count
                }
                defer { recorder.change { $0.underWay -= 1 } }
                return try await reply(request, number)
            },
            read: {
                rest.withLock { rest in
                    defer { rest = rest.dropFirst(1000) }
                    return Array(rest.prefix(1000))
                }
            },
            events: .init(
                refused: { line in recorder.change { $0.refused.append(line) } },
                completed: { number in recorder.change { $0.completed.append(number) } }),
            pause: { _ in recorder.change { $0.pauses += 1 } }
        ).run()
    }

    private static func lines(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "{\"localId\":\"u\($0)\"}\n" }.joined()
    }

    @Test func batchesAreBounded() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...1001), recorder)
        #expect(summary == UserImport.Summary(imported: 1001))
        let content = recorder.value
        #expect(content.sent.map(\.accounts.count).sorted() == [1, 200, 200, 200, 200, 200])
        #expect(Set(content.sent.flatMap(\.accounts).map(\.id)).count == 1001)
        #expect((1...UserImport.maximumBatchesUnderWay).contains(content.mostUnderWay))
        #expect(content.completed.last == 1001)
        #expect(Set(content.keys).count == 6)
    }

    @Test func batchesEndBeforeTheyAreTooLargeForTheBus() async throws {
        let recorder = Recorder()
        let name = String(repeating: "n", count: 30_000)
        let text = (1...20).map { "{\"localId\":\"u\($0)\",\"displayName\":\"\(name)\"}\n" }.joined()
        #expect(try await run(text, recorder).imported == 20)
        #expect(recorder.value.sent.map(\.accounts.count).max() == 9)
    }

    @Test func eachRefusedRecordHasOneLine() async throws {
        let recorder = Recorder()
        let text = """
            {"localId":"a","mfaInfo":[{"totpInfo":{}}]}
            {"localId":1}
            {"localId":"a"}
            {"localId":"b","tenantId":"t"}
            {"localId":"c"}
            {"localId":"d","passwordHash":"UkVEQUNURUQ="}
            """
        let summary = try await run(text, recorder) { request, _ in
            let position = try #require(request.accounts.firstIndex { $0.id == AccountID("c") })
            return .init(rejections: [
                .init(rowIndex: position, reason: WireError(.customClaimsTooLarge, "too long")),
                .init(rowIndex: 99, reason: WireError(.internal)), .init(rowIndex: -1, reason: WireError(.internal)),
            ])
        }
        #expect(
            summary
                == UserImport.Summary(imported: 2, refused: 4, omissions: [.totp: 1, .redactedHash: 1]))
        #expect(
            recorder.value.refused == [
                "record 2: localId has another type or is missing",
                "record 3 (a): an earlier record of the file has the same localId",
                "record 4 (b): it belongs to a tenant: import the users of each tenant with --tenant",
                "record 5 (c): customClaimsTooLarge: too long",
            ])
        #expect(recorder.value.completed == [6])
        #expect(try await run(#"{"localId":"b","tenantId":"t"}"#, tenant: "t").imported == 1)
    }

    @Test func existingAccountsCanBeKept() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...2), overwrites: false, recorder) { _, _ in
            .init(rejections: [.init(rowIndex: 1, reason: WireError(.accountIDExists))])
        }
        #expect(summary == UserImport.Summary(imported: 1, kept: 1))
        #expect(recorder.value.refused.isEmpty && recorder.value.sent.allSatisfy { !$0.allowsOverwrite })
    }

    /// A file that was cut is imported up to the cut. With the complete file the import goes on from there.
    @Test func cutFileIsResumed() async throws {
        let recorder = Recorder()
        let whole = Self.lines(1...450)
        let cut = String(whole.dropLast(5))
        let error = UserTransferError.file(
            .truncated(.init(number: 450, byteOffset: Self.lines(1...449).utf8.count)))
        await #expect(throws: error) { try await run(cut, recorder) }
        let completed = try #require(recorder.value.completed.last)
        #expect(completed == 449)
        let second = Recorder()
        let summary = try await run(whole, from: completed, second)
        #expect(summary == UserImport.Summary(imported: 1, skipped: 449))
        #expect(second.value.sent.flatMap(\.accounts).map(\.id) == [AccountID("u450")])
        // Ids of the first run count as earlier records.
        #expect(try await run(whole + Self.lines(1...1), from: 450).refused == 1)
    }

    @Test func busyMeshIsRetriedWithTheSameKey() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...2), recorder) { _, number in
            if number < 4 { throw WireError([.overloaded, .unavailable, .deadlineExceeded][number - 1]) }
            return .init(rejections: [])
        }
        #expect(summary.imported == 2)
        #expect((recorder.value.pauses, Set(recorder.value.keys).count) == (3, 1))
    }

    @Test func absentMeshEndsTheImport() async throws {
        let recorder = Recorder()
        await #expect(throws: UserTransferError.refused(WireError(.unavailable))) {
            try await run(Self.lines(1...2), recorder) { _, _ in throw WireError(.unavailable) }
        }
        #expect(recorder.value.completed.isEmpty && recorder.value.pauses == 7)
    }

    @Test func batchTooLargeForTheBusIsDivided() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...5), recorder) { request, _ in
            if request.accounts.contains(where: { $0.id == AccountID("u3") }) { throw WireError(.invalidRequest) }
            return .init(rejections: [])
        }
        #expect(summary == UserImport.Summary(imported: 4, refused: 1))
        #expect(recorder.value.refused == ["record 3 (u3): invalidRequest"])
    }

    @Test func hashWithoutAlgorithmEndsTheImport() async throws {
        await #expect(throws: UserTransferError.missingHashAlgorithm(.init(number: 1, byteOffset: 0))) {
            try await run(#"{"localId":"a","passwordHash":"AA=="}"#)
        }
    }

    @Test func errorOfTheWholeImportEndsIt() async throws {
        let error = WireError(.invalidPasswordHashAlgorithm, "rounds must be 1 to 8")
        await #expect(throws: UserTransferError.refused(error)) {
            try await run(Self.lines(1...1)) { _, _ in throw error }
        }
        #expect(
            UserTransferError.refused(error).messages
                == ["The hash parameters are not acceptable: rounds must be 1 to 8."])
    }

    @Test(
        arguments: [
            (
                TransferProgressLine(users: 420_000, done: 42, total: 100, seconds: 80),
                "  [##########--------------] 42%  420000 users, 5250/s 1:51 left"
            ),
            (
                TransferProgressLine(users: 0, done: 0, total: 100, seconds: 0),
                "  [------------------------] 0%  0 users, 0/s"
            ),
            (TransferProgressLine(users: 10, done: 10, total: 0, seconds: 2), "  10 users, 5/s"),
            (
                TransferProgressLine(users: 1, done: 1, total: 20_001, seconds: 1),
                "  [------------------------] 0%  1 users, 1/s 5:33:20 left"
            ),
        ])
    func progressHasRateAndRemainingTime(line: TransferProgressLine, text: String) {
        #expect(line.text == text)
    }
}
