import Contracts
import Crypto
import DatabaseService
import Delivery
import Foundation
import HTTPClient
import MasterKey
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// The keys of projects for pushes.
@Suite struct APNsKeyTests {
    private static let client = ClientContext(ipAddress: "192.0.2.1", operatorName: "ada")

    private func pem() throws -> (pem: String, publicKey: PublicKey) {
        let sample = try sampleAPNsKey()
        return (sample.pem, sample.publicKey)
    }

    private func addition(
        of pem: String, to project: String = "p", bundleID: String = "com.example.app",
        _ environment: Notifier.APNsKey.Environment = .both, keyID: String = "ABC123DEFG"
    ) -> Notifier.AddAPNsKey {
        .init(
            project: ProjectID(project), bundleID: bundleID, environment: environment, keyID: keyID,
            teamID: "DEF123GHIJ", privateKey: Secret(pem), client: Self.client)
    }

    private func push(in project: String, isSandbox: Bool = false) -> Notifier.SendPush {
        var push = samplePush(isSandbox: isSandbox)
        push.project = ProjectID(project)
        return push
    }

    /// The transport of all pushes, over a server that refuses or accepts by the public key behind a token.
    private func transport(
        _ fixture: NotifierFixture, default defaultPush: DefaultPush = .none,
        _ send: @escaping HTTPSend
    ) -> Transport {
        .push(
            fixture.store,
            keys: APNsKeyTransports { [clock = fixture.clock] key, topic in
                APNsTransport(topic: topic, key: key, isOfProject: true, now: { clock.now }, send: send)
            }, default: defaultPush, connections: 4, timeout: .seconds(1), counters: fixture.counters,
            log: Log(instance: "notifier.1", write: { _ in }), instant: { [clock = fixture.clock] in clock.instant },
            jitter: { 0 })
    }

    /// Accepts a push and attempts it once.
    private func outcome(
        of push: Notifier.SendPush, _ fixture: NotifierFixture, over transport: Transport
    ) async throws -> DeliveryOutcome {
        _ = try await fixture.send(push)
        let (leased, _) = try await fixture.store.acquireLeases(
            .push, upTo: 1, to: "n.1", for: .seconds(60), after: nil, at: fixture.clock.now)
        let message = try #require(leased.first)
        let outcome = await transport.deliver(message)
        _ = try await fixture.store.recordOutcome(message.message, outcome, at: fixture.clock.now, jitter: 0)
        return outcome
    }

    @Test(arguments: StoreEngine.allCases) func keyIsStoredSealedListedAndRemoved(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let pem = try pem().pem
        let added = try await fixture.send(addition(of: pem))
        #expect(added.environment == .both && added.createdAt == fixture.clock.now && added.id.rawValue.count == 32)
        fixture.clock.advance(by: .seconds(1))
        let newer = try await fixture.send(addition(of: pem, .sandbox))
        #expect(try await fixture.send(Notifier.ListAPNsKeys(project: ProjectID("p"))).keys == [newer, added])
        #expect(try await fixture.send(Notifier.ListAPNsKeys(project: ProjectID("q"))).keys.isEmpty)
        await #expect(throws: ServiceError(.apnsKeyExists)) { try await fixture.send(addition(of: pem)) }

        let stored = try #require(try await fixture.store.apnsKey(for: push(in: "p")))
        #expect(stored.key == added)
        #expect(stored.privateKey.reveal() == (try PrivateKey(pem: pem).pkcs8DER))
        #expect(try await fixture.store.apnsKey(for: push(in: "p", isSandbox: true))?.key == newer)
        #expect(try await fixture.store.apnsKey(for: push(in: "q")) == nil)
        let sealed: [UInt8] = try await fixture.store.database.read { transaction in
            try #require(try transaction.firstRow("SELECT sealed_private_key FROM apns_keys")).get("sealed_private_key")
        }
        let plain = stored.privateKey.reveal()
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: plain.suffix(32)) })

        let removal = { Notifier.RemoveAPNsKey(project: ProjectID($0), id: added.id, client: Self.client) }
        await #expect(throws: ServiceError(.apnsKeyNotFound)) { try await fixture.send(removal("q")) }
        _ = try await fixture.send(removal("p"))
        await #expect(throws: ServiceError(.apnsKeyNotFound)) { try await fixture.send(removal("p")) }
        #expect(try await fixture.store.apnsKey(for: push(in: "p")) == nil)
        let changes = fixture.identity.sent(Identity.RecordNotifierChange.self)
        #expect(changes.map(\.change) == [.apnsKeyAdded, .apnsKeyAdded, .apnsKeyRemoved])
        #expect(changes.allSatisfy { $0.client == Self.client && $0.realm == Realm(project: ProjectID("p")) })
        #expect(try await fixture.auditedChanges.unrecorded(limit: 10).isEmpty)
    }

    @Test(arguments: StoreEngine.allCases) func changeIsRecordedWhenIdentityIsBack(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        fixture.identity.reply(to: Identity.RecordNotifierChange.self) { _ in throw ServiceError(.unavailable) }
        _ = try await fixture.send(addition(of: try pem().pem))
        let waiting = try #require(try await fixture.auditedChanges.unrecorded(limit: 10).first)
        #expect(waiting.change == .apnsKeyAdded && waiting.operatorName == "ada")
        fixture.identity.reply(to: Identity.RecordNotifierChange.self) { _ in EmptyReply() }
        try await fixture.auditedChanges.deliverDueRows(NotifierChangeOutbox.limits, at: fixture.clock)
        #expect(try await fixture.auditedChanges.unrecorded(limit: 10).isEmpty)
    }

    @Test func keyOfUnknownProjectIsRefused() async throws {
        let fixture = try await NotifierFixture()
        fixture.identity.reply(to: Identity.ResolveConfiguration.self) { _ in throw ServiceError(.projectNotFound) }
        await #expect(throws: ServiceError(.projectNotFound)) {
            try await fixture.send(addition(of: try pem().pem))
        }
        #expect(try await fixture.store.apnsKeys(of: ProjectID("p")).isEmpty)
    }

    @Test func unusableKeyIsRefusedWithItsReason() async throws {
        let pem = try pem().pem
        func refusal(_ change: (inout Notifier.AddAPNsKey) throws -> Void) rethrows -> APNsKeyRefusal? {
            var request = addition(of: pem)
            try change(&request)
            do throws(APNsKeyRefusal) {
                _ = try request.checkedPrivateKey()
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal { _ in } == nil)
        for id in ["", "ABC123DEF", "ABC123DEFGH", "abc123defg", "ABC123DEF-"] {
            #expect(refusal { $0.keyID = id } == .keyID)
            #expect(refusal { $0.teamID = id } == .teamID)
        }
        #expect(refusal { $0.bundleID = "a b" } == .bundleID)
        #expect(refusal { $0.privateKey = Secret("") } == .notPKCS8)
        #expect(refusal { $0.privateKey = Secret(pem + String(repeating: "\n", count: 4096)) } == .notPKCS8)
        #expect(
            refusal { $0.privateKey = Secret(pem.replacing("PRIVATE KEY", with: "EC PRIVATE KEY")) } == .notPKCS8)
        let rsa = Data(try TestKey.rsa().pkcs8DER).base64EncodedString()
        #expect(
            refusal {
                $0.privateKey = Secret("-----BEGIN PRIVATE KEY-----\n\(rsa)\n-----END PRIVATE KEY-----\n")
            } == .notP256)
        let fixture = try await NotifierFixture()
        await #expect(throws: ServiceError(.invalidAPNsKey, APNsKeyRefusal.notPKCS8.rawValue)) {
            try await fixture.send(addition(of: "no key"))
        }
    }

    /// Two projects with a key each, one without: each push has the token of its own key, and Apple's refusal of one key
    /// fails only the pushes of that project.
    @Test func eachProjectSendsWithItsOwnKey() async throws {
        let fixture = try await NotifierFixture()
        let (first, second, installation) = (try pem(), try pem(), try sampleAPNsKey())
        _ = try await fixture.send(addition(of: first.pem, to: "first"))
        _ = try await fixture.send(addition(of: second.pem, to: "second"))
        let requests = Mutex<[HTTPClientRequest]>([])
        let revoked = Mutex(false)
        let token = { @Sendable (request: HTTPClientRequest) in
            String(request.headers.first { $0.name == "authorization" }?.value.dropFirst("bearer ".count) ?? "")
        }
        let send: HTTPSend = { request throws(HTTPClientError) in
            requests.withLock { $0.append(request) }
            let isRefused = revoked.withLock { $0 } && readToken(token(request), first.publicKey) != nil
            let body = isRefused ? #"{"reason":"InvalidProviderToken"}"# : ""
            return HTTPClientResponse(status: isRefused ? 403 : 200, headers: [], body: Data(body.utf8))
        }
        let clock = fixture.clock
        let transport = transport(
            fixture, default: .apns(APNsTransport(key: installation.key, now: { clock.now }, send: send)), send)
        for project in ["first", "second", "third", "first"] {
            #expect(try await outcome(of: push(in: project), fixture, over: transport) == .delivered)
        }
        let tokens = requests.withLock { $0.map(token) }
        let keys = [first.publicKey, second.publicKey, installation.publicKey, first.publicKey]
        #expect(zip(tokens, keys).allSatisfy { readToken($0, $1) != nil })
        #expect(tokens.count == 4 && tokens[0] == tokens[3], "a token is used again")

        revoked.withLock { $0 = true }
        let refused = DeliveryFailure(.authentication, code: 403)
        #expect(try await outcome(of: push(in: "first"), fixture, over: transport) == .rejected(refused))
        for project in ["second", "third"] {
            #expect(try await outcome(of: push(in: project), fixture, over: transport) == .delivered)
        }
    }

    /// The keys of a project for one application, of another application, of another project and of the installation, added
    /// and removed in every order: a push has the token of the key that was added last for it, also while the clock goes back.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func pushHasTheKeyThatWasAddedLast(removals: [Int]) async throws {
        let fixture = try await NotifierFixture()
        let installation = try sampleAPNsKey()
        let tokens = Mutex<[String]>([])
        let send: HTTPSend = { request throws(HTTPClientError) in
            let token = request.headers.first { $0.name == "authorization" }?.value.dropFirst("bearer ".count) ?? ""
            tokens.withLock { $0.append(String(token)) }
            return HTTPClientResponse(status: 200, headers: [], body: Data())
        }
        let clock = fixture.clock
        let transport = transport(
            fixture, default: .apns(APNsTransport(key: installation.key, now: { clock.now }, send: send)), send)
        _ = try await fixture.send(addition(of: try pem().pem, bundleID: "com.example.other"))
        _ = try await fixture.send(addition(of: try pem().pem, to: "q"))
        func expectToken(of key: PublicKey, _ what: Comment) async throws {
            #expect(try await outcome(of: push(in: "p"), fixture, over: transport) == .delivered)
            #expect(tokens.withLock { $0.last.flatMap { readToken($0, key) } } != nil, what)
        }
        var keys: [(id: APNsKeyID, publicKey: PublicKey)] = []
        for (number, environment) in [Notifier.APNsKey.Environment.both, .production, .both].enumerated() {
            let new = try pem()
            let added = try await fixture.send(addition(of: new.pem, environment, keyID: "ABC123DEF\(number)"))
            keys.append((added.id, new.publicKey))
            try await expectToken(of: new.publicKey, "the key that was added last")
            #expect(try await fixture.send(Notifier.ListAPNsKeys(project: ProjectID("p"))).keys.first == added)
            clock.setWall(clock.now + .seconds(-600))
        }
        var left = [0, 1, 2]
        for removal in removals {
            _ = try await fixture.send(
                Notifier.RemoveAPNsKey(project: ProjectID("p"), id: keys[removal].id, client: Self.client))
            left.removeAll { $0 == removal }
            try await expectToken(
                of: left.last.map { keys[$0].publicKey } ?? installation.publicKey, "after the removal of \(removal)")
        }
    }

    /// Apple refuses the key of the installation: its pushes wait, one at a time probes, and pushes of the keys of projects go
    /// on, because no outage of the channel begins.
    @Test(arguments: [
        (403, "InvalidProviderToken", "authentication 403"), (401, "", "authentication 401"),
        (429, "TooManyProviderTokenUpdates", "deferred 429"),
    ]) func refusedKeyOfTheInstallationDelaysOnlyItsOwnPushes(status: Int, reason: String, shown: String) async throws {
        let fixture = try await NotifierFixture()
        let installation = try sampleAPNsKey()
        let owned = try pem()
        _ = try await fixture.send(addition(of: owned.pem, to: "owner"))
        let calls = Mutex(0)
        let isRefused = Mutex(true)
        let apns: HTTPSend = { request throws(HTTPClientError) in
            let token = request.headers.first { $0.name == "authorization" }?.value.dropFirst("bearer ".count) ?? ""
            guard readToken(String(token), installation.publicKey) != nil else {
                return HTTPClientResponse(status: 200, headers: [], body: Data())
            }
            calls.withLock { $0 += 1 }
            guard isRefused.withLock({ $0 }) else { return HTTPClientResponse(status: 200, headers: [], body: Data()) }
            return HTTPClientResponse(status: status, headers: [], body: Data(#"{"reason":"\#(reason)"}"#.utf8))
        }
        let clock = fixture.clock
        let transport = transport(
            fixture, default: .apns(APNsTransport(key: installation.key, now: { clock.now }, send: apns)), apns)
        let worker = fixture.worker("n", transport)
        for _ in 0..<10 { _ = try await fixture.send(push(in: "stranger")) }
        try await fixture.running([worker]) {
            try await eventually("every push of the installation has waited") {
                try await fixture.deliveries(of: "stranger").allSatisfy { $0.attempts >= 1 && $0.problem == shown }
            }
            #expect(fixture.outages == [shown])
            // At most as many as began at the same time.
            #expect(calls.withLock { $0 } <= 4)
            for _ in 0..<5 { _ = try await fixture.send(push(in: "owner")) }
            // The clock stands still: nothing waits for a probe.
            try await eventually("the pushes of the project were sent") {
                try await fixture.deliveries(of: "owner").allSatisfy { $0.state == .sent && $0.attempts == 1 }
            }
            isRefused.withLock { $0 = false }
            try await eventually("the others followed") {
                try await fixture.advanceBetweenAttempts(by: .milliseconds(250))
                return try await fixture.store.queueDepth(.push).count == 0
            }
        }
        #expect(try await fixture.deliveries(of: "stranger").allSatisfy { $0.state == .sent })
        #expect(fixture.outages == [])
    }

    /// While the servers of Apple are unreachable, every push waits for them.
    @Test func unreachableServerIsAnOutageOfTheChannel() async throws {
        let fixture = try await NotifierFixture()
        let failing: HTTPSend = { _ throws(HTTPClientError) in throw .cannotConnect }
        let installation = APNsTransport(key: try sampleAPNsKey().key, now: { Moment(milliseconds: 0) }, send: failing)
        let transport = transport(fixture, default: .apns(installation), failing)
        #expect(
            try await outcome(of: push(in: "p"), fixture, over: transport)
                == .transportUnavailable(DeliveryFailure(.unreachable)))
        #expect(fixture.outages == [])
        for (hasKey, isRefusal) in [(true, false), (false, true)] {
            let apns = APNsTransport(
                key: hasKey ? try sampleAPNsKey().key : nil, now: { Moment(milliseconds: 0) }, send: failing)
            let refusal = apns.refusal(of: .transportUnavailable(DeliveryFailure(.tls)))
            #expect((refusal != nil) == isRefusal, "Apple refuses a certificate in the handshake")
        }
    }

    @Test func pushWithoutAnyKeyIsRefused() async throws {
        let fixture = try await NotifierFixture()
        let service = fixture.service(unconfiguredChannels: [.push], isDev: false)
        await #expect(throws: ServiceError.channelNotConfigured(.push)) {
            try await fixture.send(push(in: "p"), of: service)
        }
        let key = try await fixture.send(addition(of: try pem().pem))
        _ = try await fixture.send(push(in: "p"), of: service)
        await #expect(throws: ServiceError.channelNotConfigured(.push)) {
            try await fixture.send(push(in: "q"), of: service)
        }
        _ = try await fixture.send(
            Notifier.RemoveAPNsKey(project: key.project, id: key.id, client: Self.client))
        let transport = transport(fixture) { _ throws(HTTPClientError) in throw .cannotConnect }
        let last = try await outcome(of: push(in: "p"), fixture, over: transport)
        #expect(last == .rejected(DeliveryFailure(.unsendable)), "its key was removed")
    }

    @Test func oldestTokenOfTheProjectWithMostIsForgotten() throws {
        let made = Mutex(0)
        let transports = APNsKeyTransports { key, topic in
            made.withLock { $0 += 1 }
            return APNsTransport(topic: topic, key: key, now: { Moment(milliseconds: 0) }) {
                _ throws(HTTPClientError) in throw .cannotConnect
            }
        }
        let privateKey = Secret(try PrivateKey.generateP256().pkcs8DER)
        func use(_ number: Int, of project: String = "p") throws {
            let key = Notifier.APNsKey(
                id: APNsKeyID("\(project) \(number)"), project: ProjectID(project), bundleID: "b", environment: .both,
                keyID: "K", teamID: "T", createdAt: Moment(milliseconds: 0))
            _ = try transports.transport(of: StoredAPNsKey(key: key, privateKey: privateKey))
        }
        try use(0, of: "small")
        for number in 1..<APNsKeyTransports.maximumKeys { try use(number) }
        try use(1)
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys)
        try use(-1)
        try use(1)
        try use(0, of: "small")
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys + 1, "what was used again or is another's stays")
        try use(2)
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys + 2)
    }
}
