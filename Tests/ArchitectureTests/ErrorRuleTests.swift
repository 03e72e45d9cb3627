import Testing

/// A service throws `ServiceError` for its caller, and gets one for the error of another process. Another error type would
/// need a map of its own, and an error that it forgets leaves as `internal`.
struct ErrorRuleTests {
    private let tree: SourceTree
    private let services = ["federation", "identity", "mfa-sms", "mfa-totp", "notifier", "passkey"]

    init() throws { tree = try SourceTree() }

    /// The error types that a service catches itself. What reaches the caller is a code of
    /// `ServiceError`.
    private let internalErrors: [String: Set<Substring>] = [
        "federation": ["AppleNotificationError", "IDTokenError"],
        "identity": [
            // They end a transaction, and the method that began it catches them.
            "Collision", "CollisionError", "ConcurrentLinkError", "DeletedElsewhere", "DryRunEnd", "TenantIDTakenError",
            "AuditError", "BlockingFunctionRequired", "Failure", "InvalidResponseError", "LogoImageError", "TokenError",
        ],
        "mfa-sms": ["VerificationFailure"],
        "mfa-totp": ["OTPAuthURIError", "RowDecodingError"],
        "notifier": ["APNsKeyRefusal", "OvertakenReservationError"],
        "passkey": [],
    ]

    @Test func errorTypesOfServicesStayInside() {
        for service in services {
            var found: Set<Substring> = []
            for file in tree.files(in: "Services/\(service)") {
                for (_, text) in file.code where text.contains("Error") {
                    let pattern = /(?:struct|enum|class|extension) ([\w.]+) *: *(?:[\w., ]+, *)?Error\b/
                    if let match = text.firstMatch(of: pattern) { found.insert(match.1) }
                }
            }
            #expect(found == internalErrors[service], "\(service)")
        }
    }

    @Test func wireErrorsStayBetweenProcesses() {
        // The reply of an import has the error of each rejected row.
        let exceptions = ["Services/identity/AccountImport/IdentityStore+AccountImport.swift"]
        for file in tree.files(in: "Services") {
            guard !exceptions.contains(file.path) else { continue }
            for (place, text) in file.code where text.contains("WireError") {
                let isCode = text.ranges(of: "WireError").allSatisfy { text[$0.upperBound...].hasPrefix(".Code") }
                #expect(isCode, "\(place): a service has ServiceError")
            }
        }
    }

    /// A code of the library for applications is in the list of all codes, and its explanation is its documentation.
    @Test func codesOfTheLibraryAreListedAndExplained() throws {
        let path = "Shared/LatchkeyAuth/Errors/AuthErrorCode+Codes.swift"
        let file = try #require(tree.files.first { $0.path == path })
        let text = file.lines.joined(separator: "\n")
        let member = #/ {4}/{3} (.*)\n {4}public static var (\w+): Self \{\s*Self\(\d+, "(.*)"\)\s*\}/#
        let members = text.matches(of: member)
        #expect(members.count == text.matches(of: /static var\b/).count && members.count >= 90)
        for member in members { #expect(member.1 == member.3, "\(member.2)") }
        let list = try #require(text.split(separator: "allCases: [AuthErrorCode] = [").last)
        #expect(list.matches(of: /\.(\w+)/).map(\.1) == members.map(\.2))
    }
}
