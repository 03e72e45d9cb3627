import Contracts
import Testing
import Vocabulary

/// The JSON of the notifier's requests except e-mail, and of its events.
@Suite struct SMSGoldenTests {
    @Test func namesAreStable() {
        #expect(Notifier.Channel.allCases.map(\.rawValue) == ["email", "sms", "push"])
        #expect(
            Notifier.SMSPurpose.allCases.map(\.rawValue) == [
                "phoneSignIn", "secondFactorEnrollment", "secondFactorSignIn",
            ])
        #expect(Notifier.DeliveryRecord.Receipt.allCases.map(\.rawValue) == ["delivered", "undelivered"])
    }

    @Test func smsMatchesGoldenJSON() throws {
        let recipient = try #require(PhoneNumber("+15005550010"))
        try expect(
            Notifier.SendSMS(
                realm: Realm(project: ProjectID("p")), recipient: recipient, purpose: .phoneSignIn,
                code: Secret("123456"), appName: "P"),
            is: """
                {"appName":"P","code":"123456","purpose":"phoneSignIn","realm":{"project":"p"},\
                "recipient":"+15005550010"}
                """)
        try expect(
            Notifier.SendSMS(
                realm: Realm(project: ProjectID("p"), tenant: TenantID("t")), recipient: recipient, region: "US",
                purpose: .secondFactorSignIn, code: Secret("123456"), locale: "de", defaultLocale: "en", appName: "P",
                originDomain: "e.x", template: "%LOGIN_CODE%"),
            is: """
                {"appName":"P","code":"123456","defaultLocale":"en","locale":"de","originDomain":"e.x",\
                "purpose":"secondFactorSignIn","realm":{"project":"p","tenant":"t"},"recipient":"+15005550010",\
                "region":"US","template":"%LOGIN_CODE%"}
                """)
        try expect(Notifier.SendSMS.Reply(messageID: MessageID("m")), is: #"{"messageID":"m"}"#)
    }

    @Test func pushMatchesGoldenJSON() throws {
        try expect(
            Notifier.SendPush(
                project: ProjectID("p"), deviceToken: Secret("00ff"), isSandbox: true, bundleID: "a.b", receipt: "r",
                secret: Secret("s")),
            is: """
                {"bundleID":"a.b","deviceToken":"00ff","isSandbox":true,"project":"p","receipt":"r","secret":"s"}
                """)
        try expect(Notifier.SendPush.Reply(messageID: MessageID("m")), is: #"{"messageID":"m"}"#)
    }

    @Test func receiptMatchesGoldenJSON() throws {
        try expect(
            Notifier.RecordReceipt(provider: .vonage, target: "/r", body: ""),
            is: #"{"body":"","provider":"vonage","target":"/r"}"#)
        try expect(
            Notifier.RecordReceipt(provider: .twilio, target: "/r?a=b", contentType: "c", signature: "s", body: "b"),
            is: #"{"body":"b","contentType":"c","provider":"twilio","signature":"s","target":"/r?a=b"}"#)
        try expect(Notifier.RecordReceipt.Reply(), is: "{}")
    }

    @Test func deliveryRecordMatchesGoldenJSON() throws {
        try expect(
            Notifier.DeliveryRecord(
                messageID: MessageID("m"), realm: Realm(project: ProjectID("p")), channel: .sms,
                purpose: "phoneSignIn", maskedRecipient: "•••0010", acceptedAt: Moment(milliseconds: 1), state: .sent,
                attempts: 1, problem: nil, finishedAt: Moment(milliseconds: 2), provider: "twilio", priceMicros: 7900,
                currency: "USD", receipt: .delivered),
            is: """
                {"acceptedAt":1,"attempts":1,"channel":"sms","currency":"USD","finishedAt":2,\
                "maskedRecipient":"•••0010","messageID":"m","priceMicros":7900,"provider":"twilio",\
                "purpose":"phoneSignIn","realm":{"project":"p"},"receipt":"delivered","state":"sent"}
                """)
    }

    @Test func inboxMessageMatchesGoldenJSON() throws {
        try expect(
            Notifier.InboxMessage(
                id: MessageID("m"), realm: Realm(project: ProjectID("p")), channel: .sms, purpose: "phoneSignIn",
                receivedAt: Moment(milliseconds: 1), sender: "P", recipient: "+15005550010", subject: "s", text: "t",
                html: "", link: nil),
            is: """
                {"channel":"sms","html":"","id":"m","purpose":"phoneSignIn","realm":{"project":"p"},"receivedAt":1,\
                "recipient":"+15005550010","sender":"P","subject":"s","text":"t"}
                """)
    }

    @Test func queuedMessagesEventMatchesGoldenJSON() throws {
        try expect(BusEvent.messagesQueued(.sms), is: #"{"messagesQueued":{"_0":"sms"}}"#)
    }
}
