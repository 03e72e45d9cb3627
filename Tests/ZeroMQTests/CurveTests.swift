import TestSupport
import Testing
import ZeroMQ

@Suite struct CurveTests {
    private static func options(_ protection: ZeroMQSocket.Protection) -> ZeroMQSocket.Options {
        var options = ZeroMQSocket.Options()
        options.protection = protection
        options.lingerMilliseconds = 0
        return options
    }

    private static func message(_ parts: [UInt8]...) -> ZeroMQMessageBuilder {
        var draft = ZeroMQMessageBuilder()
        for part in parts { draft.append(part) }
        return draft
    }

    /// Sends one message after the other over a socket until `arrived` says that one has arrived, for at most 400 looks.
    /// Looking, and not a clock, bounds what must not arrive.
    private static func exchange(
        _ client: borrowing ZeroMQSocket, atMost looks: Int = 400, _ arrived: () throws -> Bool
    ) async throws -> Bool {
        for _ in 0..<looks {
            if try client.state.canSend { try? client.send(message([7], [8])) }
            if try arrived() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test func keysHaveTextAndNoDescriptionShowsTheSecret() throws {
        let pair = try CurveKeyPair.random()
        let secret = pair.revealSecretKey()
        #expect(CurvePublicKey(pair.publicKey.text) == pair.publicKey)
        #expect(CurveKeyPair(secretKey: secret)?.publicKey == pair.publicKey)
        #expect(try CurveKeyPair.random().publicKey != pair.publicKey)
        #expect(!"\(pair)".contains(secret) && !String(reflecting: pair).contains(secret))
        var dumped = ""
        dump(pair, to: &dumped)
        #expect(!dumped.contains(secret))
    }

    @Test(arguments: [
        "", "a", String(repeating: "a", count: 39), String(repeating: "a", count: 41),
        String(repeating: "a", count: 45),
        String(repeating: "é", count: 20), String(repeating: "~", count: 40), String(repeating: "\"", count: 40),
    ])
    func otherTextIsNoKey(text: String) {
        #expect(CurvePublicKey(text) == nil)
        #expect(CurveKeyPair(secretKey: text) == nil)
    }

    /// A listed key gets in, and its message names it. Another key, no key, and a listed key that expects another server
    /// get nowhere: on a socket file as on TCP.
    @Test(arguments: [false, true]) func onlyListedKeysGetIn(overTCP: Bool) async throws {
        let directory = try TemporaryDirectory()
        let (server, listed, stranger) = (
            try CurveKeyPair.random(), try CurveKeyPair.random(), try CurveKeyPair.random()
        )
        let rows: [(ZeroMQSocket.Protection, Bool)] = [
            (.client(listed, server: server.publicKey), true),
            (.client(stranger, server: server.publicKey), false),
            (.none, false),
            (.client(listed, server: stranger.publicKey), false),
        ]
        for (number, (protection, isAdmitted)) in rows.enumerated() {
            let context = try ZeroMQContext()
            var authenticator = try ZeroMQAuthenticator(in: context)
            let router = try ZeroMQSocket(.router, in: context, options: Self.options(.server(server)))
            try router.bind(to: overTCP ? "tcp://127.0.0.1:*" : "ipc://" + directory.appending("bus.\(number).sock"))
            let endpoint = try router.boundEndpoint()
            let client = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: Self.options(protection))
            try client.connect(to: endpoint)
            var message = ZeroMQMessage()
            let hasArrived = try await Self.exchange(client, atMost: isAdmitted ? 4000 : 60) {
                try authenticator.answer { $0 == listed.publicKey }
                return try router.receive(into: &message)
            }
            #expect(hasArrived == isAdmitted, "\(protection)")
            if hasArrived {
                // The routing id is no part of the peer.
                #expect(message.publicKey(of: 1) == listed.publicKey)
                #expect(message.publicKey(of: 2) == listed.publicKey)
            }
        }
    }

    /// It may be listed later, and its process needs no restart then.
    @Test func refusedKeyTriesAgain() async throws {
        let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        let context = try ZeroMQContext()
        var authenticator = try ZeroMQAuthenticator(in: context)
        let router = try ZeroMQSocket(.router, in: context, options: Self.options(.server(server)))
        try router.bind(to: "tcp://127.0.0.1:*")
        let dealer = try ZeroMQSocket(
            .dealer, in: try ZeroMQContext(), options: Self.options(.client(client, server: server.publicKey)))
        try dealer.connect(to: try router.boundEndpoint())
        var message = ZeroMQMessage()
        var questions = 0
        let hasArrived = try await Self.exchange(dealer, atMost: 4000) {
            try authenticator.answer { _ in
                questions += 1
                return questions > 2
            }
            return try router.receive(into: &message)
        }
        #expect(hasArrived && questions > 2)
    }

    /// libzmq asks nobody while nothing is bound to the address of the authenticator: the socket then lets nobody in.
    @Test func withoutAuthenticatorNobodyGetsIn() async throws {
        let (server, listed) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        let router = try ZeroMQSocket(.router, in: try ZeroMQContext(), options: Self.options(.server(server)))
        try router.bind(to: "tcp://127.0.0.1:*")
        let client = try ZeroMQSocket(
            .dealer, in: try ZeroMQContext(), options: Self.options(.client(listed, server: server.publicKey)))
        try client.connect(to: try router.boundEndpoint())
        var message = ZeroMQMessage()
        #expect(try await !Self.exchange(client, atMost: 60) { try router.receive(into: &message) })
    }

    /// While a server takes its next key, a client connects with both: the attempt with the right one succeeds.
    @Test func clientConnectsWithEitherKeyOfAServer() async throws {
        let (old, new, own) = (try CurveKeyPair.random(), try CurveKeyPair.random(), try CurveKeyPair.random())
        for server in [old, new] {
            let context = try ZeroMQContext()
            var authenticator = try ZeroMQAuthenticator(in: context)
            let router = try ZeroMQSocket(.router, in: context, options: Self.options(.server(server)))
            try router.bind(to: "tcp://127.0.0.1:*")
            let port = try #require(try router.boundEndpoint().split(separator: ":").last)
            // libzmq ignores a second connection to the same text.
            let endpoints = ["tcp://127.0.0.1:\(port)", "tcp://127.0.0.1:0\(port)"]
            let client = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: Self.options(.none))
            for (endpoint, key) in zip(endpoints, [old, new]) {
                try client.connect(to: endpoint, as: own, serverKey: key.publicKey)
            }
            var message = ZeroMQMessage()
            let hasArrived = try await Self.exchange(client, atMost: 4000) {
                try authenticator.answer { _ in true }
                return try router.receive(into: &message)
            }
            #expect(hasArrived)
            for endpoint in endpoints { try client.disconnect(from: endpoint) }
        }
    }
}
