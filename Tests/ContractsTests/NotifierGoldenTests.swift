import Contracts
import Testing
import Vocabulary

/// The JSON of every request to the notifier and of every reply.
@Suite struct NotifierGoldenTests {
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    @Test func operationNamesAreStable() {
        #expect(
            Notifier.Operation.allCases.map(\.rawValue) == [
                "sendEmail", "sendSMS", "sendPush", "recordReceipt", "listDeliveries", "acceptAccountEvents",
                "readWebhookStatus", "replayAccountEvents", "addAPNsKey", "listAPNsKeys", "removeAPNsKey",
                "listInboxMessages",
            ])
        #expect(
            Notifier.EmailPurpose.allCases.map(\.rawValue) == [
                "verifyEmail", "resetPassword", "emailSignIn", "emailSignInCode", "emailVerificationCode",
                "verifyAndChangeEmail", "emailChanged", "emailRemoved", "secondFactorAdded", "secondFactorRemoved",
                "passwordChanged", "recoveryCodeUsed",
                "passkeyAdded", "passkeyRemoved", "providerLinked", "providerRefused",
                "newSignIn", "deletionScheduled",
            ])
        #expect(
            Notifier.DeliveryRecord.State.allCases.map(\.rawValue) == ["pending", "sent", "failed", "suppressed"])
    }

    @Test func emailMatchesGoldenJSON() throws {
        let recipient = try #require(EmailAddress("a@example.com"))
        try expect(
            Notifier.SendEmail(
                realm: Realm(project: ProjectID("p")), recipient: recipient, purpose: .passwordChanged, appName: "P"),
            is: #"{"appName":"P","purpose":"passwordChanged","realm":{"project":"p"},"recipient":"a@example.com"}"#)
        try expect(
            Notifier.SendEmail(
                realm: Self.realm, recipient: recipient, purpose: .emailChanged, locale: "de-AT", defaultLocale: "de",
                appName: "P", link: "https://e.x/", code: Secret("012345"), displayName: "A",
                newEmail: EmailAddress("b@example.com"),
                account: .init(
                    email: recipient, hasPassword: true, hasEmailLink: false, hasPhoneNumber: true, hasPasskeys: false,
                    providers: ["oidc.a"]),
                secondFactor: "+***9", passkey: "k", provider: "google.com",
                template: .init(
                    senderDisplayName: "S", senderLocalPart: "l", replyTo: EmailAddress("r@example.com"), subject: "s",
                    body: "b", bodyFormat: .html)),
            is: """
                {"account":{"email":"a@example.com","hasEmailLink":false,"hasPasskeys":false,"hasPassword":true,\
                "hasPhoneNumber":true,"providers":["oidc.a"]},"appName":"P","code":"012345","defaultLocale":"de","displayName":"A","link":"https://e.x/","locale":"de-AT",\
                "newEmail":"b@example.com","passkey":"k","provider":"google.com","purpose":"emailChanged","realm":{"project":"p","tenant":"t"},\
                "recipient":"a@example.com","secondFactor":"+***9","template":{"body":"b","bodyFormat":"HTML",\
                "replyTo":"r@example.com","senderDisplayName":"S","senderLocalPart":"l","subject":"s"}}
                """)
        try expect(Notifier.SendEmail.Reply(messageID: MessageID("m")), is: #"{"messageID":"m"}"#)
    }

    @Test func deliveriesMatchGoldenJSON() throws {
        try expect(Notifier.ListDeliveries(project: ProjectID("p"), limit: 5), is: #"{"limit":5,"project":"p"}"#)
        try expect(
            Notifier.ListDeliveries.Reply(deliveries: [
                .init(
                    messageID: MessageID("m"), realm: Self.realm, purpose: "verifyEmail", maskedRecipient: "a•••@e.x",
                    acceptedAt: Moment(milliseconds: 1), state: .failed, attempts: 2, problem: "recipientRefused 550",
                    finishedAt: Moment(milliseconds: 3))
            ]),
            is: """
                {"deliveries":[{"acceptedAt":1,"attempts":2,"finishedAt":3,"maskedRecipient":"a•••@e.x",\
                "messageID":"m","problem":"recipientRefused 550","purpose":"verifyEmail",\
                "realm":{"project":"p","tenant":"t"},"state":"failed"}]}
                """)
    }

    @Test func inboxMatchesGoldenJSON() throws {
        try expect(Notifier.ListInboxMessages(), is: #"{"limit":50}"#)
        try expect(
            Notifier.ListInboxMessages(recipient: "a@example.com", limit: 1),
            is: #"{"limit":1,"recipient":"a@example.com"}"#)
        try expect(
            Notifier.ListInboxMessages.Reply(messages: [
                .init(
                    id: MessageID("m"), realm: Self.realm, purpose: "emailSignIn", receivedAt: Moment(milliseconds: 1),
                    sender: "S <s@e.x>", recipient: "a@example.com", subject: "s",
                    text: "t", html: "h", link: "https://e.x/")
            ]),
            is: """
                {"messages":[{"html":"h","id":"m","link":"https://e.x/","purpose":"emailSignIn","realm":\
                {"project":"p","tenant":"t"},"receivedAt":1,"recipient":"a@example.com","sender":"S <s@e.x>",\
                "subject":"s","text":"t"}]}
                """)
    }
}
