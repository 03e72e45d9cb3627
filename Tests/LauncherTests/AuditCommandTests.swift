import Contracts
import ServiceRuntime
import Testing

@testable import Launcher

/// `latchkey audit` before it sends a request, and its output for replies.
@Suite struct AuditCommandTests {
    private static let variables = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"]

    @Test(arguments: [
        [], ["check"], ["verify", "now"], ["verify", "--limit", "5"], ["verify", "--project", "shop"],
        ["list", "--limit", "0"], ["list", "--limit", "many"], ["list", "--limit"], ["list", "--account", "a"],
        ["list", "--everything"],
    ])
    func malformedCommandLineIsRefused(arguments: [String]) {
        #expect(throws: UsageError.self) { try AuditCommand(arguments, Environment(Self.variables)) }
    }

    @Test(arguments: [
        ["verify"], ["list"], ["list", "--limit", "1000000"], ["list", "--project", "shop", "--account", "a"],
    ])
    func commandLineIsAccepted(arguments: [String]) throws {
        _ = try AuditCommand(arguments, Environment(Self.variables))
    }

    @Test(arguments: Identity.VerifyAuditLog.Violation.allCases)
    func violationExitsWithCodeForDamagedData(violation: Identity.VerifyAuditLog.Violation) {
        let failure = AuditCommandError.violated(violation, link: 8, last: 7)
        #expect(failure.exitCode == ExitCode.data)
        #expect(failure.messages.last == "The log is intact up to link 7.")
    }
}
