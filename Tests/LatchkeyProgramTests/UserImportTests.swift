import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram
@testable import UserFiles

@Suite struct UserImportTests {
    private static let realm = Realm(project: ProjectID("p"))

    /// Collects what an import sends and reports.
    private final class Recorder: Sendable {
        struct Content {
            var sent: [Identity.ImportAccounts] = []
            var keys: [String] = []
            var factors: [MFATOTP.ImportFactors] = []
            var passkeys: [Passkey.ImportCredentials] = []
            /// Names of the requests, in their order.
            var order: [String] = []
            var issues: [ImportIssue] = []
            var completed: [ImportProgress] = []
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
        _ text: String, format: UserFileFormat = .jsonl, from earlier: ImportProgress = .init(),
        overwrites: Bool = true, tenant: String? = nil, dry: Bool = false, _ recorder: Recorder = Recorder(),
        reply: @Sendable @escaping (Identity.ImportAccounts, Int) async throws -> Identity.ImportAccounts.Reply =
            { _, _ in .init(rejections: []) },
        factorReply: @Sendable @escaping (MFATOTP.ImportFactors, Int) async throws -> MFATOTP.ImportFactors.Reply =
            { _, _ in .init(keptIndices: []) },
        refusedPasskeys: [Int] = []
    ) async throws -> ImportSummary {
        let rest = Mutex(Array(text.utf8)[...])
        var realm = Self.realm
        realm.tenant = tenant.map { TenantID($0) }
        return try await UserImport(
            options: .init(
                realm: realm, format: format, algorithm: nil, allowsOverwrite: overwrites, isDryRun: dry,
                earlier: earlier),
            send: { request, key in
                let number = recorder.change { content in
                    content.sent.append(request)
                    content.order.append("accounts")
                    content.keys.append(key)
                    content.underWay += 1
                    content.mostUnderWay = max(content.mostUnderWay, content.underWay)
                    return content.sent.count
                }
                defer { recorder.change { $0.underWay -= 1 } }
                return try await reply(request, number)
            },
            sendFactors: { request in
                let number = recorder.change { content in
                    content.factors.append(request)
                    content.order.append(request.replacesSecrets ? "replacement" : "secrets")
                    return content.factors.count
                }
                return try await factorReply(request, number)
            },
            sendPasskeys: { request in
                recorder.change { content in
                    content.passkeys.append(request)
                    content.order.append("passkeys")
                }
                return .init(refusedIndices: refusedPasskeys)
            },
            read: {
                rest.withLock { rest in
                    defer { rest = rest.dropFirst(1000) }
                    return Array(rest.prefix(1000))
                }
            },
            events: .init(
                issue: { issue in recorder.change { $0.issues.append(issue) } },
                completed: { progress in recorder.change { $0.completed.append(progress) } }),
            retry: BusyRetry(pause: { _ in recorder.change { $0.pauses += 1 } })
        ).run()
    }

    /// The counts alone.
    private static func counts(_ summary: ImportSummary) -> ImportSummary {
        var counts = summary
        (counts.refusedRecords, counts.incompleteRecords) = ([], [])
        return counts
    }

    private static func lines(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "{\"localId\":\"u\($0)\"}\n" }.joined()
    }

    @Test func batchesAreBounded() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...1001), recorder)
        #expect(summary == ImportSummary(imported: 1001))
        let content = recorder.value
        #expect(content.sent.map(\.accounts.count).sorted() == [1, 200, 200, 200, 200, 200])
        #expect(Set(content.sent.flatMap(\.accounts).map(\.id)).count == 1001)
        #expect((1...UserImport.maximumBatchesUnderWay).contains(content.mostUnderWay))
        #expect(content.completed.last == ImportProgress(records: 1001, summary: summary))
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
                .init(rowIndex: 99, reason: WireError(.internal)),
                .init(rowIndex: -1, reason: WireError(.internal)),
            ])
        }
        #expect(
            Self.counts(summary)
                == ImportSummary(imported: 2, refused: 4, omissions: ["totp": 1, "redactedHash": 1]))
        #expect(
            recorder.value.issues.compactMap(\.line) == [
                "refused record 2: localId has another type or is missing",
                "refused record 3 (a): an earlier record of the file has the same localId",
                "refused record 4 (b): it belongs to a tenant: import the users of each tenant with --tenant",
                "incomplete record 1 (a): without TOTP factor, whose secret the file does not have: enroll a new one",
                "refused record 5 (c): customClaimsTooLarge: too long",
            ])
        #expect(summary.refusedRecords.map(\.record) == [2, 3, 4, 5])
        #expect(summary.incompleteRecords.map(\.lacks) == ["totp", "redactedHash"])
        #expect(recorder.value.completed == [ImportProgress(records: 6, summary: summary)])
    }

    /// Users of a tenant go into any tenant; but those of two stay apart.
    @Test func usersOfATenantMoveIntoAnother() async throws {
        let text = """
            {"localId":"a","tenantId":"t"}
            {"localId":"b"}
            {"localId":"c","tenantId":"u"}
            {"localId":"d","tenantId":"t"}
            """
        let recorder = Recorder()
        let summary = try await run(text, tenant: "b", recorder)
        #expect(summary.imported == 3)
        #expect(
            summary.refusedRecords.map(\.text) == [
                "record 3 (c): it belongs to tenant u, and earlier records belong to t"
            ])
        #expect(recorder.value.sent.map(\.realm.tenant) == [TenantID("b")])
        // Also when the first record of the tenant was imported before.
        let rest = try await run(text, from: .init(records: 2, summary: .init(imported: 2)), tenant: "b")
        #expect(rest == summary)
    }

    // MARK: TOTP factors

    private static let protected = """
        {"localId":"a","mfaInfo":[{"totpInfo":{"sharedSecretKey":"JBSWY3DPEEQSCIJB"}}]}
        {"localId":"b","mfaInfo":[{"mfaEnrollmentId":"f","displayName":"App","totpInfo":{"sharedSecretKey":"JBSWY3DPEEQSCIJC"}}]}
        """

    @Test func secretsAreStoredBeforeTheirAccounts() async throws {
        let recorder = Recorder()
        #expect(try await run(Self.protected, recorder) == ImportSummary(imported: 2, protected: 2))
        let content = recorder.value
        #expect(content.order == ["secrets", "accounts"])
        let factors = try #require(content.factors.first).factors
        #expect(factors.map(\.accountID) == [AccountID("a"), AccountID("b")])
        #expect(factors.map { $0.secret.reveal().bytes.last } == [0x21, 0x22])
        let listed = try #require(content.sent.first).accounts.map { $0.totpFactors ?? [] }
        #expect(listed.flatMap { $0 }.map(\.id) == factors.map(\.factorID))
        #expect(listed.last == [.init(id: FactorID("f"), displayName: "App")])
        // The same file has the same IDs again.
        let second = Recorder()
        _ = try await run(Self.protected, second)
        #expect(second.value.factors.first?.factors == factors)
    }

    /// A factor that exists with another secret gets the new one only with the account.
    @Test func secretOfARefusedAccountStays() async throws {
        let recorder = Recorder()
        let summary = try await run(
            Self.protected, recorder,
            reply: { _, _ in
                .init(rejections: [.init(rowIndex: 0, reason: WireError(.emailExists))], replacedCount: 1)
            },
            factorReply: { request, _ in .init(keptIndices: request.replacesSecrets ? [] : [0, 1, 7, -1]) })
        #expect(summary.imported == 1 && summary.replaced == 1 && summary.refused == 1)
        #expect(recorder.value.order == ["secrets", "accounts", "replacement"])
        #expect(recorder.value.factors.last?.factors.map(\.accountID) == [AccountID("b")])
    }

    @Test func absentServiceOfFactorsEndsTheImportBeforeItsAccounts() async throws {
        let recorder = Recorder()
        await #expect(throws: UserImportError.refused(ServiceError(.unavailable))) {
            try await run(
                Self.protected, recorder,
                factorReply: { _, _ in throw ServiceError(.unavailable) })
        }
        #expect(recorder.value.sent.isEmpty && recorder.value.pauses == 7)
    }

    // MARK: Passkeys

    private static let holders = ["a", "b"].map { id in
        """
        {"localId":"\(id)","passkeyInfo":[{"credentialId":"AQI","name":"key","rpId":"example.com","credential":{\
        "publicKey":"AQ","userHandle":"AQ","signCount":1,"backupEligible":false,"backedUp":false,"userVerified":true,\
        "aaguid":"00000000-0000-0000-0000-000000000000","attestationFormat":"none","attestationType":"none",\
        "transports":[],"createdAt":1}}]}
        """
    }.joined(separator: "\n")

    /// A credential belongs to one account: the other one does not list it.
    @Test func publicKeysAreStoredBeforeTheirAccounts() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.holders, recorder, refusedPasskeys: [1, 7, -1])
        #expect(Self.counts(summary) == ImportSummary(imported: 2, omissions: ["takenPasskeys": 1]))
        let content = recorder.value
        #expect(content.order == ["passkeys", "accounts"])
        #expect(content.passkeys.flatMap(\.credentials).map(\.accountID) == [AccountID("a"), AccountID("b")])
        #expect(content.sent.flatMap(\.accounts).map { $0.passkeys?.count } == [1, nil])
        let dry = Recorder()
        #expect(try await run(Self.holders, dry: true, dry).imported == 2)
        #expect(dry.value.passkeys.isEmpty)
    }

    // MARK: Dry runs

    /// Identity stores nothing in a dry run, so the command compares the batches.
    @Test func dryRunTellsWhatAnImportWouldRefuse() async throws {
        let recorder = Recorder()
        let link = #"[{"providerId":"google.com","rawId":"g"}]"#
        let first = """
            {"localId":"a","email":"a@example.com","phoneNumber":"+12025550170","providerUserInfo":\(link)}
            \(Self.protected.replacing("\"a\"", with: "\"x\""))

            """
        let last = """
            {"localId":"c","email":"A@example.com"}
            {"localId":"d","phoneNumber":"+12025550170"}
            {"localId":"e","providerUserInfo":\(link)}
            {"localId":"f"}
            """
        let summary = try await run(first + Self.lines(1...198) + last, dry: true, recorder) { _, number in
            .init(rejections: [], replacedCount: number == 1 ? 2 : nil)
        }
        #expect(Self.counts(summary) == ImportSummary(imported: 202, replaced: 2, refused: 3, protected: 2))
        #expect(
            summary.refusedRecords.map(\.text) == [
                "record 202 (c): emailExists", "record 203 (d): phoneNumberExists",
                "record 204 (e): providerAccountExists",
            ])
        let content = recorder.value
        #expect(content.factors.isEmpty && content.sent.allSatisfy { $0.isDryRun == true })
        #expect(content.mostUnderWay == 1)
        #expect(
            summary.lines(isDryRun: true, asksForTOTP: true) == [
                "would import 202 users", "2 of them exist and would be replaced",
            ])
        // An import must not end the protection of a factor in silence.
        #expect(
            summary.lines(isDryRun: true, asksForTOTP: false).last
                == "2 have a TOTP factor, but sign-ins do not ask for it: enable TOTP in the configuration")
    }

    // MARK: Summaries

    @Test func summaryHasCountsAndRecords() async throws {
        let text = Self.protected + "\n{\"localId\":\"c\",\"mfaInfo\":[{\"totpInfo\":{}}]}\n{}"
        let summary = try await run(text, tenant: "t") { request, _ in
            .init(rejections: [.init(rowIndex: request.accounts.count - 1, reason: WireError(.missingAccountID))])
        }
        let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        let file = ImportSummaryFile(summary, into: realm, isDryRun: false)
        #expect(
            try String(decoding: WireJSON.encodeSorted(file), as: UTF8.self) == """
                {"dryRun":false,"imported":3,"incomplete":{"totp":1},"incompleteRecords":[{"lacks":"totp",\
                "localId":"c","reason":"without TOTP factor, whose secret the file does not have: enroll a new one",\
                "record":3,"result":"incomplete"}],"kept":0,"project":"p","refused":1,"refusedRecords":[{\
                "reason":"missingAccountID","record":4,"result":"refused"}],"replaced":0,"tenant":"t","unlistedRecords":0}
                """)
    }

    /// A file of a million refused records must not fill the memory or the state.
    @Test func listsOfRecordsAreBounded() {
        var summary = ImportSummary()
        for number in 1...ImportSummary.maximumListedRecords + 2 {
            summary.add(ImportIssue(.init(number: number, byteOffset: 0), nil, .repeatedID))
        }
        var whole = ImportSummary()
        whole.add(summary)
        whole.add(summary)
        #expect(whole.refusedRecords.count == ImportSummary.maximumListedRecords)
        #expect(whole.refused == 2 * (ImportSummary.maximumListedRecords + 2))
        let file = ImportSummaryFile(whole, into: Self.realm, isDryRun: true)
        #expect(file.unlistedRecords == ImportSummary.maximumListedRecords + 4)
    }

    @Test func existingAccountsCanBeKept() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...2), overwrites: false, recorder) { _, _ in
            .init(rejections: [.init(rowIndex: 1, reason: WireError(.accountIDExists))])
        }
        #expect(summary == ImportSummary(imported: 1, kept: 1))
        #expect(recorder.value.issues.isEmpty && recorder.value.sent.allSatisfy { !$0.allowsOverwrite })
    }

    /// A file that was cut is imported up to the cut. With the complete file the import goes on from there.
    @Test func cutFileIsResumed() async throws {
        let recorder = Recorder()
        let whole = Self.lines(1...450)
        let cut = String(whole.dropLast(5))
        let error = UserImportError.file(
            .truncated(.init(number: 450, byteOffset: Self.lines(1...449).utf8.count)))
        await #expect(throws: error) { try await run(cut, recorder) }
        let completed = try #require(recorder.value.completed.last)
        #expect(completed == ImportProgress(records: 449, summary: ImportSummary(imported: 449)))
        let second = Recorder()
        let summary = try await run(whole, from: completed, second)
        #expect(summary == ImportSummary(imported: 450))
        #expect(second.value.sent.flatMap(\.accounts).map(\.id) == [AccountID("u450")])
        // Ids of the first run count as earlier records.
        #expect(try await run(whole + Self.lines(1...1), from: .init(records: 450)).refused == 1)
    }

    /// The counts and the refused records of an interrupted import are those of the records that are done.
    @Test func resumedImportKnowsWhatTheFirstPartDid() async throws {
        let recorder = Recorder()
        let text = "{\"localId\":1}\n" + Self.lines(1...600) + #"{"localId":"t","mfaInfo":[{"totpInfo":{}}]}"#
        await #expect(throws: UserImportError.refused(ServiceError(.unavailable))) {
            try await run(text, recorder) { request, _ in
                // A later batch is completed before the second one, which fails.
                if request.accounts.contains(where: { $0.id == AccountID("u250") }) { throw ServiceError(.unavailable) }
                let row = request.accounts.firstIndex { $0.id == AccountID("u7") }
                return .init(
                    rejections: row.map { [.init(rowIndex: $0, reason: WireError(.invalidEmail))] } ?? [],
                    replacedCount: row == nil ? nil : 3)
            }
        }
        let completed = try #require(recorder.value.completed.last)
        #expect(completed.records == 201)
        #expect(Self.counts(completed.summary) == ImportSummary(imported: 199, replaced: 3, refused: 2))
        let second = Recorder()
        let summary = try await run(text, from: completed, second)
        #expect(
            Self.counts(summary) == ImportSummary(imported: 600, replaced: 3, refused: 2, omissions: ["totp": 1]))
        #expect(summary.refusedRecords.map(\.record) == [1, 8])
        #expect(second.value.sent.flatMap(\.accounts).count == 401)
        #expect(second.value.issues.map(\.record) == [602])
    }

    @Test func busyMeshIsRetriedWithTheSameKey() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...2), recorder) { _, number in
            if number < 4 { throw ServiceError([.overloaded, .unavailable, .deadlineExceeded][number - 1]) }
            return .init(rejections: [])
        }
        #expect(summary.imported == 2)
        #expect((recorder.value.pauses, Set(recorder.value.keys).count) == (3, 1))
    }

    @Test func absentMeshEndsTheImport() async throws {
        let recorder = Recorder()
        await #expect(throws: UserImportError.refused(ServiceError(.unavailable))) {
            try await run(Self.lines(1...2), recorder) { _, _ in throw ServiceError(.unavailable) }
        }
        #expect(recorder.value.completed.isEmpty && recorder.value.pauses == 7)
    }

    @Test func batchTooLargeForTheBusIsDivided() async throws {
        let recorder = Recorder()
        let summary = try await run(Self.lines(1...5), recorder) { request, _ in
            if request.accounts.contains(where: { $0.id == AccountID("u3") }) { throw ServiceError(.invalidRequest) }
            return .init(rejections: [])
        }
        #expect(Self.counts(summary) == ImportSummary(imported: 4, refused: 1))
        #expect(recorder.value.issues.compactMap(\.line) == ["refused record 3 (u3): invalidRequest"])
    }

    @Test func hashWithoutAlgorithmEndsTheImport() async throws {
        await #expect(throws: UserImportError.missingHashAlgorithm(.init(number: 1, byteOffset: 0))) {
            try await run(#"{"localId":"a","passwordHash":"AA=="}"#)
        }
    }

    @Test func errorOfTheWholeImportEndsIt() async throws {
        let error = ServiceError(.invalidPasswordHashAlgorithm, "rounds must be 1 to 8")
        await #expect(throws: UserImportError.refused(error)) {
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
