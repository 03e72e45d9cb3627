import Testing

/// Two machines on one database run the same services. What a process keeps in memory is a decision then: another machine
/// does not see it.
struct ProcessStateTests {
    enum Kind: Equatable {
        /// A copy of rows, which another machine may have changed since. docs/operate/postgresql.md states for how long it
        /// counts, and Tests/Cells has a test with two meshes.
        case copyOfRows(seconds: Int)
        /// Content that never changes, found by its digest, or what somebody else publishes with its own lifetime.
        case immutableOrForeign
        /// Counts for the processors, the memory and the partners of this process alone.
        case ownLimit
        /// Work that ends with the process.
        case workInProgress
        /// What is measured and logged, and turns: nothing depends on it.
        case observation
    }

    private let states: [String: Kind] = [
        "Services/federation/Keys/RemoteDocumentCache.swift": .immutableOrForeign,
        "Services/federation/Outgoing/ProviderClient.swift": .ownLimit,
        "Services/gateway/Branding/LogoRoute.swift": .immutableOrForeign,
        "Services/gateway/Branding/PageBrandings.swift": .copyOfRows(seconds: 5),
        "Services/gateway/Console/Users/ConsoleImport.swift": .workInProgress,
        "Services/gateway/Console/Work/ConsoleWorks.swift": .workInProgress,
        "Services/gateway/Gateway.swift": .ownLimit,
        "Services/gateway/HTTP/CallerAuthenticator.swift": .copyOfRows(seconds: 5),
        "Services/gateway/Operations/MetricsAggregator.swift": .observation,
        "Services/gateway/Operations/RequestMetrics.swift": .observation,
        "Services/identity/BlockingFunctions/BlockingFunctionClient.swift": .ownLimit,
        "Services/identity/Passwords/AttemptConcurrencyLimiter.swift": .ownLimit,
        "Services/identity/Passwords/HashingMemory.swift": .ownLimit,
        "Services/identity/Passwords/OldHashMeasurement.swift": .ownLimit,
        "Services/identity/Passwords/OldHashQueue.swift": .ownLimit,
        "Services/identity/Passwords/PasswordHasher.swift": .ownLimit,
        "Services/identity/Projects/ProjectCache.swift": .copyOfRows(seconds: 1),
        "Services/identity/Storage/CommitObservers.swift": .workInProgress,
        // The end of the audit log is read again by the transaction that links a record.
        "Services/identity/Storage/IdentityStore.swift": .observation,
        // Read again each second, and for a token of an unknown key.
        "Services/identity/Tokens/SigningKeyRing.swift": .copyOfRows(seconds: 1),
        "Services/mfa-sms/Sending/SendingMetrics.swift": .observation,
        "Services/mfa-totp/TOTPMetrics.swift": .observation,
        "Services/notifier/Outbox/DeliveryLoops.swift": .observation,
        "Services/notifier/Outbox/DeliveryMetrics.swift": .observation,
        "Services/notifier/Outbox/MessageOutbox.swift": .observation,
        "Services/notifier/Push/APNsKeyTransports.swift": .ownLimit,
        // Made by this process from a key, and as valid as those of others.
        "Services/notifier/Push/APNsTokenCache.swift": .immutableOrForeign,
        "Services/notifier/Push/InstallationPush.swift": .ownLimit,
        "Services/notifier/SMS/SMSTransport.swift": .ownLimit,
        "Shared/DatabaseService/BatchedCalls.swift": .workInProgress,
        "Shared/DatabaseService/ProjectConfigurations.swift": .copyOfRows(seconds: 1),
    ]

    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func everyStateOfAProcessIsDecided() {
        var unused = states
        let files = tree.files(in: "Services").filter { !$0.path.hasPrefix("Services/latchkey/") }
        for file in files + tree.files(in: "Shared/DatabaseService") where Self.keepsState(file) {
            #expect(unused.removeValue(forKey: file.path) != nil, "\(file) keeps state: what does another machine see?")
        }
        #expect(unused.isEmpty, "these files keep no state any more: shorten the list")
    }

    private static func keepsState(_ file: SourceTree.File) -> Bool {
        file.code.contains { _, line in
            line.contains("Mutex<") || line.contains("Mutex(") || line.hasPrefix("actor ")
                || line.contains(#/^(package |private |fileprivate |final )+actor /#)
        }
    }
}
