import CommandLineArguments
import Contracts
import ServiceRuntime
import Testing
import Vocabulary

@testable import LatchkeyProgram

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

    private static let chain = String(repeating: "0f", count: 32)

    @Test(arguments: [
        "2026-11-20T19:00:00.123Z info  identity.1 audit.anchored link=7 chain=\(chain)",
        #"{"time":"2026-11-20T19:00:00.123Z","event":"audit.anchored","fields":{"link":7,"chain":"\#(chain)"}}"#,
        #"{"event": "audit.anchored", "fields": {"chain": "\#(chain)", "link": 7}}"#,
    ])
    func lineOfTheLogIsRead(line: String) throws {
        #expect(AnchorLine(line)?.link == 7 && AnchorLine(line)?.chain == Self.chain)
        _ = try AuditVerifyCommand(words: ["--against", line], over: Environment(Self.variables))
    }

    @Test(arguments: [
        "", "audit.anchored", "audit.anchored link=7", "audit.anchored link=7 chain=0f",
        "audit.anchored link=0 chain=\(chain)", "another.event link=7 chain=\(chain)",
    ])
    func anotherLineIsRefused(line: String) {
        #expect(throws: UsageError.self) {
            try AuditVerifyCommand(words: ["--against", line], over: Environment(Self.variables))
        }
    }

    /// A record behind deleted ones has the chain value before it.
    @Test func lineIsComparedWithTheRecordOfItsLink() throws {
        let line = try #require(AnchorLine("audit.anchored link=7 chain=\(Self.chain)"))
        let equal = Base64URL.encode([UInt8](repeating: 0x0f, count: 32))
        let other = Base64URL.encode([UInt8](repeating: 0x1f, count: 32))
        func comparison(_ link: Int64, _ chain: String, before: String? = nil) -> AnchorLine.Comparison {
            line.comparison(
                with: .init(
                    link: link, chain: chain, chainBefore: before,
                    record: .init(
                        sequence: 1, at: Moment(milliseconds: 1), project: "p", tenant: "", action: "a",
                        outcome: "done", actor: "system", accountID: nil, ipAddress: nil, traceID: "t", count: nil)))
        }
        #expect(line.comparison(with: nil) == .missing)
        #expect(comparison(7, equal) == .equal && comparison(7, other) == .different)
        #expect(comparison(8, other) == .missing && comparison(9, other) == .missing)
        #expect(comparison(8, other, before: equal) == .equal && comparison(8, other, before: other) == .different)
        #expect(comparison(9, other, before: equal) == .deleted)
    }

    @Test(arguments: Identity.VerifyAuditLog.Violation.allCases)
    func violationExitsWithCodeForDamagedData(violation: Identity.VerifyAuditLog.Violation) {
        let failure = AuditCommandError.violated(violation, link: 8, last: 7)
        #expect(failure.exitCode == ExitCode.data)
        #expect(failure.messages.last == "The log is intact up to link 7.")
    }
}
