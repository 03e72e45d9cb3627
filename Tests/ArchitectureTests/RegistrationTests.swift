import Testing

/// What one list makes reachable is in the list: the compiler does not notice a subcommand or a route beside it.
struct RegistrationTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    private func text(of path: String) throws -> String {
        try #require(tree.files.first { $0.path == path }).code.map(\.text).joined(separator: "\n")
    }

    @Test func everySubcommandIsInTheTree() throws {
        let list = try text(of: "Services/latchkey/LatchkeyCommand.swift")
        var found = 0
        for file in tree.files(in: "Services/latchkey") {
            for (place, line) in file.code where line.contains("struct ") && line.contains("Command") {
                guard let match = line.firstMatch(of: /struct (\w+): (?:.*\W)?Command\b/) else { continue }
                found += 1
                #expect(list.contains("\(match.1).self"), "\(place) is in no group of LatchkeyCommand.swift")
            }
        }
        #expect(found > 40)
    }

    @Test func everyRouteIsInTheTable() throws {
        let lists = try [
            "HTTP/RouteTable.swift", "Providers/ProviderRoutes.swift", "HostedAccount/AccountPages.swift",
            "HostedSignIn/HostedSignInPages.swift", "Authorization/AuthorizationPage.swift",
        ].map { try text(of: "Services/gateway/\($0)") }.joined()
        let kinds = ["enum ", "extension ", "struct "]
        var found = 0
        for file in tree.files(in: "Services/gateway") where !file.path.hasSuffix("/RouteTable.swift") {
            var owner: Substring = ""
            for (place, line) in file.code {
                if kinds.contains(where: line.contains),
                    let match = line.firstMatch(of: /(?:enum|extension|struct) (\w+)/)
                {
                    owner = match.1
                }
                guard line.contains("[Route]"),
                    let match = line.firstMatch(of: /static (?:let|var) (\w+): \[Route\]/)
                else { continue }
                found += 1
                let isListed = lists.contains("\(owner).\(match.1)") || lists.contains(" + \(match.1)")
                #expect(isListed || lists.contains(" \(match.1) +"), "\(place) is not in RouteTable.swift")
            }
        }
        #expect(found > 30)
    }

    /// The first byte of a credential says its kind: one that is presented as another is malformed.
    @Test func everyCredentialHasAVersionOfItsOwn() {
        var owners: [Substring: String] = [:]
        var count = 0
        for file in tree.files(in: "Services/identity") {
            var isCredential = false
            for (place, line) in file.code {
                if line.contains("struct ") { isCredential = line.contains(": OpaqueCredential") }
                guard isCredential, let match = line.firstMatch(of: /static let version: UInt8 = (\d+)/) else {
                    continue
                }
                count += 1
                let other = owners.updateValue("\(place)", forKey: match.1)
                #expect(other == nil, "\(place) has the version of \(other ?? "")")
            }
        }
        #expect(count > 4)
    }
}
