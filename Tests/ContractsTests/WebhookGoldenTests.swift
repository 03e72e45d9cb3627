import Contracts
import Testing
import Vocabulary

/// The JSON of webhooks and account events, and of their operations.
@Suite struct WebhookGoldenTests {
    private static let project = ProjectID("p")
    private static let id = WebhookID("w")
    private static let event = AccountEvent(
        id: AccountEventID("evt_1"), kind: .factorAdded, realm: Realm(project: project, tenant: TenantID("t")),
        accountID: AccountID("a"), occurredAt: Moment(milliseconds: 1), sequence: 2,
        details: .init(provider: "google.com", factor: "phone", factorID: FactorID("f")))
    private static let eventJSON = """
        {"accountID":"a","details":{"factor":"phone","factorID":"f","provider":"google.com"},"id":"evt_1",\
        "kind":"account.factor_added","occurredAt":1,"realm":{"project":"p","tenant":"t"},"sequence":2}
        """

    static let identityRequests = [
        IdentityGoldenTests.Request(
            Identity.CreateWebhook(
                project: project, url: "https://a.example/", kinds: [.created], isDisabled: true,
                client: IdentityGoldenTests.client),
            """
            {"client":\(IdentityGoldenTests.clientJSON),"isDisabled":true,"kinds":["account.created"],"project":"p",\
            "url":"https://a.example/"}
            """),
        IdentityGoldenTests.Request(Identity.ListWebhooks(project: project), #"{"project":"p"}"#),
        IdentityGoldenTests.Request(Identity.ReadWebhook(project: project, id: id), #"{"id":"w","project":"p"}"#),
        IdentityGoldenTests.Request(
            Identity.UpdateWebhook(
                project: project, id: id, url: "https://b.example/", kinds: [.signedIn], isDisabled: false),
            """
            {"client":{},"id":"w","isDisabled":false,"kinds":["account.signed_in"],"project":"p",\
            "url":"https://b.example/"}
            """),
        IdentityGoldenTests.Request(
            Identity.DeleteWebhook(project: project, id: id), #"{"client":{},"id":"w","project":"p"}"#),
        IdentityGoldenTests.Request(
            Identity.RotateWebhookSecret(project: project, id: id), #"{"client":{},"id":"w","project":"p"}"#),
        IdentityGoldenTests.Request(
            Identity.TestWebhook(project: project, id: id), #"{"client":{},"id":"w","project":"p"}"#),
    ]

    @Test(arguments: identityRequests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.identityRequests[number].expectGolden()
    }

    @Test func kindsAreStable() {
        #expect(
            AccountEvent.Kind.allCases.map(\.rawValue) == [
                "account.created", "account.signed_in", "account.password_changed", "account.email_changed",
                "account.factor_added", "account.factor_removed", "account.provider_linked",
                "account.provider_unlinked", "account.disabled", "account.enabled", "account.deleted", "webhook.test",
            ])
        #expect(Notifier.WebhookDelivery.State.allCases.map(\.rawValue) == ["pending", "delivered", "failed"])
    }

    @Test func webhookMatchesGoldenJSON() throws {
        try expect(
            Identity.WebhookWithSecret(
                webhook: .init(
                    id: Self.id, project: Self.project, url: "https://a.example/", kinds: [.deleted],
                    isDisabled: false, createdAt: Moment(milliseconds: 3), revision: 4), secret: Secret("whsec_s")),
            is: """
                {"secret":"whsec_s","webhook":{"createdAt":3,"id":"w","isDisabled":false,\
                "kinds":["account.deleted"],"project":"p","revision":4,"url":"https://a.example/"}}
                """)
        try expect(Identity.ListWebhooks.Reply(webhooks: []), is: #"{"webhooks":[]}"#)
        try expect(
            Identity.TestWebhook.Reply(eventID: AccountEventID("evt_1")), is: #"{"eventID":"evt_1"}"#)
    }

    @Test func acceptedEventsMatchGoldenJSON() throws {
        try expect(
            Notifier.AcceptAccountEvents(
                webhooks: [
                    .init(
                        id: Self.id, project: Self.project, url: "https://a.example/",
                        secrets: [.init(bytes: Secret(OctetString([1])), expiresAt: Moment(milliseconds: 5))],
                        isDisabled: true, isDeleted: false, revision: 4)
                ], events: [.init(event: Self.event, webhooks: [Self.id])]),
            is: """
                {"events":[{"event":\(Self.eventJSON),"webhooks":["w"]}],"webhooks":[{"id":"w","isDeleted":false,\
                "isDisabled":true,"project":"p","revision":4,"secrets":[{"bytes":"AQ","expiresAt":5}],\
                "url":"https://a.example/"}]}
                """)
        try expect(
            Notifier.AcceptAccountEvents.Reply(unknownWebhooks: [Self.id]), is: #"{"unknownWebhooks":["w"]}"#)
        #expect(Notifier.AcceptAccountEvents.retrySemantics == .idempotent)
    }

    @Test func statusMatchesGoldenJSON() throws {
        try expect(
            Notifier.ReadWebhookStatus(project: Self.project, id: Self.id, limit: 5),
            is: #"{"id":"w","limit":5,"project":"p"}"#)
        try expect(
            Notifier.ReadWebhookStatus.Reply(
                problem: "unreachable", failingSince: Moment(milliseconds: 1), goneAt: Moment(milliseconds: 2),
                pendingEvents: 3, oldestPendingAt: Moment(milliseconds: 4), droppedEvents: 5,
                deliveries: [
                    .init(
                        eventID: AccountEventID("evt_1"), kind: .created, tenant: TenantID("t"),
                        accountID: AccountID("a"), occurredAt: Moment(milliseconds: 6), state: .failed, attempts: 7,
                        lastAttemptAt: Moment(milliseconds: 8), problem: "serverRefused 500",
                        finishedAt: Moment(milliseconds: 9))
                ]),
            is: """
                {"deliveries":[{"accountID":"a","attempts":7,"eventID":"evt_1","finishedAt":9,"kind":"account.created",\
                "lastAttemptAt":8,"occurredAt":6,"problem":"serverRefused 500","state":"failed","tenant":"t"}],\
                "droppedEvents":5,"failingSince":1,"goneAt":2,"oldestPendingAt":4,"pendingEvents":3,\
                "problem":"unreachable"}
                """)
        #expect(Notifier.ReadWebhookStatus.retrySemantics == .idempotent)
    }

    @Test func replayMatchesGoldenJSON() throws {
        try expect(
            Notifier.ReplayAccountEvents(
                project: Self.project, id: Self.id, eventIDs: [AccountEventID("evt_1")],
                after: Moment(milliseconds: 1), fromPosition: 2),
            is: #"{"after":1,"client":{},"eventIDs":["evt_1"],"fromPosition":2,"id":"w","project":"p"}"#)
        try expect(
            Notifier.ReplayAccountEvents.Reply(replayedEvents: 1, nextPosition: 2),
            is: #"{"nextPosition":2,"replayedEvents":1}"#)
        #expect(Notifier.ReplayAccountEvents.retrySemantics == .idempotent)
    }
}
