import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct WebhooksTests {
    private static let id = WebhookID("90983b19f5945d9b49679f2453ec34fa")
    private static let path = "/webhooks/90983b19f5945d9b49679f2453ec34fa"
    private static let webhook = Identity.Webhook(
        id: id, project: ProjectID("demo-latchkey"), url: "https://a.example/", kinds: [.created], isDisabled: false,
        createdAt: Moment(milliseconds: 1_700_000_000_000), revision: 3)

    @Test func webhookIsCreatedFromBody() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateWebhook.self) { request in
            #expect(request.url == "https://a.example/" && request.kinds == [.created] && !request.isDisabled)
            return .init(webhook: Self.webhook, secret: Secret("whsec_x"))
        }
        let response = try await harness.admin(
            .post, "/webhooks", #"{"url":"https://a.example/","event_types":["account.created"],"secret":"ignored"}"#,
            version: "v2")
        #expect(
            response.json
                == (try json(
                    """
                    {"name":"projects/demo-latchkey/webhooks/90983b19f5945d9b49679f2453ec34fa",
                    "url":"https://a.example/","eventTypes":["account.created"],"disabled":false,
                    "createTime":"2023-11-14T22:13:20.000Z","secret":"whsec_x"}
                    """)))
    }

    @Test(arguments: [
        (
            #"{"colour":"red"}"#,
            #"Invalid JSON payload received. Unknown name "colour" at 'webhook': Cannot find field."#
        ),
        (#"{"eventTypes":["account.painted"]}"#, "Invalid value at 'webhook.eventTypes[0]' (TYPE_ENUM)"),
        (#"{"eventTypes":"account.created"}"#, "Invalid value at 'webhook.eventTypes' (TYPE_LIST)"),
        (#"{"disabled":"yes"}"#, "Invalid value at 'webhook.disabled' (TYPE_BOOL)"),
    ])
    func invalidWebhookIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.post, "/webhooks", body, version: "v2")
        #expect((response.status, response.message) == (400, message))
        let patched = try await harness.admin(.patch, Self.path, body, version: "v2")
        #expect((patched.status, patched.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [
        (
            #"{"disabled":true}"#, "",
            Identity.UpdateWebhook(
                project: ProjectID("demo-latchkey"), id: id, url: "https://a.example/", kinds: [.created],
                isDisabled: true)
        ),
        (
            #"{"disabled":true,"url":"https://b.example/"}"#, "updateMask=url,eventTypes",
            .init(
                project: ProjectID("demo-latchkey"), id: id, url: "https://b.example/", kinds: [], isDisabled: false)
        ),
    ])
    func maskChangesOnlyNamedFields(body: String, query: String, expected: Identity.UpdateWebhook) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadWebhook.self) { _ in Self.webhook }
        harness.mesh.reply(to: Identity.UpdateWebhook.self) { request in
            var request = request
            request.client = .init()
            #expect(request == expected)
            return Self.webhook
        }
        let response = try await harness.admin(.patch, Self.path, body, version: "v2", query: query)
        #expect(response.status == 200)
    }

    @Test func stateAndDeliveriesAreReturned() async throws {
        let harness = try GatewayHarness()
        let time = Moment(milliseconds: 1_700_000_000_000)
        harness.mesh.reply(to: Notifier.ReadWebhookStatus.self) { request in
            #expect(request.id == Self.id && request.limit == 7)
            return .init(
                problem: "serverRefused 503", failingSince: time, goneAt: nil, pendingEvents: 2, oldestPendingAt: time,
                droppedEvents: 1,
                deliveries: [
                    .init(
                        eventID: AccountEventID("evt_1"), kind: .signedIn, tenant: TenantID("t"),
                        accountID: AccountID("a"), occurredAt: time, state: .pending, attempts: 3, lastAttemptAt: time,
                        problem: "serverRefused 503", finishedAt: nil)
                ])
        }
        let response = try await harness.admin(
            .get, Self.path + "/deliveries", version: "v2", query: "pageSize=7")
        #expect(
            response.json
                == (try json(
                    """
                    {"state":"failing","problem":"serverRefused 503","failingSince":"2023-11-14T22:13:20.000Z",
                    "pendingEvents":2,"oldestPendingTime":"2023-11-14T22:13:20.000Z","droppedEvents":1,
                    "deliveries":[{"eventId":"evt_1","type":"account.signed_in","tenantId":"t","localId":"a",
                    "eventTime":"2023-11-14T22:13:20.000Z","state":"pending","attempts":3,
                    "lastAttemptTime":"2023-11-14T22:13:20.000Z","problem":"serverRefused 503"}]}
                    """)))
        let refused = try await harness.admin(.get, Self.path + "/deliveries", version: "v2", query: "pageSize=501")
        #expect(refused.status == 400)
    }

    @Test func replayIsSelectedByTimeOrIDs() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ReplayAccountEvents.self) { request in
            #expect(request.after == Moment(milliseconds: 1_700_000_000_000) || request.eventIDs?.count == 1)
            return .init(replayedEvents: 1000, nextPosition: request.fromPosition.map { $0 + 1 } ?? 8)
        }
        let first = try await harness.admin(
            .post, Self.path + ":replay", #"{"after":"2023-11-14T22:13:20Z"}"#, version: "v2")
        #expect(first.json == (try json(#"{"replayedEvents":1000,"nextPageToken":"8"}"#)))
        let second = try await harness.admin(
            .post, Self.path + ":replay", #"{"after":"2023-11-14T22:13:20Z","pageToken":"8"}"#, version: "v2")
        #expect(second.json["nextPageToken"] == .string("9"))
        let third = try await harness.admin(.post, Self.path + ":replay", #"{"eventIds":["evt_1"]}"#, version: "v2")
        #expect(third.status == 200)
        for body in [
            #"{"after":"yesterday"}"#, #"{"pageToken":"-1"}"#, #"{"pageToken":"x"}"#,
            #"{"eventIds":["evt_1"],"pageToken":"8"}"#,
        ] {
            #expect(try await harness.admin(.post, Self.path + ":replay", body, version: "v2").status == 400)
        }
    }

    @Test func malformedIDIsUnknown() async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.get, "/webhooks/a%20b", version: "v2")
        #expect((response.status, response.message) == (404, "WEBHOOK_NOT_FOUND"))
        #expect(harness.mesh.count == 0)
    }
}
