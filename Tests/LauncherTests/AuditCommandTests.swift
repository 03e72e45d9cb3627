import CommandLineArguments
import Contracts
import ServiceRuntime
import Testing

@testable import Launcher

/// `latchkey audit` before it sends a request, and its output for replies.
@Suite struct AuditCommandTests {
    private static let variables = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock"]

    @Test(arguments: [["now"], ["--limit", "5"], ["--project", "shop"]])
    func verifyReadsWholeLog(words: [String]) throws {
        #expect(throws: UsageError.self) { try AuditVerifyCommand(words: words, over: Environment(Self.variables)) }
        _ = try AuditVerifyCommand(words: [], over: Environment(Self.variables))
    }

    @Test(arguments: [
        ["--limit", "0"], ["--limit", "many"], ["--limit"], ["--account", "a"], ["--everything"],
    ])
    func malformedCommandLineIsRefused(words: [String]) {
        #expect(throws: UsageError.self) { try AuditListCommand(words: words, over: Environment(Self.variables)) }
    }

    @Test(arguments: [[], ["--limit", "1000000"], ["--project", "shop", "--account", "a"]])
    func commandLineIsAccepted(words: [String]) throws {
        _ = try AuditListCommand(words: words, over: Environment(Self.variables))
    }

    @Test(arguments: Identity.VerifyAuditLog.Violation.allCases)
    func violationExitsWithCodeForDamagedData(violation: Identity.VerifyAuditLog.Violation) {
        let failure = AuditCommandError.violated(violation, link: 8, last: 7)
        #expect(failure.exitCode == ExitCode.data)
        #expect(failure.messages.last == "The log is intact up to link 7.")
    }
}
