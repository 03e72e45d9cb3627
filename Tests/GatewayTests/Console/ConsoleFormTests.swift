import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Mass assignment: a form of the console does what its page offers, whatever else it sends.
@Suite struct ConsoleFormTests {
    private static let forms = ConsolePages.all.filter { $0.method == .post }

    /// They need a work that the operator has begun: `ConsoleWorkTests` has them.
    static let ofWork: Set<String> = ["work", "work/stop", "users/import/begin"]

    /// What the members of the requests of a form are called, at any depth.
    private static func members(of value: Any, depth: Int = 8) -> [String] {
        guard depth > 0 else { return [] }
        return Mirror(reflecting: value).children.flatMap { child in
            (child.label.map { [$0] } ?? []) + members(of: child.value, depth: depth - 1)
        }
    }

    /// A request with what differs from one time to the next left out.
    private static func text(of request: some BusRequest) throws -> String {
        let json = try WireJSON.decode(JSONValue.self, from: WireJSON.encodeSorted(request))
        var members = json.members ?? [:]
        // A new key of a service account.
        if let key = members["key"]?.members { members["key"] = .object(key.filter { $0.key == "email" }) }
        return
            "\(type(of: request)) \(String(decoding: try WireJSON.encodeSorted(JSONValue.object(members)), as: UTF8.self))"
    }

    /// Sends the form with further fields.
    /// - Returns: the requests that it has caused.
    private static func requests(
        of route: ConsoleRoute, _ others: [String: String]
    ) async throws -> [any BusRequest] {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let response = try await browser.send(route, others)
        #expect([200, 303].contains(response.status), "\(route.path): \(response.status)")
        // What is done to many accounts is done later.
        if response.header("Location")?.contains("/work?") == true { _ = try await browser.finishWork(response) }
        return browser.harness.mesh.sent.filter { !($0 is Identity.ResolveOperatorSession) }
    }

    @Test(arguments: forms.map(ConsoleBrowser.name).filter { !ofWork.contains($0) })
    func furtherFieldsOfAFormHaveNoEffect(name: String) async throws {
        let route = try #require(Self.forms.first { ConsoleBrowser.name(of: $0) == name })
        let plain = try await Self.requests(of: route, [:])
        let known = Set(ConsoleBrowser.fields(of: route).keys).union(["tenant"])
        let names = Set(plain.flatMap { Self.members(of: $0) }).subtracting(known)
            .union(["customClaims", "customAttributes", "validSince", "operatorName", "grants", "isFresh"])
        let others = Dictionary(uniqueKeysWithValues: names.map { ($0, "true") })
        let changed = try await Self.requests(of: route, others)
        #expect(Set(try plain.map { try Self.text(of: $0) }) == Set(try changed.map { try Self.text(of: $0) }))
    }
}
