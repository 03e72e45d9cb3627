import Foundation
import Testing

@testable internal import LatchkeyAuth

struct AppVerificationTests {
    private static let token = APNSToken(bytes: Data([0x01, 0xab]), type: .sandbox)
    private static let pair = PushPair(receipt: "receipt", secret: "secret")
    private static let empty = AppCredential()

    // MARK: - Decisions

    @Test(
        arguments: [
            (.init(isDisabledForTesting: true, cachedPair: pair, token: token, hasPage: true), .send(empty)),
            (.init(cachedPair: pair, token: token, hasPage: true), .send(AppCredential(pair))),
            (.init(token: token, hasPage: true), .requestPush(token)), (.init(token: token), .requestPush(token)),
            (.init(hasPage: true), .showPage), (.init(), .send(empty)),
        ] as [(AppVerificationFlow.Capabilities, AppVerificationFlow.Step)])
    func firstCapabilityIsUsed(capabilities: AppVerificationFlow.Capabilities, step: AppVerificationFlow.Step) {
        #expect(AppVerificationFlow(capabilities).start() == step)
    }

    @Test(
        arguments: [
            (.missingAppToken, true, .showPage), (.invalidAppCredential, true, .showPage),
            (.invalidAppCredential, false, .fail(AuthErrorCode(.invalidAppCredential))),
            (.missingIosBundleID, true, .fail(AuthErrorCode(.missingIosBundleID))),
            (.tooManyRequests, true, .fail(AuthErrorCode(.tooManyRequests))),
        ] as [(AuthErrorCode, Bool, AppVerificationFlow.Step)])
    func refusedPushIsReplacedByThePage(code: AuthErrorCode, hasPage: Bool, step: AppVerificationFlow.Step) {
        let flow = AppVerificationFlow(.init(token: Self.token, hasPage: hasPage))
        #expect(flow.pushRefused(AuthErrorCode(code)) == step)
    }

    @Test(
        arguments: [
            ("secret", true, .send(AppCredential(pair))), ("secret", false, .send(AppCredential(pair))),
            (nil, true, .showPage), (nil, false, .fail(AuthErrorCode(.notificationNotForwarded))),
        ] as [(String?, Bool, AppVerificationFlow.Step)])
    func receiptIsNotSentWithoutItsSecret(secret: String?, hasPage: Bool, step: AppVerificationFlow.Step) {
        let flow = AppVerificationFlow(.init(token: Self.token, hasPage: hasPage))
        #expect(flow.pushEnded(receipt: "receipt", secret: secret) == step)
    }

    @Test func refusedPairIsFetchedOnceMore() {
        let error = AuthErrorCode(.invalidAppCredential)
        var flow = AppVerificationFlow(.init(cachedPair: Self.pair, token: Self.token, hasPage: true))
        #expect(flow.credentialRefused(AppCredential(Self.pair), error) == .requestPush(Self.token))
        #expect(flow.credentialRefused(AppCredential(Self.pair), error) == .fail(error))
        // Nothing better exists than the token of a page, or than nothing.
        for credential in [AppCredential(recaptchaToken: "token"), Self.empty] {
            var flow = AppVerificationFlow(.init(token: Self.token, hasPage: true))
            #expect(flow.credentialRefused(credential, error) == .fail(error))
        }
    }

    @Test(arguments: [(nil, 5), ("3", 3), ("0", 0), ("-1", 0), ("60", 60), ("61", 60), ("9e9", 5), ("", 5)])
    func waitForThePushIsBounded(text: String?, seconds: Int) {
        let response = VerifyIosClientRequest.Response(receipt: "receipt", suggestedTimeout: text)
        #expect(response.timeout == .seconds(seconds))
    }

    // MARK: - Token

    @Test(
        arguments: [
            (.sandbox, nil, true), (.prod, "development", false), (.unknown, nil, false),
            (.unknown, "development", true),
            (.unknown, "production", false), (.unknown, "", false),
        ] as [(AuthAPNSTokenType, String?, Bool)])
    func environmentIsThatOfTheProfile(type: AuthAPNSTokenType, environment: String?, isSandbox: Bool) {
        let profile = environment.map {
            Data([0x30, 0x82, 0xff]) + Data("<key>aps-environment</key>\n\t<string>\($0)</string>".utf8) + Data([0])
        }
        #expect(APNSToken(bytes: Data(), type: type).isSandbox(profile: profile) == isSandbox)
    }

    @Test(arguments: ["", "<key>aps-environment</key>", "<key>aps-environment</key><string>development", "\u{0}"])
    func malformedProfileIsOfProduction(profile: String) {
        #expect(!APNSToken(bytes: Data(), type: .unknown).isSandbox(profile: Data(profile.utf8)))
    }

    @Test func assignedTokenHasAnUnknownType() {
        let auth = ScriptedServer([:]).auth()
        auth.apnsToken = Data([1])
        #expect(auth.pushInbox.token == APNSToken(bytes: Data([1]), type: .unknown))
        auth.setAPNSToken(Data([2]), type: .prod)
        #expect(auth.apnsToken == Data([2]))
        auth.apnsToken = nil
        #expect(auth.pushInbox.token == nil)
    }

    // MARK: - Notifications

    @Test func otherNotificationsAreNotAccepted() {
        let inbox = PushInbox()
        let key = "com.google.firebase.auth"
        #expect(!inbox.accept([:]))
        #expect(!inbox.accept(["aps": ["content-available": 1]]))
        #expect(!inbox.accept([key: "not JSON"]))
        #expect(!inbox.accept([key: 1]))
        #expect(!inbox.accept([key: ["receipt": "receipt"]]))
        #expect(inbox.accept([key: ["warning": "text"]]))
        #expect(inbox.accept([key: ["receipt": "receipt", "secret": "secret"]]))
        #expect(inbox.accept([key: #"{"receipt":"receipt","secret":"secret"}"#]))
    }

    @Test func oldestOfTooManyEarlyPushesIsForgotten() async {
        let inbox = PushInbox()
        for number in 0...PushInbox.maximumEarlyPushes {
            #expect(inbox.accept(["com.google.firebase.auth": ["receipt": "\(number)", "secret": "secret \(number)"]]))
        }
        let clock = AuthClock(now: { Date(timeIntervalSince1970: 0) }, sleep: { _ in })
        #expect(await inbox.secret(of: "1", timeout: .zero, clock: clock) == "secret 1")
        #expect(await inbox.secret(of: "0", timeout: .zero, clock: clock) == nil)
    }

    // MARK: - Requests

    private static let session = ScriptedServer.Reply.json(#"{"sessionInfo":"session"}"#)

    /// The server sends each push before its response.
    private func verify(_ auth: Auth, _ uiDelegate: (any AuthUIDelegate)? = nil) async throws -> String {
        try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber("+15105551234", uiDelegate: uiDelegate)
    }

    private func receive(_ auth: Auth, _ receipt: String) {
        #expect(
            auth.canHandleNotification([
                "com.google.firebase.auth": ["receipt": receipt, "secret": "secret of \(receipt)"]
            ]))
    }

    private static func receipt(_ name: String) -> ScriptedServer.Reply {
        .json(#"{"receipt":"\#(name)","suggestedTimeout":"5"}"#)
    }

    @Test func pairOfAPushIsKeptUntilTheServerRefusesIt() async throws {
        let server = ScriptedServer([
            "accounts:verifyIosClient": [Self.receipt("one"), Self.receipt("two")],
            "accounts:sendVerificationCode": [Self.session, .refusal("INVALID_APP_CREDENTIAL"), Self.session],
        ])
        let auth = server.auth()
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        receive(auth, "one")
        #expect(try await verify(auth) == "session")
        let request = try #require(server.calls("accounts:verifyIosClient").first)
        #expect(request.text("appToken") == "01AB")
        #expect(request.body["isSandbox"] as? Bool == true)
        receive(auth, "two")
        #expect(try await verify(auth) == "session")
        let sent = server.calls("accounts:sendVerificationCode")
        #expect(sent.map { $0.text("iosReceipt") } == ["one", "one", "two"])
        #expect(sent.map { $0.text("iosSecret") } == ["secret of one", "secret of one", "secret of two"])
        #expect(auth.pushInbox.cachedPair?.receipt == "two")
    }

    @Test func pairIsFetchedOnceMoreAtMost() async throws {
        let server = ScriptedServer([
            "accounts:verifyIosClient": [Self.receipt("one"), Self.receipt("two")],
            "accounts:sendVerificationCode": [.refusal("INVALID_APP_CREDENTIAL")],
        ])
        let auth = server.auth()
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        receive(auth, "one")
        receive(auth, "two")
        await #expect(throws: AuthErrorCode(.invalidAppCredential)) { try await verify(auth) }
        #expect(server.calls("accounts:sendVerificationCode").count == 2)
        #expect(auth.pushInbox.cachedPair == nil)
    }

    @Test func pushThatArrivesLaterIsAwaited() async throws {
        let server = ScriptedServer([
            "accounts:verifyIosClient": [Self.receipt("one")], "accounts:sendVerificationCode": [Self.session],
        ])
        let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
        let auth = server.auth(sleep: { pause in
            continuation.yield(pause)
            try await TestPause.untilCanceled(pause)
        })
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        async let verification = verify(auth)
        for await pause in pauses {
            #expect(pause == .seconds(5))
            break
        }
        receive(auth, "other")
        receive(auth, "one")
        #expect(try await verification == "session")
        #expect(server.calls("accounts:sendVerificationCode").first?.text("iosSecret") == "secret of one")
    }

    @Test func pageIsShownWhenThePushDoesNotArrive() async throws {
        let server = ScriptedServer([
            "accounts:verifyIosClient": [Self.receipt("one")], "accounts:sendVerificationCode": [Self.session],
        ])
        // The wait for the push ends at once, that for the page never.
        let auth = server.auth(sleep: { pause in
            guard pause > .seconds(60) else { return }
            try await TestPause.untilCanceled(pause)
        })
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        let browser = CheckPage()
        #expect(try await verify(auth, browser) == "session")
        let page = try #require(browser.opened.withLock { $0 })
        #expect(page.absoluteString.contains("authType=verifyApp"))
        #expect(!page.absoluteString.contains("sessionId"))
        let sent = try #require(server.calls("accounts:sendVerificationCode").first)
        #expect(sent.text("recaptchaToken") == "token")
        #expect(sent.text("iosReceipt") == nil)
    }

    @Test func pushThatDoesNotArriveFailsWithoutAPage() async throws {
        let auth = ScriptedServer(["accounts:verifyIosClient": [Self.receipt("one")]]).auth(sleep: { _ in })
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        await #expect(throws: AuthErrorCode(.notificationNotForwarded)) { try await verify(auth) }
    }

    @Test func nothingIsSentInTests() async throws {
        let server = ScriptedServer(["accounts:sendVerificationCode": [Self.session]])
        let auth = server.auth()
        auth.settings?.isAppVerificationDisabledForTesting = true
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        #expect(try await verify(auth, CheckPage()) == "session")
        #expect(server.calls.map(\.name) == ["accounts:sendVerificationCode"])
        #expect(server.calls.first?.body.keys.sorted() == ["phoneNumber"])
    }

    @Test func canceledTaskDoesNotShowThePage() async throws {
        let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
        let auth = ScriptedServer(["accounts:verifyIosClient": [Self.receipt("one")]]).auth(sleep: { pause in
            continuation.yield(pause)
            try await TestPause.untilCanceled(pause)
        })
        auth.setAPNSToken(Self.token.bytes, type: .sandbox)
        let browser = CheckPage()
        let verification = Task { try await verify(auth, browser) }
        for await _ in pauses { break }
        verification.cancel()
        await #expect(throws: CancellationError.self) { try await verification.value }
        #expect(browser.opened.withLock { $0 } == nil)
    }

    /// A browser whose user passes the check.
    private final class CheckPage: AuthUIDelegate {
        let opened = Locked<URL?>(nil)

        func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
            opened.withLock { $0 = url }
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let eventID = items.first { $0.name == "eventId" }?.value
            let link =
                "https://auth.example.org/__/auth/callback?"
                + FormBody.text([("authType", "verifyApp"), ("eventId", eventID), ("recaptchaToken", "token")])
            return URL(string: "\(callbackURLScheme)://firebaseauth/link?\(FormBody.text([("deep_link_id", link)]))")
        }
    }
}
