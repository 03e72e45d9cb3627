import Foundation
import Testing

@testable import LatchkeyAuth

/// The requests of an application and the bounds of their responses.
struct AuthServerTests {
    @Test func requestsIdentifyTheApplication() async throws {
        let application = TestApplication(
            options: LatchkeyOptions(
                apiKey: "a&b=c", appID: "1:2:ios:3", bundleID: "org.example.app",
                serverURL: URL(string: "https://auth.example/base")))
        application.auth.languageCode = "de"
        try await application.signIn()
        let call = try #require(application.server.calls.first)
        #expect(call.url.absoluteString == "https://auth.example/base/v1/accounts:signInWithPassword?key=a%26b%3Dc")
        #expect(call.headers["x-firebase-locale"] == "de" && call.headers["x-firebase-gmpid"] == "1:2:ios:3")
        #expect(call.headers["x-ios-bundle-identifier"] == "org.example.app")
        #expect(call.headers["content-type"] == "application/json")
    }

    @Test func applicationWithoutAServerIsAnError() async throws {
        let application = TestApplication(options: LatchkeyOptions(apiKey: "key-1"))
        let error = await #expect(throws: AuthErrorCode.self) { try await application.signIn() }
        #expect(error?.errorDescription?.contains("LatchkeyOptions.serverURL") == true)
    }

    @Test(arguments: [
        ("https://auth.example", true), ("HTTPS://auth.example:8443/base", true), ("http://localhost:9099", true),
        ("http://LOCALHOST", true), ("http://127.0.0.1:9099", true), ("http://127.255.0.1", true),
        ("http://[::1]:9099", true), ("http://auth.example", false), ("http://192.168.1.2:9099", false),
        ("http://127.0.0.1.example", false), ("http://127.1", false), ("http://127.0.0.256", false),
        ("http://localhost.example", false), ("http://localhost@auth.example", false), ("http://[::2]", false),
        ("ftp://auth.example", false), ("file:///etc/passwd", false), ("auth.example", false), ("https:///path", false),
    ])
    func passwordsAreSentEncryptedOnly(url: String, isAllowed: Bool) async throws {
        let application = TestApplication()
        application.auth.useServer(try #require(URL(string: url)))
        if isAllowed {
            try await application.signIn()
        } else {
            #expect(await code { try await application.signIn() } == .internalError)
            #expect(application.server.calls.isEmpty)
        }
    }

    @Test func emulatorAllowsHTTPUntilAnotherServerIsUsed() async throws {
        let application = TestApplication()
        for (host, url) in [
            ("gateway", "http://gateway:9099"), ("::1", "http://[::1]:9099"), ("[::1]", "http://[::1]:9099"),
        ] {
            application.auth.useEmulator(withHost: host, port: 9099)
            try await application.signIn()
            #expect(application.server.calls.last?.url.absoluteString.hasPrefix(url) == true)
        }
        #expect(application.auth.settings?.isAppVerificationDisabledForTesting == true)
        application.auth.useServer(try #require(URL(string: "http://gateway:9099")))
        #expect(await code { try await application.signIn() } == .internalError)
    }

    @Test func responseBeyondTheLimitIsAnError() async throws {
        let application = TestApplication()
        let padding = String(repeating: " ", count: 5 << 20)
        application.server.on("accounts:lookup", .json(padding + #"{"users":[{"localId":"ada"}]}"#))
        #expect(await code { try await application.signIn() } == .internalError)
        #expect(application.server.calls("accounts:lookup").count == 1)
    }

    @Test func deviceTokenIsReturnedAtTheNextSignIn() async throws {
        let application = TestApplication()
        application.server.on(
            "accounts:lookup",
            .json(#"{"users":[{"localId":"ada"}]}"#, headers: ["X-Latchkey-Device": "device-1"]))
        try await application.signIn()
        #expect(application.server.calls.first?.headers["x-latchkey-device"] == nil)
        try application.auth.signOut()
        try await application.signIn()
        #expect(
            application.server.calls("accounts:signInWithPassword").last?.headers["x-latchkey-device"] == "device-1")
    }
}
