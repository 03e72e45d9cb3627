import Contracts
import Crypto
import SQL
import Storage
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// App verification of devices by push (REST 2.15).
@Suite struct AppVerificationDeviceTests {
    @Test(arguments: StoreEngine.allCases)
    func devicePairIsAcceptedOnce(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        let push = try await fixture.startDevice(check)
        #expect(push.deviceToken == Secret(deviceToken.lowercased()) && push.bundleID == bundle && push.isSandbox)
        #expect(Base64URL.decode(push.secret.reveal())?.count == 32)
        fixture.clock.advance(by: .seconds(60) - .milliseconds(1))
        try await fixture.demand(check, push)
        await #expect(throws: ServiceError(.invalidAppCredential)) { try await fixture.demand(check, push) }
    }

    @Test(arguments: StoreEngine.allCases)
    func devicePairIsAcceptedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        let push = try await fixture.startDevice(check)
        #expect(await fixture.successes { try await fixture.demand(check, push) } == 1)
    }

    /// Security rule SM9: a pair is valid for one minute.
    @Test func devicePairExpiresAfterOneMinute() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        let push = try await fixture.startDevice(check)
        fixture.clock.advance(by: .milliseconds(60_001))
        await #expect(throws: ServiceError(.invalidAppCredential)) { try await fixture.demand(check, push) }
    }

    @Test func devicePairIsBoundToProjectAndApplication() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        let push = try await fixture.startDevice(check)
        await #expect(throws: ServiceError(.invalidAppCredential)) { try await fixture.demand(check, push, in: "q") }
        // A request of another project does not redeem the pair.
        try await fixture.demand(check, push)
        for wrong in ["org.example.other", nil] {
            let push = try await fixture.startDevice(check)
            await #expect(throws: ServiceError(.invalidAppCredential)) {
                try await fixture.demand(check, push, bundleID: wrong)
            }
            await #expect(throws: ServiceError(.invalidAppCredential)) { try await fixture.demand(check, push) }
        }
        let last = try await fixture.startDevice(check)
        await #expect(throws: ServiceError(.invalidAppCredential)) {
            try await fixture.demand(check, last, configuration: "{}")  // No longer registered.
        }
    }

    /// A pair allows one attempt: after a secret with one wrong bit, the correct secret is refused.
    @Test func wrongSecretInvalidatesDevicePair() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        for bit in [0, 7, 255] {
            let push = try await fixture.startDevice(check)
            var bytes = try #require(Base64URL.decode(push.secret.reveal()))
            bytes[bit / 8] ^= 1 << (bit % 8)
            await #expect(throws: ServiceError(.invalidAppCredential)) {
                try await fixture.demand(check, push, secret: Base64URL.encode(bytes))
            }
            await #expect(throws: ServiceError(.invalidAppCredential)) { try await fixture.demand(check, push) }
        }
    }

    @Test(arguments: [WireError.Code.unavailable, .overloaded, .invalidRequest])
    func failedPushIsReportedAsInvalidAppCredential(code: WireError.Code) async throws {
        let fixture = try await AppVerificationFixture()
        fixture.pushes.refusal.withLock { $0 = ServiceError(code) }
        let check = try fixture.appCheck()
        await #expect(throws: ServiceError(.invalidAppCredential)) { _ = try await fixture.startDevice(check) }
        #expect(fixture.reported.errors.withLock { $0.count } == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func pushesPerDeviceAreLimitedPerHour(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        for _ in 0..<AppVerifier.pushesPerDevice { _ = try await fixture.startDevice(check) }
        let hour = AppVerifier.windowStart(at: fixture.clock.now) + AppVerifier.window
        await #expect(throws: ServiceError.limited(by: .appVerificationsPerNetwork, until: hour)) {
            _ = try await fixture.startDevice(check)
        }
        // Another spelling of a token is the same device; another token is another device.
        await #expect(throws: ServiceError.limited(by: .appVerificationsPerNetwork, until: hour)) {
            _ = try await fixture.startDevice(check, token: deviceToken.lowercased())
        }
        _ = try await fixture.startDevice(check, token: String(repeating: "ab", count: 32))
        #expect(fixture.pushes.all.withLock { $0.count } == AppVerifier.pushesPerDevice + 1)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.startDevice(check)
    }

    @Test func checksPerNetworkAreLimitedPerHour() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck { $0.checksPerAddress = 2 }
        func token(_ number: Int) -> String { String(repeating: "0\(number)", count: 32) }
        _ = try await fixture.startDevice(check, token: token(1), address: "2001:db8::1")
        _ = try await fixture.startDevice(check, token: token(2), address: "2001:db8::2")
        await #expect(throws: ServiceError.self) {
            _ = try await fixture.startDevice(check, token: token(3), address: "2001:db8::3")
        }
        _ = try await fixture.startDevice(check, token: token(3), address: "2001:db8:0:1::3")
    }

    @Test(
        arguments: [
            (nil, bundle, .missingDeviceToken), (deviceToken, nil, .missingIOSBundleID),
            (deviceToken, "org.example.stranger", .invalidAppCredential),
        ] as [(String?, String?, WireError.Code)])
    func invalidDeviceGetsNoPush(token: String?, bundleID: String?, code: WireError.Code) async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        await #expect(throws: ServiceError(code)) {
            _ = try await fixture.startDevice(check, bundleID: bundleID, token: token)
        }
        #expect(fixture.pushes.all.withLock { $0.isEmpty })
    }

    /// Test modes of client libraries send no credential or an invented one.
    @Test func devModeAcceptsEveryAppCredential() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck(dev: true)
        for credential in [
            MFASMS.AppCredential(), .init(deviceReceipt: "made up"), .init(recaptchaToken: Secret("made up")),
        ] {
            try await check.verify(credential, in: fixture.realm, .init(), .init())
        }
    }
}

/// App verification of clients without pushes (REST 7.1).
@Suite struct AppVerificationPageTests {
    @Test(arguments: StoreEngine.allCases)
    func solvedChallengeIssuesTokenThatIsAcceptedOnce(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        let token = try await fixture.finish(check, fixture.start(check))
        fixture.clock.advance(by: .seconds(300) - .milliseconds(1))
        try await fixture.demand(check, token: token)
        await #expect(throws: ServiceError(.captchaCheckFailed)) { try await fixture.demand(check, token: token) }
    }

    @Test(arguments: StoreEngine.allCases)
    func challengeAndTokenAreRedeemedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        let challenge = try await fixture.start(check)
        let answer = AppVerificationFixture.solve(challenge)
        #expect(
            await fixture.successes { _ = try await fixture.finish(check, challenge, answer: answer) } == 1)
        let token = try await fixture.finish(check, fixture.start(check))
        #expect(await fixture.successes { try await fixture.demand(check, token: token) } == 1)
    }

    @Test func tokenExpiresAndIsBoundToProjectAndApplication() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck()
        let late = try await fixture.finish(check, fixture.start(check))
        fixture.clock.advance(by: .milliseconds(300_001))
        await #expect(throws: ServiceError(.captchaCheckFailed)) { try await fixture.demand(check, token: late) }
        for wrong in ["org.example.other", nil] {
            let token = try await fixture.finish(check, fixture.start(check))
            await #expect(throws: ServiceError(.captchaCheckFailed)) {
                try await fixture.demand(check, token: token, bundleID: wrong)
            }
        }
        let token = try await fixture.finish(check, fixture.start(check))
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            try await fixture.demand(check, token: token, in: "q")
        }
        try await fixture.demand(check, token: token)
        // A page that no application has opened issues a token for any application.
        let any = try await fixture.finish(check, fixture.start(check), bundleID: nil)
        try await fixture.demand(check, token: any)
        for madeUp in ["lkc.", "lkc.x", "x"] {
            await #expect(throws: ServiceError(.captchaCheckFailed)) { try await fixture.demand(check, token: madeUp) }
        }
    }

    @Test func invalidChallengeAnswerIsRejected() async throws {
        let fixture = try await AppVerificationFixture()
        let check = try fixture.appCheck { $0.challengeBits = 12 }
        let challenge = try await fixture.start(check)
        let answer = AppVerificationFixture.solve(challenge)
        // The first answer is the smallest: a smaller number is no solution.
        for wrong in ["", "x", String((Int(answer) ?? 1) - 1)] {
            await #expect(throws: ServiceError(.captchaCheckFailed)) {
                _ = try await fixture.finish(check, challenge, answer: wrong)
            }
        }
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            _ = try await fixture.finish(check, challenge, answer: answer, in: "q")
        }
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            _ = try await fixture.finish(check, nil, answer: answer)
        }
        await #expect(throws: ServiceError(.appNotVerified)) {
            _ = try await fixture.finish(check, challenge, answer: answer, bundleID: "org.example.stranger")
        }
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            _ = try await fixture.finish(check, challenge, answer: answer)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func difficultyGrowsForNetworkWithManyTokens(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck { $0.checksPerAddress = 40 }
        let address = "192.0.2.7"
        var stock: [MFASMS.StartWebChallenge.Reply] = []
        for _ in 0..<34 { stock.append(try await fixture.start(check, address: address)) }
        // The 17th requires ten bits, but was issued with eight.
        for challenge in stock.prefix(16) { _ = try await fixture.finish(check, challenge, address: address) }
        #expect(try await fixture.start(check, address: address).difficultyBits == 10)
        #expect(try await fixture.start(check, address: "192.0.2.8").difficultyBits == 8)
        await #expect(throws: ServiceError(.captchaCheckFailed)) {
            _ = try await fixture.finish(check, stock[20], address: address)
        }
        for _ in 17..<40 {
            _ = try await fixture.finish(check, fixture.start(check, address: address), address: address)
        }
        await #expect(throws: ServiceError.self) {
            _ = try await fixture.finish(check, fixture.start(check, address: address), address: address)
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.start(check, address: address).difficultyBits == 8)
    }

    @Test(arguments: StoreEngine.allCases)
    func expiredRowsAreSwept(engine: StoreEngine) async throws {
        let fixture = try await AppVerificationFixture(engine)
        let check = try fixture.appCheck()
        for _ in 0..<3 {
            _ = try await fixture.startDevice(check, address: "192.0.2.7")
            _ = try await fixture.finish(check, fixture.start(check), address: "192.0.2.7")
        }
        let sweeper = Sweeper(
            [
                DevicePairTable.self, WebTokenTable.self, SolvedChallengeTable.self, AppVerificationCountTable.self,
            ], in: fixture.database, batch: 2)
        #expect(try await sweeper.sweep(at: fixture.clock.now) == 0)
        fixture.clock.advance(by: .seconds(7200))
        #expect(try await sweeper.sweep(at: fixture.clock.now) > 0)
        for table in ["app_check_pairs", "app_check_tokens", "app_check_answers", "app_check_counts"] {
            let left = try await fixture.database.read { try $0.rows("SELECT project FROM \(table)").count }
            #expect(left == 0, "\(table)")
        }
    }
}
