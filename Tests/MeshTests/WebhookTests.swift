import Bus
import Contracts
import HTTPClient
import JSON
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// Account events through real processes, to an endpoint that fails in several ways.
    @Suite struct WebhookTests {
        enum Disturbance: CaseIterable {
            case none
            /// The endpoint refuses every event while they occur.
            case endpointFails
            /// The notifier is killed with its running work.
            case notifierKilled
            /// The notifier is suspended, and identity is killed while it waits for it.
            case identityKilled
        }

        private static let users = 5
        private static let expectedTypes = [
            "account.created", "account.signed_in", "account.signed_in", "account.password_changed",
            "account.signed_in", "account.disabled", "account.enabled", "account.deleted",
        ]

        @Test(arguments: MeshEngine.allCases, Disturbance.allCases)
        func everyEventArrivesInOrderOfItsAccount(engine: MeshEngine, disturbance: Disturbance) async throws {
            try await WebhookReceiver.running { receiver, url in
                try await withMesh(["--only", "gateway,identity,notifier"], on: engine) { mesh in
                    let webhook = try await mesh.client.createWebhook(url)
                    receiver.setSecrets([webhook.secret])
                    switch disturbance {
                    case .none, .notifierKilled: break
                    case .endpointFails: receiver.setBehavior(.responds(503))
                    case .identityKilled: try await mesh.suspend("notifier.1")
                    }
                    var histories: [MeshClient.History] = []
                    for number in 0..<Self.users {
                        histories.append(try await mesh.client.liveThroughEveryEvent(TestUser()))
                        guard number == Self.users / 2 else { continue }
                        switch disturbance {
                        case .none, .endpointFails: break
                        case .notifierKilled: try await mesh.killAndReplace("notifier.1")
                        case .identityKilled: try await mesh.killAndReplace("identity.1")
                        }
                        try await mesh.untilReadyUnless(disturbance == .identityKilled)
                    }
                    switch disturbance {
                    case .none, .notifierKilled: break
                    case .endpointFails:
                        try await eventually("the endpoint counts as failing") {
                            try await mesh.client.status(of: webhook.id)["state"] == .string("failing")
                        }
                        receiver.setBehavior(.accepts)
                    case .identityKilled: try mesh.resume("notifier.1")
                    }
                    for history in histories {
                        let account = history.accountID
                        try await eventually("the last event of \(account) arrived") {
                            receiver.events(of: account).contains { $0.type == "account.deleted" }
                        }
                        let events = receiver.events(of: account)
                        let types = events.map(\.type)
                        #expect(
                            types == Self.expectedTypes
                                || history.isRepeated && types.contains(inOrder: Self.expectedTypes), "\(types)")
                        let sequences = events.compactMap(\.sequence)
                        #expect(sequences.count == events.count && sequences == sequences.sorted())
                        #expect(Set(sequences).count == sequences.count)
                    }
                    try await eventually("no event is pending") {
                        try await mesh.client.status(of: webhook.id)["pendingEvents"] == .integer(0)
                    }
                    #expect(!mesh.log.contains(webhook.secret))
                }
            }
        }

        /// An endpoint that does not respond delays neither another endpoint nor an SMS.
        @Test func hangingEndpointDelaysNothingElse() async throws {
            try await WebhookReceiver.running { hanging, hangingURL in
                try await WebhookReceiver.running { working, workingURL in
                    hanging.setBehavior(.hangs)
                    try await withMesh(["--only", "gateway,identity,notifier"]) { mesh in
                        _ = try await mesh.client.createWebhook(hangingURL)
                        working.setSecrets([try await mesh.client.createWebhook(workingURL).secret])
                        let users = (0..<20).map { _ in TestUser() }
                        for user in users { _ = try Tokens(await mesh.client.signUp(user)) }
                        try await eventually("the hanging endpoint has a request") { hanging.requests > 0 }
                        try await eventually("the other endpoint has every event") { working.events.count >= 40 }
                        try await mesh.onBus { bus in
                            _ = try await bus.send(
                                Notifier.SendSMS(
                                    realm: Realm(project: ProjectID("demo-latchkey")),
                                    recipient: try #require(PhoneNumber("+15005550010")), region: "US",
                                    purpose: .secondFactorSignIn, code: Secret("123456"), appName: "Demo"),
                                trace: .random(), timeout: .seconds(30))
                            try await eventually("the SMS arrived") {
                                try await !bus.send(
                                    Notifier.ListInboxMessages(recipient: "+15005550010"), trace: .random(),
                                    timeout: .seconds(30)
                                ).messages.isEmpty
                            }
                        }
                        // One attempt at a time, and none of them has ended.
                        #expect(hanging.requests == 1)
                    }
                }
            }
        }

        @Test func webhookIsTestedRotatedReplayedAndStopped() async throws {
            try await WebhookReceiver.running { receiver, url in
                try await withMesh(["--only", "gateway,identity,notifier"]) { mesh in
                    let client = mesh.client
                    let webhook = try await client.createWebhook(url, ["account.created"])
                    receiver.setSecrets([webhook.secret])
                    let test = try await client.administer(.post, "/webhooks/\(webhook.id):test").text("eventId")
                    try await eventually("the test arrived") { receiver.events.map(\.id) == [test] }

                    // Deliveries have both signatures after a rotation, and the webhook receives only its types.
                    let secret = try await client.administer(.post, "/webhooks/\(webhook.id):rotateSecret")
                        .text("secret")
                    receiver.setSecrets([webhook.secret, secret])
                    let account = try Tokens(await client.signUp(TestUser())).accountID
                    try await eventually("the event arrived") { receiver.events(of: account).count == 1 }
                    #expect(receiver.events(of: account).first?.validSignatures == 2)

                    let replay = try await client.administer(
                        .post, "/webhooks/\(webhook.id):replay", .object(["after": .string("2020-01-01T00:00:00Z")]))
                    #expect(try replay.json["replayedEvents"] == .integer(2), "\(replay.summary)")
                    try await eventually("both arrived again") { receiver.events.count == 4 }
                    #expect(Set(receiver.events.map(\.id)).count == 2)

                    // 410 stops the deliveries until the webhook is changed.
                    receiver.setBehavior(.responds(410))
                    let late = try Tokens(await client.signUp(TestUser())).accountID
                    try await eventually("the endpoint counts as gone") {
                        try await client.status(of: webhook.id)["state"] == .string("gone")
                    }
                    receiver.setBehavior(.accepts)
                    #expect(try await client.administer(.patch, "/webhooks/\(webhook.id)").status == 200)
                    try await eventually("the event arrived late") { receiver.events(of: late).count == 1 }

                    #expect(try await client.administer(.delete, "/webhooks/\(webhook.id)").status == 200)
                    #expect(try await client.administer(.get, "/webhooks/\(webhook.id)").status == 404)
                    try await eventually("the notifier has deleted it") {
                        try await client.administer(.get, "/webhooks/\(webhook.id)/deliveries").status == 404
                    }
                }
            }
        }
    }
}

extension RunningMesh {
    fileprivate func untilReadyUnless(_ isSuspended: Bool) async throws {
        if !isSuspended { try await untilReady() }
    }
}

extension MeshClient {
    fileprivate func administer(
        _ method: HTTPClientRequest.Method, _ path: String, _ fields: JSONValue = .object([:])
    ) async throws -> HTTPClientResponse {
        let url = "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey" + path
        let headers = [(name: "Authorization", value: "Bearer owner")]
        return switch method {
        case .get, .head, .delete: try await request(method, url, headers: headers)
        case .post, .put, .patch: try await send(method, url, fields, headers: headers)
        }
    }

    fileprivate func createWebhook(_ url: String, _ types: [String] = []) async throws -> (id: String, secret: String) {
        let response = try await administer(
            .post, "/webhooks", .object(["url": .string(url), "eventTypes": .array(types.map(JSONValue.string))]))
        let name = try response.text("name")
        return (String(name.split(separator: "/").last ?? ""), try response.text("secret"))
    }

    fileprivate func status(of webhook: String) async throws -> JSONValue {
        try await administer(.get, "/webhooks/\(webhook)/deliveries").json
    }

    /// What happened to an account.
    fileprivate struct History {
        var accountID = ""
        /// A request was repeated, and its first attempt may have taken effect.
        var isRepeated = false

        /// Repeats a request while a process is replaced.
        @discardableResult
        mutating func untilAccepted(
            _ request: () async throws -> HTTPClientResponse
        ) async throws -> HTTPClientResponse {
            var attempts = 0
            defer { isRepeated = isRepeated || attempts > 1 }
            return try await waitFor("the request was accepted") {
                attempts += 1
                let response = try await request()
                return response.status == 503 ? nil : response
            }
        }
    }

    /// Causes every event of `WebhookTests.expectedTypes`, in that order.
    fileprivate func liveThroughEveryEvent(_ user: TestUser) async throws -> History {
        var user = user
        var history = History()
        // A repetition finds the account that the first attempt created.
        try await history.untilAccepted { try await signUp(user) }
        let tokens = try Tokens(await history.untilAccepted { try await signIn(user) })
        history.accountID = tokens.accountID
        let newPassword = "new \(user.password)"
        try await history.untilAccepted {
            try await call("update", ["idToken": .string(tokens.idToken), "password": .string(newPassword)])
        }
        user.password = newPassword
        let current = try Tokens(await history.untilAccepted { [user] in try await signIn(user) })
        for isDisabled in [true, false] {
            try await history.untilAccepted {
                try await send(
                    .post, "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:update",
                    .object(["localId": .string(tokens.accountID), "disableUser": .bool(isDisabled)]),
                    headers: [("Authorization", "Bearer owner")])
            }
        }
        try await history.untilAccepted { try await delete(current.idToken) }
        return history
    }
}

extension [String] {
    /// Whether these elements occur in this order, perhaps with others between them.
    fileprivate func contains(inOrder elements: [String]) -> Bool {
        var rest = elements[...]
        for element in self where element == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}
