import Contracts
import Foundation
import HTTPServer
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// reCAPTCHA with configured keys.
@Suite struct AppVerificationRecaptchaTests {
    private let secret = "the secret & more"

    /// Runs `body` with a fake reCAPTCHA server.
    private func withRecaptcha(
        _ answer: @Sendable @escaping (HTTPRequest) async -> HTTPResponse,
        time: Duration = .seconds(60), _ body: (AppVerificationFixture, AppVerifier) async throws -> Void
    ) async throws {
        var settings = HTTPServerSettings(host: "127.0.0.1", port: 0)
        settings.shutdownTime = .milliseconds(50)
        let server = try HTTPServer(settings, refusal: { HTTPResponse(status: $0.status) }, handler: answer)
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            let fixture = try await AppVerificationFixture()
            let check = try fixture.appCheck {
                $0.recaptcha = .init(secret: Secret(secret), baseURL: "http://127.0.0.1:\(server.port)")
                $0.recaptcha?.totalTime = time
            }
            result = .success(try await body(fixture, check))
        } catch {
            result = .failure(error)
        }
        server.beginShutdown()
        await running
        try result.get()
    }

    /// Accepts one token.
    @Sendable private static func verifyToken(_ request: HTTPRequest) -> HTTPResponse {
        let form = String(decoding: request.body, as: UTF8.self)
        let isGood =
            request.path == "/recaptcha/api/siteverify"
            && form.hasPrefix("secret=the%20secret%20%26%20more&response=good%2Ftoken")
        let text =
            isGood ? #"{"success":true,"hostname":"auth.example.org"}"# : #"{"success":false,"error-codes":["x"]}"#
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: Data(text.utf8))
    }

    @Test func recaptchaTokenIsVerifiedByProvider() async throws {
        try await withRecaptcha(Self.verifyToken) { fixture, check in
            try await fixture.demand(check, token: "good/token")
            await #expect(throws: ServiceError(.captchaCheckFailed)) { try await fixture.demand(check, token: "bad") }
            try await check.verify(
                .init(captchaResponse: Secret("good/token"), clientType: .web), in: fixture.realm,
                AppVerificationFixture.configuration(), .init(ipAddress: "192.0.2.7"))
            // The page exchanges the reCAPTCHA token for a token of mfa-sms.
            let token = try await fixture.finish(check, nil, recaptchaToken: "good/token")
            try await fixture.demand(check, token: token)
            await #expect(throws: ServiceError(.captchaCheckFailed)) {
                _ = try await fixture.finish(check, nil, recaptchaToken: "bad")
            }
            // Proof of work does not replace it.
            await #expect(throws: ServiceError(.captchaCheckFailed)) {
                _ = try await fixture.finish(check, fixture.start(check))
            }
        }
    }

    @Test func recaptchaTokenIsRejectedWithoutKeys() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            try await fixture.demand(check, token: "good/token")
        }
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            try await check.verify(
                .init(captchaResponse: Secret("enterprise")), in: fixture.realm, .init(), .init())
        }
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            _ = try await fixture.finish(check, nil, recaptchaToken: "good/token")
        }
    }

    @Test(arguments: [
        (500, ""), (200, "garbage"), (200, #"{"success":false,"error-codes":["invalid-input-secret"]}"#),
        (302, #"{"success":true,"hostname":"auth.example.org"}"#),
    ])
    func invalidRecaptchaResponseIsReportedAsUnavailable(status: Int, body: String) async throws {
        try await withRecaptcha({ _ in HTTPResponse(status: status, body: Data(body.utf8)) }) { fixture, check in
            await #expect(throws: ServiceError(.unavailable)) { try await fixture.demand(check, token: "t") }
            #expect(fixture.reported.errors.withLock { $0.count } == 1)
        }
    }

    @Test func recaptchaRequestTimesOut() async throws {
        let (stops, stopping) = AsyncStream.makeStream(of: Never.self)
        try await withRecaptcha(
            { _ in
                for await _ in stops {}
                return HTTPResponse(status: 200)
            }, time: .milliseconds(200)
        ) { fixture, check in
            await #expect(throws: ServiceError(.unavailable)) { try await fixture.demand(check, token: "t") }
            stopping.finish()
        }
    }

    @Test func unreachableRecaptchaIsReportedAsUnavailable() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck {
            // Port 1 on loopback is closed.
            $0.recaptcha = .init(secret: Secret("s"), baseURL: "http://127.0.0.1:1")
        }
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.demand(check, token: "t") }
    }

    // MARK: Settings

    @Test func settingsAreRead() throws {
        let none = try AppVerificationFixture.settings([:])
        #expect(none.challengeBits == 20 && none.checksPerAddress == 300 && none.recaptcha == nil)
        #expect(try AppVerificationFixture.settings([:], dev: true).checksPerAddress == nil)
        let all = try AppVerificationFixture.settings([
            "LATCHKEY_SMS_CHALLENGE_BITS": "24", "LATCHKEY_SMS_CHECKS_PER_ADDRESS_PER_HOUR": "0",
            "LATCHKEY_RECAPTCHA_SITE_KEY": "site", "LATCHKEY_RECAPTCHA_SECRET": "hush",
            "LATCHKEY_RECAPTCHA_BASE_URL": "https://www.recaptcha.net/",
        ])
        #expect(all.challengeBits == 24 && all.checksPerAddress == nil)
        #expect(all.recaptcha?.baseURL == "https://www.recaptcha.net" && all.recaptcha?.secret == Secret("hush"))
        #expect(!"\(all)".contains("hush"))
    }

    @Test(arguments: [
        ["LATCHKEY_SMS_CHALLENGE_BITS": "7"], ["LATCHKEY_SMS_CHALLENGE_BITS": "29"],
        ["LATCHKEY_RECAPTCHA_SITE_KEY": "s"], ["LATCHKEY_RECAPTCHA_SECRET": "s"],
        ["LATCHKEY_RECAPTCHA_BASE_URL": "ftp://x"],
    ])
    func invalidSettingsAreRejected(variables: [String: String]) {
        #expect(throws: SettingsError.self) { try AppVerificationFixture.settings(variables) }
    }
}
