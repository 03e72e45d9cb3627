import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct PracticePageTests {
    private func harness() throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.ReadPracticeSignIn.self) { request in
            guard request.state == Secret("s-1") else { throw ServiceError(.invalidProviderResponse) }
            return .init(realm: Realm(project: ProjectID("demo-latchkey")), providerID: "google.com")
        }
        harness.mesh.reply(to: Identity.QueryAccounts.self) { _ in
            let account = Account.example { account in
                account.providers = [
                    ProviderLink(
                        providerID: "google.com", providerAccountID: "g-1", email: "ada@example.com",
                        displayName: "<b>Ada</b>"),
                    ProviderLink(providerID: "github.com", providerAccountID: "h-1"),
                ]
            }
            return .init(total: 1, accounts: [account])
        }
        harness.mesh.reply(to: Federation.FinishPracticeSignIn.self) { request in
            guard request.user?.subject != "" else { throw ServiceError(.invalidRequest) }
            return .init(responseURL: Secret("http://localhost:9099/__/auth/handler?state=s-1&code=practice.e30"))
        }
        return harness
    }

    @Test func pageOffersEarlierUsersOfProvider() async throws {
        let response = try await harness().send(.get, PracticePage.path, query: "state=s-1")
        let page = try #require(ReadPage(response))
        #expect(response.status == 200 && page.text.contains("<b>Ada</b>") && !response.text.contains("h-1"))
        #expect(page.all("form").count == 3 && page.all("form").allSatisfy { $0["action"] == PracticePage.path })
        #expect(page.all("input").contains { $0["name"] == "subject" && $0["value"] == "g-1" })
        #expect(page.all("script").isEmpty && response.header("Cross-Origin-Opener-Policy") == "unsafe-none")
    }

    @Test func formReturnsToTheSignIn() async throws {
        let harness = try harness()
        func post(_ body: String) async throws -> TestResponse {
            try await harness.send(
                .post, PracticePage.path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: body)
        }
        let response = try await post(
            "state=s-1&subject=7&email=a%40example.com&verified=on&name=Ada&userName=countess")
        #expect(response.status == 303 && response.header("Location")?.contains("code=practice") == true)
        _ = try await post("state=s-1&subject=7&email=&name=")
        _ = try await post("state=s-1&cancel=1")
        #expect(
            harness.mesh.sent(Federation.FinishPracticeSignIn.self).map(\.user) == [
                .init(
                    subject: "7", email: "a@example.com", isEmailVerified: true, displayName: "Ada",
                    userName: "countess"),
                .init(subject: "7"), nil,
            ])
        #expect(try await post("state=s-1&subject=").status == 400)
    }

    @Test func endedSignInIsShown() async throws {
        for query in ["state=other", "state=", ""] {
            let response = try await harness().send(.get, PracticePage.path, query: query)
            #expect(response.status == 400 && response.text.contains("has ended"))
        }
    }

    @Test func productionHasNoPracticePage() async throws {
        let harness = try GatewayHarness.production()
        #expect(try await harness.send(.get, PracticePage.path, query: "state=s-1").status == 404)
        #expect(try await harness.send(.post, PracticePage.path, body: "state=s-1").status == 404)
    }
}
