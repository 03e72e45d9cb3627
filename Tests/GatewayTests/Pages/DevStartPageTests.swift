import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DevStartPageTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    private static func root(_ harness: GatewayHarness, accept: String?) async throws -> TestResponse {
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        return try await harness.send(.get, "/", headers: accept.map { ["accept": $0] } ?? [:])
    }

    private static func text(_ response: TestResponse) -> String { String(decoding: response.http.body, as: UTF8.self) }

    @Test func browserGetsPage() async throws {
        let response = try await Self.root(GatewayHarness(), accept: Self.browser)
        #expect((response.status, response.header("content-type")) == (200, "text/html; charset=utf-8"))
        #expect(!Self.text(response).contains("<script"))
    }

    /// A link of the page that leads nowhere would be a path without a route.
    @Test func everyLinkOfThePageHasARoute() async throws {
        let page = Self.text(try await Self.root(GatewayHarness(), accept: Self.browser))
        let links = page.components(separatedBy: "<a href=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(links.count == 6)
        for link in links {
            let paths = RouteTable.routes.filter { $0.method == .get }.flatMap(\.paths)
            #expect(paths.contains { $0.pattern.text == link }, "\(link)")
        }
    }

    /// Test tools and libraries wait for the answer of the Firebase emulator.
    @Test(arguments: [nil, "*/*", "application/json", "text/plain, text/htmlx"])
    func othersGetJSON(accept: String?) async throws {
        let response = try await Self.root(GatewayHarness(), accept: accept)
        #expect(response.json["authEmulator"]?["ready"] == .bool(true))
    }

    @Test func productionHasNoPage() async throws {
        let harness = try GatewayHarness.production()
        #expect(try await Self.root(harness, accept: Self.browser).json == json(#"{"ready":true}"#))
        #expect(try await harness.send(.get, DevStartPage.usersPath).status == 404)
    }

    @Test func usersAreShownWithoutActiveContent() async throws {
        let harness = try GatewayHarness()
        let account = Account(
            id: AccountID("u<1>"), realm: Realm(project: ProjectID("demo-latchkey")),
            displayName: "<script>alert(1)</script>", validSince: Timestamp(seconds: 0),
            createdAt: Moment(milliseconds: 0))
        harness.mesh.reply(to: Identity.QueryAccounts.self) { request in
            #expect((request.order, request.isDescending, request.limit) == (.lastSignInAt, true, 50))
            return .init(total: 1, accounts: [account])
        }
        let page = Self.text(try await harness.send(.get, DevStartPage.usersPath))
        #expect(page.contains("&lt;script&gt;") && !page.contains("<script") && page.contains("u&lt;1&gt;"))
    }
}
