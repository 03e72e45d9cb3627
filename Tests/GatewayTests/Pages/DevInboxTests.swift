import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DevInboxTests {
    private static let message = Notifier.InboxMessage(
        id: MessageID("0123"), realm: Realm(project: ProjectID("p"), tenant: TenantID("t")), purpose: "resetPassword",
        receivedAt: Moment(milliseconds: 1_795_214_173_806), sender: "<script>alert(1)</script> <s@example.com>",
        recipient: "ada@example.com",
        subject: "</title><script>alert(2)</script>", text: "</pre><script>alert(3)</script>",
        html: "<p onclick=\"alert(4)\">Hi</p>\"><script>alert(5)</script>", link: "https://example.com/?a=1&b=\"2")

    @Test func emailsAreShownWithoutActiveContent() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListInboxMessages.self) { request in
            #expect(request.recipient == nil)
            return .init(messages: [Self.message])
        }
        let response = try await harness.send(.get, "/dev/inbox")
        #expect(response.status == 200)
        #expect(response.header("content-type") == "text/html; charset=utf-8")
        let policies = response.http.headers.filter { $0.name == "Content-Security-Policy" }.map(\.value)
        #expect(policies.count == 1)
        #expect(policies.first?.hasPrefix("default-src 'none'; ") == true)
        #expect(policies.first?.contains("script-src") == false)
        // The logo of an e-mail, and no other picture.
        let pictures = "img-src \(harness.gateway.dependencies.settings.publicURL)/__/auth/logo/;"
        #expect(policies.first?.contains(pictures) == true)
        let page = String(decoding: response.http.body, as: UTF8.self)
        #expect(!page.contains("<script"))
        #expect(page.contains("srcdoc=\"&lt;p onclick=&quot;alert(4)&quot;&gt;Hi&lt;/p&gt;&quot;&gt;&lt;script&gt;"))
        #expect(page.contains("<iframe sandbox=\"\" "))
        #expect(page.contains("href=\"https://example.com/?a=1&amp;b=&quot;2\""))
        #expect(page.contains("2026-11-20T22:36:13.806Z"))
        #expect(page.contains("p / t"))
    }

    @Test func emailsAreFilteredByRecipient() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListInboxMessages.self) { request in
            #expect(request.recipient == "ada@example.com")
            return .init(messages: [])
        }
        let response = try await harness.send(.get, "/dev/inbox", query: "to=ada%40example.com")
        #expect(String(decoding: response.http.body, as: UTF8.self).contains("0 messages to ada@example.com"))
    }

    /// For tests of applications, which read no page.
    @Test func messagesOfARealmAreJSON() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListInboxMessages.self) { request in
            #expect(request.recipient == "ada@example.com")
            var other = Self.message
            other.realm = Realm(project: ProjectID("other"))
            return .init(messages: [other, Self.message])
        }
        let path = "/emulator/v1/projects/p/tenants/t/messages"
        let response = try await harness.send(.get, path, query: "to=ada%40example.com")
        #expect(response.status == 200)
        guard case .array(let messages)? = response.json["messages"], let message = messages.first else {
            Issue.record("no messages")
            return
        }
        #expect(messages.count == 1 && message["purpose"] == .string("resetPassword"))
        #expect(message["link"] == .string("https://example.com/?a=1&b=\"2"))
        #expect(message["text"] == .string("</pre><script>alert(3)</script>"))
        #expect(message["receivedAt"] == .string("2026-11-20T22:36:13.806Z"))
        #expect(try await GatewayHarness.production().send(.get, path).status == 404)
    }

    @Test func invalidRecipientHasNoEmail() async throws {
        let harness = try GatewayHarness()
        let response = try await harness.send(.get, "/dev/inbox", query: "to=%3Cscript%3E")
        #expect(response.status == 200)
        #expect(harness.mesh.count == 0)
        #expect(!String(decoding: response.http.body, as: UTF8.self).contains("<script>"))
    }

    @Test func inboxIsAbsentInProduction() async throws {
        let harness = try GatewayHarness.production()
        for listener in Listener.allCases {
            #expect(try await harness.send(.get, "/dev/inbox", on: listener).status == 404)
        }
        #expect(harness.mesh.count == 0)
    }

    @Test func unavailableNotifierIsReported() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListInboxMessages.self) { _ in throw ServiceError(.unavailable) }
        #expect(try await harness.send(.get, "/dev/inbox").status == 503)
    }
}
