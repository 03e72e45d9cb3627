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

    @Test func keysMatchGoldenJSON() throws {
        let (project, id) = (ProjectID("p"), APNsKeyID("k"))
        let client = ClientContext(ipAddress: "192.0.2.1")
        let key = Notifier.APNsKey(
            id: id, project: project, bundleID: "com.example.app", environment: .sandbox, keyID: "ABC123DEFG",
            teamID: "DEF123GHIJ", createdAt: Moment(milliseconds: 5))
        let keyJSON = """
            {"bundleID":"com.example.app","createdAt":5,"environment":"SANDBOX","id":"k","keyID":"ABC123DEFG",\
            "project":"p","teamID":"DEF123GHIJ"}
            """
        try expect(
            Notifier.AddAPNsKey(
                project: project, bundleID: "com.example.app", keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                privateKey: Secret("s"), client: client),
            is: """
                {"bundleID":"com.example.app","client":{"ipAddress":"192.0.2.1"},"environment":"BOTH",\
                "keyID":"ABC123DEFG","privateKey":"s","project":"p","teamID":"DEF123GHIJ"}
                """)
        try expect(key, is: keyJSON)
        #expect(Notifier.AddAPNsKey.retrySemantics == .atMostOnce)
        #expect(Notifier.APNsKey.Environment.allCases.map(\.rawValue) == ["BOTH", "SANDBOX", "PRODUCTION"])
        try expect(Notifier.ListAPNsKeys(project: project), is: #"{"project":"p"}"#)
        try expect(Notifier.ListAPNsKeys.Reply(keys: [key]), is: #"{"keys":[\#(keyJSON)]}"#)
        #expect(Notifier.ListAPNsKeys.retrySemantics == .idempotent)
        try expect(
            Notifier.RemoveAPNsKey(project: project, id: id, client: client),
            is: #"{"client":{"ipAddress":"192.0.2.1"},"id":"k","project":"p"}"#)
        #expect(Notifier.RemoveAPNsKey.retrySemantics == .atMostOnce)
    }
}
