import Contracts
import Testing

/// The callers that each operation declares are the processes whose sources send it (security rule BU3): none is missing, and
/// none has authority that it does not use.
@Suite struct BusCallerTests {
    private struct OperationName: Hashable, CustomStringConvertible {
        var namespace: String
        var operation: String
        var description: String { "\(namespace).\(operation)" }
    }

    private static let callers: [OperationName: Set<BusCaller>] = {
        var callers: [OperationName: Set<BusCaller>] = [:]
        func add<Operation: ServiceOperation>(_ operations: Operation.Type, _ namespace: String) {
            for operation in Operation.allCases {
                callers[.init(namespace: namespace, operation: operation.rawValue)] = operation.callers
            }
        }
        add(Identity.Operation.self, "Identity")
        add(MFASMS.Operation.self, "MFASMS")
        add(MFATOTP.Operation.self, "MFATOTP")
        add(Passkey.Operation.self, "Passkey")
        add(Federation.Operation.self, "Federation")
        add(Notifier.Operation.self, "Notifier")
        return callers
    }()

    /// What sends requests without their names in the sources of the process.
    private static let senders: [(text: String, requests: [String])] = [
        ("ActivityCounts()", ["Identity.RecordActivity"]),
        ("DatabaseService.program(", ["Identity.RecordRefusedCaller"]),
        ("ProjectConfigurations(", ["Identity.ResolveConfiguration"]),
        ("AuditedChange<Identity.RecordProviderChange>", ["Identity.RecordProviderChange"]),
        ("AuditedChange<Identity.RecordNotifierChange>", ["Identity.RecordNotifierChange"]),
        ("UserImport(", ["Identity.ImportAccounts", "MFATOTP.ImportFactors", "Passkey.ImportCredentials"]),
        ("ForgetAccounts<", ["MFASMS.ForgetAccounts", "MFATOTP.ForgetAccounts", "Passkey.ForgetAccounts"]),
        ("-> Notifier.SendSMS {", ["Notifier.SendSMS"]),
        ("-> Federation.RevokeToken {", ["Federation.RevokeToken"]),
        ("var request: Notifier.AcceptAccountEvents {", ["Notifier.AcceptAccountEvents"]),
    ]

    private let tree: SourceTree
    /// `Identity.SignUp` and its operation.
    private let operations: [String: OperationName]

    init() throws {
        tree = try SourceTree()
        operations = Self.operations(in: tree.files(in: "Shared/Contracts"))
    }

    private static func operations(in files: [SourceTree.File]) -> [String: OperationName] {
        var operations: [String: OperationName] = [:]
        for file in files {
            var request: Substring?
            for (_, text) in file.code where text.contains("struct") || text.contains("oper") || text.contains("alias")
            {
                if let match = text.firstMatch(of: /struct (\w+)(?:<.*>)?: (?:BusRequest|ListRequest)/) {
                    request = match.1
                } else if let match = text.firstMatch(of: /static let operation = (\w+)\.Operation\.(\w+)/),
                    let name = request
                {
                    let operation = OperationName(namespace: String(match.1), operation: String(match.2))
                    operations["\(match.1).\(name)"] = operation
                } else if let match = text.firstMatch(of: /typealias (\w+) = Contracts\.(\w)(\w+)<(\w+)>/) {
                    let operation = OperationName(
                        namespace: String(match.4), operation: match.2.lowercased() + match.3)
                    operations["\(match.4).\(match.1)"] = operation
                }
            }
        }
        return operations
    }

    @Test func everyOperationHasARequest() {
        #expect(Set(operations.values) == Set(Self.callers.keys))
        #expect(operations.count == Self.callers.count)
    }

    /// The caller of each folder, and the namespace of its own operations, which it also names.
    @Test(
        arguments: [
            ("gateway", BusCaller.gateway, nil), ("latchkey", .operatorCommand, nil),
            ("identity", .identity, "Identity"),
            ("mfa-sms", .mfaSMS, "MFASMS"), ("mfa-totp", .mfaTOTP, "MFATOTP"), ("passkey", .passkey, "Passkey"),
            ("federation", .federation, "Federation"), ("notifier", .notifier, "Notifier"), ("broker", nil, nil),
        ] as [(String, BusCaller?, String?)])
    func sentOperationsDeclareTheSender(folder: String, caller: BusCaller?, own: String?) {
        var sent: Set<OperationName> = []
        for file in tree.files(in: "Services/\(folder)") {
            for (_, text) in file.code {
                for sender in Self.senders where text.contains(sender.text) {
                    sent.formUnion(sender.requests.compactMap { operations[$0] })
                }
                guard text.contains("(") else { continue }
                for match in text.matches(of: /\b([A-Z]\w+\.[A-Z]\w+)\(/) {
                    if let operation = operations[String(match.1)] { sent.insert(operation) }
                }
            }
        }
        let declared = Self.callers.filter { entry in caller.map(entry.value.contains) ?? false }.map(\.key)
        // What a service sends to processes of its own service declares it, too.
        let foreign = sent.filter { $0.namespace != own || declared.contains($0) }
        #expect(foreign.subtracting(declared).isEmpty, "\(folder) sends what does not declare it")
        #expect(Set(declared).subtracting(foreign).isEmpty, "\(folder) does not send what declares it")
    }

    /// What a gateway without the admin listener sends, one with it sends, too.
    @Test func gatewaysWithTheAdminListenerMaySendEverythingThatOthersMay() {
        for (operation, callers) in Self.callers where callers.contains(.publicGateway) {
            #expect(callers.contains(.gateway), "\(operation)")
        }
    }

    /// The words of services about what they alone have checked.
    @Test func proofsComeFromTheServicesThatCheckThem() {
        let rows: [(Identity.Operation, Set<BusCaller>)] = [
            (.completeSignIn, [.mfaSMS, .mfaTOTP]), (.enrollFactor, [.mfaSMS, .mfaTOTP]),
            (.signInWithPhone, [.mfaSMS]), (.signInWithPasskey, [.passkey]), (.enrollPasskey, [.passkey]),
            (.signInWithProvider, [.federation]), (.revokeSigningKey, [.operatorCommand]),
        ]
        for (operation, callers) in rows { #expect(operation.callers == callers, "\(operation)") }
    }

    @Test func everyCallerIsAProcess() {
        let ofServices = ServiceName.allCases.map(BusCaller.all(of:))
        #expect(ofServices.map(\.count).reduce(0, +) == Set(ofServices.joined()).count)
        #expect(Set(ofServices.joined()).union([.operatorCommand]) == Set(BusCaller.allCases))
    }
}
