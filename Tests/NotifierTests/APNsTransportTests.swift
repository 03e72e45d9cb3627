import Bus
import Contracts
import Foundation
import HTTPClient
import ServiceRuntime
import Settings
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

func samplePush(isSandbox: Bool = false, secret: String = "sec-09") -> Notifier.SendPush {
    Notifier.SendPush(
        project: ProjectID("p"), deviceToken: Secret("9F86D081884C7D65"), isSandbox: isSandbox,
        bundleID: "com.example.app", receipt: "rcp-71", secret: Secret(secret))
}

/// APNs with a list of scripted responses; after the last one it accepts everything.
final class ScriptedAPNs: Sendable {
    let requests = Mutex<[HTTPClientRequest]>([])
    let responses: Mutex<[Result<(status: Int, reason: String), HTTPClientError>]>

    init(_ responses: [Result<(status: Int, reason: String), HTTPClientError>] = []) {
        self.responses = Mutex(responses)
    }

    var send: HTTPSend {
        { [self] request throws(HTTPClientError) in
            requests.withLock { $0.append(request) }
            let response = try responses.withLock { $0.isEmpty ? .success((200, "")) : $0.removeFirst() }.get()
            let body = response.reason.isEmpty ? "" : #"{"reason":"\#(response.reason)"}"#
            return HTTPClientResponse(status: response.status, headers: [], body: Data(body.utf8))
        }
    }

    func tokens() -> [String?] {
        requests.withLock { $0.map { request in request.headers.first { $0.name == "authorization" }?.value } }
    }
}

@Suite struct APNsTransportTests {
    private let clock = ManualClock()

    private func push(_ request: Notifier.SendPush = samplePush()) -> PushMessage {
        PushMessage(
            id: MessageID("0123456789abcdef0123456789abcdef"), request: request, expiresAt: clock.now + .seconds(60))
    }

    private func transport(
        _ apns: ScriptedAPNs, baseURL: String? = nil, topic: String? = nil, hasKey: Bool = true
    ) throws -> APNsTransport {
        let key = hasKey ? try sampleAPNsKey().key : nil
        return APNsTransport(
            baseURL: baseURL, topic: topic, key: key, now: { [clock] in clock.now }, send: apns.send)
    }

    @Test func pushRequestHasDocumentedFormat() async throws {
        let apns = ScriptedAPNs()
        #expect(try await transport(apns).deliver(push()) == .delivered)
        let request = try #require(apns.requests.withLock { $0.first })
        #expect(request.method == .post)
        #expect(request.version == .http2)
        #expect(request.url == "https://api.push.apple.com/3/device/9F86D081884C7D65")
        var headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers.removeValue(forKey: "authorization")?.hasPrefix("bearer ey") == true)
        #expect(
            headers == [
                "apns-id": "01234567-89ab-cdef-0123-456789abcdef", "apns-topic": "com.example.app",
                "apns-push-type": "background", "apns-priority": "5", "apns-expiration": "1700000060",
                "content-type": "application/json",
            ])
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"aps":{"content-available":1},"com.google.firebase.auth":{"receipt":"rcp-71","secret":"sec-09"}}"#
        )
    }

    @Test func hostFollowsDeviceUnlessConfigured() async throws {
        let apns = ScriptedAPNs()
        _ = try await transport(apns).deliver(push(samplePush(isSandbox: true)))
        _ = try await transport(apns, baseURL: "https://127.0.0.1:1", topic: "com.example.other", hasKey: false)
            .deliver(push(samplePush(isSandbox: true)))
        let (urls, topics) = apns.requests.withLock { requests in
            (requests.map(\.url), requests.map { $0.headers.first { $0.name == "apns-topic" }?.value })
        }
        #expect(
            urls == [
                "https://api.sandbox.push.apple.com/3/device/9F86D081884C7D65",
                "https://127.0.0.1:1/3/device/9F86D081884C7D65",
            ])
        #expect(topics == ["com.example.app", "com.example.other"])
        #expect(apns.tokens()[1] == nil, "the certificate says who we are")
    }

    @Test func oversizedPayloadIsRejected() async throws {
        let apns = ScriptedAPNs()
        let outcome = try await transport(apns).deliver(
            push(samplePush(secret: String(repeating: "s", count: 4096))))
        #expect(outcome == .rejected(DeliveryFailure(.unsendable)))
        #expect(apns.requests.withLock { $0.isEmpty })
    }

    @Test func expiredTokenIsRenewedOnce() async throws {
        let expired = Result<(status: Int, reason: String), HTTPClientError>.success((403, "ExpiredProviderToken"))
        let apns = ScriptedAPNs([expired])
        let transport = try transport(apns)
        #expect(await transport.deliver(push()) == .delivered)
        #expect(await transport.deliver(push()) == .delivered)
        let tokens = apns.tokens()
        #expect(tokens.count == 3 && tokens[0] != tokens[1] && tokens[1] == tokens[2])
        apns.responses.withLock { $0 = [expired, expired] }
        #expect(await transport.deliver(push()) == .transportUnavailable(DeliveryFailure(.authentication, code: 403)))
        #expect(apns.tokens().count == 4, "a new one within twenty minutes would be refused as well")
    }

    @Test(
        arguments: [
            (200, "", .delivered), (410, "Unregistered", .rejected(DeliveryFailure(.deviceGone, code: 410))),
            (410, "ExpiredToken", .rejected(DeliveryFailure(.deviceGone, code: 410))),
            (400, "BadDeviceToken", .rejected(DeliveryFailure(.recipientRefused, code: 400))),
            (400, "DeviceTokenNotForTopic", .rejected(DeliveryFailure(.recipientRefused, code: 400))),
            (400, "BadTopic", .rejected(DeliveryFailure(.senderRefused, code: 400))),
            (400, "TopicDisallowed", .rejected(DeliveryFailure(.senderRefused, code: 400))),
            (400, "IdleTimeout", .deferred(DeliveryFailure(.deferred, code: 400))),
            (400, "BadMessageId", .rejected(DeliveryFailure(.contentRefused, code: 400))),
            (403, "InvalidProviderToken", .transportUnavailable(DeliveryFailure(.authentication, code: 403))),
            (403, "BadCertificate", .transportUnavailable(DeliveryFailure(.authentication, code: 403))),
            (403, "", .transportUnavailable(DeliveryFailure(.authentication, code: 403))),
            (403, "BadEnvironmentKeyIdInToken", .rejected(DeliveryFailure(.authentication, code: 403))),
            (403, "BadCertificateEnvironment", .rejected(DeliveryFailure(.authentication, code: 403))),
            (404, "BadPath", .transportUnavailable(DeliveryFailure(.serverRefused, code: 404))),
            (413, "PayloadTooLarge", .rejected(DeliveryFailure(.contentRefused, code: 413))),
            (429, "TooManyRequests", .deferred(DeliveryFailure(.deferred, code: 429))),
            (429, "TooManyProviderTokenUpdates", .transportUnavailable(DeliveryFailure(.deferred, code: 429))),
            (500, "InternalServerError", .deferred(DeliveryFailure(.deferred, code: 500))),
            (503, "Shutdown", .deferred(DeliveryFailure(.deferred, code: 503))),
            (302, "", .transportUnavailable(DeliveryFailure(.serverRefused, code: 302))),
        ] as [(Int, String, DeliveryOutcome)])
    func responseDeterminesOutcome(status: Int, reason: String, outcome: DeliveryOutcome) async throws {
        let apns = ScriptedAPNs([.success((status, reason))])
        #expect(try await transport(apns).deliver(push()) == outcome)
    }

    @Test(
        arguments: [
            (.cannotResolve, .transportUnavailable(DeliveryFailure(.unreachable))),
            (.cannotConnect, .transportUnavailable(DeliveryFailure(.unreachable))),
            (.timedOut, .transportUnavailable(DeliveryFailure(.noAnswer))),
            (.tls("x"), .transportUnavailable(DeliveryFailure(.tls))),
            (.noHTTP2, .transportUnavailable(DeliveryFailure(.tls))),
            (.invalidRequest, .rejected(DeliveryFailure(.unsendable))),
            (.cancelled, .interrupted), (.other(code: 56, "x"), .deferred(DeliveryFailure(.connectionLost, code: 56))),
        ] as [(HTTPClientError, DeliveryOutcome)])
    func connectionErrorDeterminesOutcome(error: HTTPClientError, outcome: DeliveryOutcome) async throws {
        #expect(try await transport(ScriptedAPNs([.failure(error)])).deliver(push()) == outcome)
    }

    @Test(arguments: ["", "null", "[]", #"{"reason":7}"#, #"{"reason":"Made up"}"#, "\u{0}", "<html>"])
    func unknownReasonIsIgnored(body: String) {
        #expect(APNsReason(Data(body.utf8)) == nil)
    }
}

@Suite struct APNsSettingsTests {
    private static let key = [
        "LATCHKEY_APNS_KEY_FILE": "/k.p8", "LATCHKEY_APNS_KEY_ID": "ABC123DEFG", "LATCHKEY_APNS_TEAM_ID": "DEF123GHIJ",
    ]

    private func read(_ variables: [String: String]) throws -> APNsSettings {
        var reader = SettingsReader(Environment(variables), of: .service(.notifier))
        let settings = APNsSettings.read(from: &reader)
        try reader.finish()
        return settings
    }

    private func faults(_ variables: [String: String]) -> [String] {
        do {
            _ = try read(variables)
            return []
        } catch {
            return (error as? SettingsError)?.issues.map(\.setting) ?? ["\(error)"]
        }
    }

    @Test func installationHasNoKeyByDefault() throws {
        #expect(try read([:]).authentication == nil)
        // For the keys of projects.
        let settings = try read([
            "LATCHKEY_APNS_BASE_URL": "https://localhost:8443", "LATCHKEY_APNS_CA_FILE": "/ca.pem",
        ])
        #expect(settings.authentication == nil && settings.baseURL == "https://localhost:8443")
        #expect(try APNsTransport(settings, on: LocalMachine()) == nil)
    }

    @Test func keySettingsAreSufficient() throws {
        #expect(
            try read(Self.key)
                == APNsSettings(
                    authentication: .key(file: "/k.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ"), connections: 4,
                    timeout: .seconds(10)))
        let whole = try read(
            Self.key.merging([
                "LATCHKEY_APNS_BASE_URL": "https://localhost:8443/", "LATCHKEY_APNS_TOPIC": "com.example.app",
                "LATCHKEY_APNS_CA_FILE": "/ca.pem",
            ]) { $1 })
        #expect(whole.baseURL == "https://localhost:8443")
        #expect(whole.topic == "com.example.app")
        #expect(whole.caFilePath == "/ca.pem")
    }

    @Test func missingSettingsAreNamed() {
        #expect(
            faults(["LATCHKEY_APNS_TOPIC": "com.example.app"])
                == ["LATCHKEY_APNS_KEY_FILE", "LATCHKEY_APNS_KEY_ID", "LATCHKEY_APNS_TEAM_ID"])
        #expect(faults(["LATCHKEY_APNS_CERT_FILE": "/c.pem"]) == [])
        #expect(faults(Self.key.merging(["LATCHKEY_APNS_CERT_FILE": "/c.pem"]) { $1 }) == Self.key.keys.sorted())
    }

    @Test(arguments: [
        ("LATCHKEY_APNS_BASE_URL", "http://localhost"), ("LATCHKEY_APNS_BASE_URL", "https://"),
        ("LATCHKEY_APNS_BASE_URL", "https://u@localhost"), ("LATCHKEY_APNS_TOPIC", "a b"),
        ("LATCHKEY_APNS_KEY_ID", "A\"B"), ("LATCHKEY_APNS_TEAM_ID", "é"), ("LATCHKEY_APNS_CONNECTIONS", "0"),
        ("LATCHKEY_APNS_TIMEOUT", "2m"),
    ])
    func invalidSettingIsNamed(name: String, value: String) {
        #expect(faults(Self.key.merging([name: value]) { $1 }) == [name])
    }

    @Test func keyFileReadableByOthersIsRefused() throws {
        let folder = try TemporaryDirectory()
        let path = folder.appending("key.p8")
        try sampleAPNsKey().pem.write(toFile: path, atomically: false, encoding: .utf8)
        let settings = APNsSettings(
            authentication: .key(file: path, keyID: "K", teamID: "T"), connections: 1, timeout: .seconds(1))
        let open = { (mode: Int) in
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            _ = try APNsTransport(settings, on: LocalMachine())
        }
        #expect(throws: SecretFileError.readableByOthers(path)) { try open(0o640) }
        #expect(throws: SecretFileError.readableByOthers(path)) { try open(0o604) }
        try open(0o400)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try "no key".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: APNsKeyError(path: path)) { try open(0o600) }
        #expect(throws: SecretFileError.self) { try SecretFile.read(folder.appending("none"), setting: "X") }
        #expect(throws: SecretFileError.self) { try SecretFile.read(folder.path, setting: "X") }
    }
}
