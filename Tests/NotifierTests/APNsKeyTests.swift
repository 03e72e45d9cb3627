import Contracts
import Crypto
import DatabaseService
import Delivery
import Foundation
import HTTPClient
import MasterKey
import SQL
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
        _ send: @escaping APNsTransport.Send
    ) -> Transport {
        .push(
            fixture.store,
            keys: APNsKeyTransports { [clock = fixture.clock] key, topic in
                APNsTransport(topic: topic, key: key, isOfProject: true, now: { clock.now }, send: send)
            }, default: defaultPush, connections: 4, timeout: .seconds(1))
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

    @Test(arguments: Engine.allCases) func keyIsStoredSealedListedAndRemoved(engine: Engine) async throws {
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
        let changes = fixture.identity.sent(Identity.RecordAPNsKeyChange.self)
        #expect(changes.map(\.change) == [.added, .added, .removed])
        #expect(changes.allSatisfy { $0.client == Self.client && $0.realm == Realm(project: ProjectID("p")) })
        #expect(try await fixture.apnsKeyChanges.unrecorded(limit: 10).isEmpty)
    }

    @Test(arguments: Engine.allCases) func changeIsRecordedWhenIdentityIsBack(engine: Engine) async throws {
        let fixture = try await NotifierFixture(engine)
        fixture.identity.reply(to: Identity.RecordAPNsKeyChange.self) { _ in throw ServiceError(.unavailable) }
        _ = try await fixture.send(addition(of: try pem().pem))
        let waiting = try #require(try await fixture.apnsKeyChanges.unrecorded(limit: 10).first)
        #expect(waiting.change == .added && waiting.operatorName == "ada")
        fixture.identity.reply(to: Identity.RecordAPNsKeyChange.self) { _ in EmptyReply() }
        try await fixture.apnsKeyChanges.deliverDueRows(APNsKeyChangeOutbox.limits, at: fixture.clock)
        #expect(try await fixture.apnsKeyChanges.unrecorded(limit: 10).isEmpty)
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
        let rsa = Data(try PrivateKey.generateRSA(bits: 2048).pkcs8DER).base64EncodedString()
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
        let send: APNsTransport.Send = { request throws(HTTPClientError) in
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

    @Test func oldestTokenIsForgotten() throws {
        let made = Mutex(0)
        let transports = APNsKeyTransports { key, topic in
            made.withLock { $0 += 1 }
            return APNsTransport(topic: topic, key: key, now: { Moment(milliseconds: 0) }) {
                _ throws(HTTPClientError) in throw .cannotConnect
            }
        }
        let privateKey = Secret(try PrivateKey.generateP256().pkcs8DER)
        func use(_ number: Int) throws {
            let key = Notifier.APNsKey(
                id: APNsKeyID("\(number)"), project: ProjectID("p"), bundleID: "b", environment: .both, keyID: "K",
                teamID: "T", createdAt: Moment(milliseconds: 0))
            _ = try transports.transport(of: StoredAPNsKey(key: key, privateKey: privateKey))
        }
        for number in 0..<APNsKeyTransports.maximumKeys { try use(number) }
        try use(0)
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys)
        try use(-1)
        try use(0)
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys + 1, "the one that was used again stays")
        try use(1)
        #expect(made.withLock { $0 } == APNsKeyTransports.maximumKeys + 2)
    }
}
