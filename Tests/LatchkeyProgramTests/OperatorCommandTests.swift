import CommandLineArguments
import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import LatchkeyProgram

/// The commands about operators.
@Suite struct OperatorCommandTests {
    private static let environment = Environment([
        "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_PROJECT": "shop",
        "LATCHKEY_ADMIN_URL": "https://admin.example.com",
    ])

    private static func command<C: Command>(_: C.Type, _ words: String...) throws -> C {
        try C(words: words, over: environment)
    }

    private static func mesh(_ grants: RecordedGrants) -> ScriptedMesh {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.GrantOperatorRole.self) { request, _ in
            let isNew = grants.append(request.grant) == 1
            #expect(request.client.operatorName?.isEmpty == false)
            let found = Identity.Operator(
                accountID: AccountID("a"), email: try #require(EmailAddress(request.email)), grants: [request.grant],
                hasSecondFactor: false, createdAt: Moment(milliseconds: 0))
            return .init(operator: found, code: isNew ? Secret("c+d") : nil)
        }
        mesh.reply(to: Identity.ResetOperator.self) { _, _ in .init(code: Secret("c+d")) }
        mesh.reply(to: Identity.RemoveOperator.self) { request, _ in
            #expect(request.project == ProjectID("shop"))
            return EmptyReply()
        }
        return mesh
    }

    @Test func newOperatorGetsALink() async throws {
        let grants = RecordedGrants()
        let command = try Self.command(OperatorAddCommand.self, "ola@example.com")
        let added = try await command.send(Self.mesh(grants))
        #expect(added.link == "https://admin.example.com/console/welcome?code=c%2Bd")
        #expect(added.sentence.hasPrefix("ola@example.com: administrator\nhttps://admin"))
    }

    /// `LATCHKEY_PROJECT` of the mesh does not narrow a role: only the option does.
    @Test func roleIsForTheInstallationUnlessTheOptionNamesAProject() async throws {
        let grants = RecordedGrants()
        let mesh = Self.mesh(grants)
        _ = try await Self.command(OperatorAddCommand.self, "o@example.com").send(mesh)
        let second = try await Self.command(
            OperatorAddCommand.self, "o@example.com", "--role", "support", "--project", "other"
        ).send(mesh)
        #expect(second.link == nil && second.sentence == "o@example.com: support in other")
        #expect(grants.all == [.init(role: .administrator), .init(project: ProjectID("other"), role: .support)])
    }

    @Test func unknownRoleIsAUsageError() {
        #expect(throws: UsageError.self) {
            try Self.command(OperatorAddCommand.self, "o@example.com", "--role", "king")
        }
    }

    @Test func resetPrintsTheLink() async throws {
        let command = try Self.command(OperatorResetCommand.self, "ola@example.com")
        let reset = try await command.send(Self.mesh(.init()))
        #expect(reset.sentence.hasPrefix("ola@example.com\nhttps://admin.example.com/console/welcome?code="))
    }

    @Test func unknownOperatorIsNamedSo() async throws {
        let mesh = ScriptedMesh(as: .operatorCommand)
        mesh.reply(to: Identity.ResetOperator.self) { _, _ in throw ServiceError(.accountNotFound) }
        mesh.reply(to: Identity.RemoveOperator.self) { _, _ in throw ServiceError(.accountNotFound) }
        let reset = try Self.command(OperatorResetCommand.self, "nobody@example.com")
        let remove = try Self.command(OperatorRemoveCommand.self, "nobody@example.com")
        await #expect(throws: UnknownOperatorError()) { try await reset.send(mesh) }
        await #expect(throws: UnknownOperatorError()) { try await remove.send(mesh) }
    }

    @Test func removalNamesItsProject() async throws {
        let command = try Self.command(OperatorRemoveCommand.self, "ola@example.com", "--project", "shop")
        let sentence = try await command.send(Self.mesh(.init()))
        #expect(sentence == "Removed the role of ola@example.com in the project shop.")
    }
}

/// The grants of the requests.
private final class RecordedGrants: Sendable {
    private let grants = Mutex<[Identity.OperatorGrant]>([])
    var all: [Identity.OperatorGrant] { grants.withLock { $0 } }

    /// - Returns: the number of grants.
    func append(_ grant: Identity.OperatorGrant) -> Int {
        grants.withLock { grants in
            grants.append(grant)
            return grants.count
        }
    }
}
