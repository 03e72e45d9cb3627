import Contracts
import Testing
import Vocabulary

/// The JSON of a push request to the notifier.
@Suite struct PushGoldenTests {
    @Test func pushMatchesGoldenJSON() throws {
        try expect(
            Notifier.SendPush(
                project: ProjectID("p"), deviceToken: Secret("9F86"), isSandbox: true, bundleID: "com.example.app",
                receipt: "r", secret: Secret("s")),
            is: """
                {"bundleID":"com.example.app","deviceToken":"9F86","isSandbox":true,"project":"p","receipt":"r",\
                "secret":"s"}
                """)
        try expect(Notifier.SendPush.Reply(messageID: MessageID("m")), is: #"{"messageID":"m"}"#)
    }
}
