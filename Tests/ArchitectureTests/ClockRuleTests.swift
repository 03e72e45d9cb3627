import Testing

/// The time of day may be set at any time. So a pause inside a process is measured by the steady clock, and a pause or a
/// window in a row restricts nothing when it begins in the future. These rules find them all.
struct ClockRuleTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    /// Columns with the end, or the beginning, of something that restricts, or of a code's lifetime. Each name stands in the
    /// test that sets the clock back.
    private let tested: Set<String> = [
        "access_tokens.expires_at", "action_codes.expires_at", "app_check_pairs.expires_at",
        "app_check_tokens.expires_at", "authorization_codes.created_at", "ceremonies.created_at",
        "enrollments.created_at", "enrollments.leased_until",
        "factors.failure_times", "failed_guesses.locked_until", "outbox.paused_at",
        "pending_mails.paused_at", "pending_sign_ins.created_at", "recovery_attempts.window_began_at",
        "remembered_devices.expires_at",
        "sending_ladders.last_at",
        "sending_quotas.window_began_at", "sending_ranges.blocked_until", "sending_ranges.checkpoint_at",
        "sending_ranges.last_sent_at", "sign_in_attempts.blocked_until", "sign_in_attempts.expires_at",
        "temporary_proofs.expires_at", "verification_sessions.expires_at", "verification_sessions.leased_until",
        "webhook_queues.paused_at",
    ]
    private let harmless = [
        "app_check_answers.expires_at": "remembers a solved challenge, whose own lifetime is checked",
        "outbox.expires_at": "the end of the attempts to send a message",
        "pending_mails.expires_at": "the end of the attempts to send a mail; its code has a lifetime of its own",
        "used_assertions.expires_at": "remembers an assertion, which has its own times",
        "used_credentials.expires_at": "remembers a credential, which has its own times",
        "webhook_events.expires_at": "the end of the attempts to deliver an event",
        "app_check_counts.window_start": "part of the key: another window is another row",
        "outbox.due_at": "holds only after `paused_at`",
        "pending_mails.due_at": "holds only after `paused_at`",
        "send_counts.window_start": "part of the key: another window is another row",
        "sending_counts.window_start": "part of the key: another window is another row",
        "sending_counts.window_end": "for the expiry of the row",
        "webhook_queues.due_at": "holds only after `paused_at`",
    ]

    @Test func everyPauseAndWindowOfARowIsTested() {
        var found: Set<String> = []
        for file in tree.files(in: "Services") {
            var columns: [String] = []
            var current = ""
            for line in file.lines {
                if line.hasPrefix("enum ") { columns = [] }
                // Most codes live for a fixed time after this column.
                if line.contains("SQLExpiry.after(Self.createdAt") { found.insert("\(current).created_at") }
                // An expression is compiled for each line that it is applied to, so few lines come that far.
                if line.hasPrefix("    case "), let column = line.firstMatch(of: /^ {4}case \w+ = "(\w+)"$/)?.1 {
                    columns.append(String(column))
                }
                guard line.hasPrefix("    static let table "),
                    let table = line.firstMatch(of: /^ {4}static let table = "(\w+)"$/)?.1
                else { continue }
                current = String(table)
                for column in columns where restricts(column) { found.insert("\(table).\(column)") }
            }
        }
        #expect(found == tested.union(harmless.keys))
        let tests = tree.files(in: "Tests").filter { $0.folders.last != "ArchitectureTests" }
        for name in tested {
            #expect(
                tests.contains { $0.lines.contains { $0.contains("\"\(name)\"") } },
                "no test sets a clock back for \(name)")
        }
    }

    private func restricts(_ column: String) -> Bool {
        let ends = ["_until", "_times", "_began_at"]
        let names = [
            "due_at", "expires_at", "paused_at", "last_at", "checkpoint_at", "last_sent_at", "window_start",
            "window_end",
        ]
        return names.contains(column) || ends.contains(where: column.hasSuffix)
    }

    /// Properties of rows, and of replies of others, with a name that also a pause inside a process could have.
    private let inRows: Set<String> = [
        "FailedCodeAttempts.lockedUntil", "OutboxMessage.pausedAt", "PrefixRecord.blockedUntil", "Proof.leasedUntil",
        "SignInAttempts.blockedUntil",
    ]

    @Test func pausesInsideAProcessUseTheSteadyClock() {
        var found: Set<String> = []
        let names = [
            "retry", "next", "opened", "renewed", "refresh", "lastRefresh", "read", "cached", "fetched", "checked",
            "written", "received", "logged", "fresh", "usable", "paused", "blocked", "locked", "leased", "closed",
            "due",
        ]
        let kinds = ["struct ", "class ", "actor ", "enum ", "extension "]
        let folders = tree.files(in: "Services") + tree.files(in: "Shared")
        for file in folders
        where !["Contracts", "LatchkeyAuth", "LatchkeyAdmin", "LatchkeyTestKit"].contains(file.folders[1]) {
            // By their indentation.
            var types: [Int: Substring] = [:]
            for line in file.lines {
                let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
                if line.utf8.last == UInt8(ascii: "{"), kinds.contains(where: line.contains),
                    let name = line.firstMatch(of: /^ *(?:[a-z]+ )*(?:struct|class|actor|enum|extension) (\w+)/)?.1
                {
                    types = types.filter { $0.key < indentation }
                    types[indentation] = name
                }
                guard line.contains("At: ") || line.contains("Until: ") else { continue }
                let property =
                    /^ *(?:(?:private|package|fileprivate|private\(set\)) )*(?:var|let) (\w+?)(?:At|Until): (?:Moment|Timestamp)\??$/
                guard let name = line.firstMatch(of: property)?.1,
                    names.contains(String(name)) || name.hasPrefix("next")
                else { continue }
                let type = types.filter { $0.key < indentation }.max { $0.key < $1.key }?.value ?? ""
                let end = line.contains("Until:") ? "Until" : "At"
                found.insert("\(type).\(name)\(end)")
            }
        }
        #expect(found == inRows)
    }
}
