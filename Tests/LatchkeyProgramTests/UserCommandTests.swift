import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// The commands about users and their sessions, against one account.
@Suite struct UserCommandTests {
    /// Identity with one account. It records the changes.
    final class FakeIdentity: Sendable {
        private struct State {
            var account: Account
            var changes: [Identity.AccountChanges] = []
            var clients: [ClientContext] = []
            var sentCodes: [Identity.SendActionCode] = []
            var ended: [String] = []
            var isDeleted = false
        }
        private let state: Mutex<State>

        init(_ account: Account) { state = Mutex(State(account: account)) }

        var changes: [Identity.AccountChanges] { state.withLock { $0.changes } }
        var clients: [ClientContext] { state.withLock { $0.clients } }
        var sentCodes: [Identity.SendActionCode] { state.withLock { $0.sentCodes } }
        var ended: [String] { state.withLock { $0.ended } }
        var isDeleted: Bool { state.withLock { $0.isDeleted } }

        private static let session = Identity.AccountSession(
            id: "s1", createdAt: Moment(milliseconds: 0), lastUsedAt: Moment(milliseconds: 1000),
            signInProvider: "password", secondFactor: "totp", clientAddress: "192.0.2.1")

        var requests: ScriptedMesh {
            let mesh = ScriptedMesh(as: .operatorCommand)
            mesh.reply(to: Identity.FindAccounts.self) { [self] request, _ in
                let account = state.withLock { $0.account }
                let isFound = request.criteria.contains { criterion in
                    switch criterion {
                    case .accountID(let id): id == account.id
                    case .email(let text): text == account.email?.rawValue
                    case .phoneNumber(let text): text == account.phoneNumber?.rawValue
                    case .initialEmail, .provider: false
                    }
                }
                return .init(accounts: isFound && request.realm == account.realm ? [account] : [])
            }
            mesh.reply(to: Identity.QueryAccounts.self) { [self] request, _ in
                // Three pages of one account each.
                let page = request.pageToken.flatMap(Int.init) ?? 1
                return .init(
                    total: 1, accounts: [state.withLock { $0.account }],
                    nextPageToken: page < 3 ? "\(page + 1)" : nil)
            }
            mesh.reply(to: Identity.CreateAccount.self) { request, _ in
                .init(
                    account: Account(
                        id: request.accountID ?? AccountID("new"), realm: request.realm,
                        email: request.email.flatMap(EmailAddress.init), hasPassword: request.password != nil,
                        validSince: Timestamp(seconds: 0), createdAt: Moment(milliseconds: 0)))
            }
            mesh.reply(to: Identity.UpdateAccount.self) { [self] request, _ in
                state.withLock { state in
                    state.changes.append(request.changes)
                    state.clients.append(request.client)
                    return .init(account: state.account)
                }
            }
            mesh.reply(to: Identity.DeleteAccount.self) { [self] _, _ in
                state.withLock { $0.isDeleted = true }
                return EmptyReply()
            }
            mesh.reply(to: Identity.SendActionCode.self) { [self] request, _ in
                state.withLock { $0.sentCodes.append(request) }
                guard let email = EmailAddress(request.email ?? "") else { throw ServiceError(.missingEmail) }
                return .init(email: email, link: request.returnsLink ? Secret("https://auth.example.com/x") : nil)
            }
            mesh.reply(to: Identity.ListSessions.self) { _, _ in .init(sessions: [Self.session], hasMore: false) }
            mesh.reply(to: Identity.EndSession.self) { [self] request, _ in
                state.withLock { $0.ended.append(request.sessionID) }
                return EmptyReply()
            }
            return mesh
        }
    }

    static func account(_ change: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(
            id: AccountID("ada"), realm: Realm(project: ProjectID("shop")), email: EmailAddress("ada@example.com"),
            phoneNumber: PhoneNumber("+12025550101"), validSince: Timestamp(seconds: 10),
            createdAt: Moment(milliseconds: 0))
        change(&account)
        return account
    }

    private static let environment = Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"])

    static func command<C: Command>(_: C.Type, _ words: String...) throws -> C {
        try C(words: words + ["--project", "shop"], over: environment)
    }

    @Test(arguments: ["ada", "ada@example.com", "+12025550101"])
    func userIsFoundByIDAddressAndNumber(text: String) async throws {
        let identity = FakeIdentity(Self.account())
        let found = try await UserSelector(text: text).account(
            in: Realm(project: ProjectID("shop")), identity.requests)
        #expect(found.id == AccountID("ada"))
    }

    @Test func unknownUserIsNamed() async throws {
        let identity = FakeIdentity(Self.account())
        let command = try Self.command(UserDeleteCommand.self, "bob", "--yes")
        let error = await #expect(throws: UserCommandError.self) { try await command.delete(identity.requests) }
        #expect(error?.messages == ["Project shop has no user \"bob\"."] && error?.exitCode == ExitCode.failure)
        #expect(!identity.isDeleted)
    }

    @Test func stateChangeIsMadeOnce() async throws {
        let identity = FakeIdentity(Self.account())
        let environment = Environment(["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop"])
        let arguments = try ParsedArguments(["ada"], of: UserDisableCommand.declaration, over: environment)
        let disabling = try UserStateChange(arguments, environment, disables: true)
        #expect(try await disabling.apply(identity.requests) == "ada@example.com (ada) is disabled.")
        #expect(identity.changes == [.init(disabled: true)])
        #expect(identity.clients.allSatisfy { $0.operatorName?.isEmpty == false })
        let enabling = try UserStateChange(arguments, environment, disables: false)
        await #expect(throws: UserCommandError.nothingToDo("ada@example.com (ada) is enabled already.")) {
            try await enabling.apply(identity.requests)
        }
        #expect(identity.changes.count == 1)
    }

    @Test func deletionRequiresConfirmation() {
        #expect(throws: UsageError.self) { try Self.command(UserDeleteCommand.self, "ada") }
    }

    @Test func factorsAreRemovedByIDOrAll() async throws {
        let factors = ["f1", "f2"].map { id in
            SecondFactor(id: FactorID(id), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
        }
        let identity = FakeIdentity(Self.account { $0.secondFactors = factors })
        let one = try Self.command(UserRemoveFactorCommand.self, "ada", "f2")
        #expect(
            try await one.remove(identity.requests)
                == "Removed the second factor f2 (totp) of ada@example.com (ada).")
        let all = try Self.command(UserRemoveFactorCommand.self, "ada", "--all")
        _ = try await all.remove(identity.requests)
        #expect(
            identity.changes.map(\.removals) == [
                [.secondFactor(FactorID("f2"))], [.secondFactor(FactorID("f1")), .secondFactor(FactorID("f2"))],
            ])
        let unknown = try Self.command(UserRemoveFactorCommand.self, "ada", "f3")
        let error = await #expect(throws: UserCommandError.self) { try await unknown.remove(identity.requests) }
        #expect(error?.messages.first?.hasSuffix("The ids are: f1, f2.") == true)
    }

    @Test(arguments: [["ada"], ["ada", "f1", "--all"]])
    func removalNamesOneOrAll(words: [String]) {
        #expect(throws: UsageError.self) {
            try UserRemoveFactorCommand(words: words + ["--project", "shop"], over: Self.environment)
        }
    }

    @Test func resetSendsTheEmailOrPrintsTheLink() async throws {
        let identity = FakeIdentity(Self.account())
        let sent = try await Self.command(UserResetPasswordCommand.self, "ada").send(identity.requests)
        #expect(sent == .init(email: "ada@example.com", link: nil))
        #expect(sent.sentence == "The e-mail to ada@example.com is on its way.")
        let link = try await Self.command(UserResetPasswordCommand.self, "ada", "--print-link").send(identity.requests)
        #expect(link == .init(email: "ada@example.com", link: "https://auth.example.com/x"))
        #expect(link.sentence == "https://auth.example.com/x")
        #expect(identity.sentCodes.map(\.returnsLink) == [false, true])
        #expect(identity.sentCodes.allSatisfy { $0.isByAdministrator && $0.purpose == .passwordReset })
    }

    @Test func resetOfUserWithoutAddressIsRefused() async throws {
        let identity = FakeIdentity(Self.account { $0.email = nil })
        let command = try Self.command(UserResetPasswordCommand.self, "ada")
        await #expect(throws: UserCommandError.nothingToDo("+12025550101 (ada) has no e-mail address.")) {
            try await command.send(identity.requests)
        }
    }

    @Test func revocationNeverMovesTheLimitBack() async throws {
        let identity = FakeIdentity(Self.account())
        let command = try Self.command(UserRevokeSessionsCommand.self, "ada")
        let sentence = try await command.revoke(identity.requests, at: Timestamp(seconds: 20))
        #expect(sentence == "Ended 1 session of ada@example.com (ada). Tokens from before are void.")
        _ = try await command.revoke(identity.requests, at: Timestamp(seconds: 5))
        #expect(identity.changes.map(\.validSince?.seconds) == [20, 10])
    }

    @Test func sessionsAreListedAndEnded() async throws {
        let identity = FakeIdentity(Self.account())
        let lines = Mutex<[String]>([])
        let output = CommandOutput(isJSON: true, printLine: { line in lines.withLock { $0.append(line) } })
        try await Self.command(SessionListCommand.self, "ada").write(identity.requests, to: output)
        #expect(
            lines.withLock(\.self) == [
                #"{"clientAddress":"192.0.2.1","createdAt":"1970-01-01T00:00:00.000Z","id":"s1","#
                    + #""isEnrollmentOnly":false,"lastUsedAt":"1970-01-01T00:00:01.000Z","secondFactor":"totp","#
                    + #""signInMethod":"password"}"#
            ])
        _ = try await Self.command(SessionRevokeCommand.self, "ada", "s1").revoke(identity.requests)
        #expect(identity.ended == ["s1"])
    }

    @Test(arguments: [(100, 3), (2, 2)])
    func listEndsWithPagesOrLimit(limit: Int, rows: Int) async throws {
        let identity = FakeIdentity(Self.account())
        let lines = Mutex<[String]>([])
        let output = CommandOutput(isJSON: false, printLine: { line in lines.withLock { $0.append(line) } })
        try await Self.command(UserListCommand.self, "--limit", "\(limit)").write(identity.requests, to: output)
        let printed = lines.withLock(\.self)
        #expect(printed.first?.hasPrefix("UID  E-MAIL") == true)
        #expect(printed.count == rows + 1 && printed.last?.contains("ada@example.com") == true)
    }

    @Test(arguments: [["--password-stdin"], ["--email-verified"], ["extra"]])
    func invalidCreationIsRefused(words: [String]) {
        #expect(throws: UsageError.self) {
            try UserCreateCommand(words: words + ["--project", "shop"], over: Self.environment)
        }
    }
}
