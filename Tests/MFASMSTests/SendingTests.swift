import Bus
import Contracts
import Crypto
import DatabaseService
import PhoneNumbers
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Operations that start with a message.
@Suite struct SendingTests {
    @Test func messageStatesItsPurpose() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        let tenant = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        _ = try await fixture.startPhoneSignIn()
        _ = try await fixture.startEnrollment("ada@t", in: tenant)
        _ = try await fixture.startSignIn()
        let messages = fixture.mesh.state.withLock(\.messages)
        #expect(messages.map(\.purpose) == [.phoneSignIn, .secondFactorEnrollment, .secondFactorSignIn])
        #expect(messages.map(\.realm) == [SMSFixture.realm, tenant, SMSFixture.realm])
        #expect(messages.allSatisfy { $0.recipient.rawValue == SMSFixture.number && $0.appName == "p" })
        #expect(messages.allSatisfy { $0.code.reveal().utf8.count == 6 })
    }

    @Test func messageUsesProjectSettings() async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { state in
            state.configuration.authorizedDomains = ["localhost", "10.0.0.7", "dev.localhost", "app.example.com"]
            state.configuration.notification = .init()
            state.configuration.notification?.defaultLocale = "de"
            state.configuration.notification?.sendSms = .init()
            state.configuration.notification?.sendSms?.smsTemplate = .init()
            state.configuration.notification?.sendSms?.smsTemplate?.content = "%LOGIN_CODE% %APP_NAME%"
            state.configuration.branding = .init()
            state.configuration.branding?.applicationName = "Flower Shop"
        }
        let request = MFASMS.StartPhoneSignIn(
            realm: SMSFixture.realm, phoneNumber: SMSFixture.number, appCredential: .init(), locale: "pt-BR")
        let service = fixture.service { $0.originDomain = "fallback.example" }
        _ = try await fixture.send(request, of: service)
        fixture.mesh.state.withLock { state in
            state.configuration.authorizedDomains = ["localhost"]
            state.configuration.notification?.sendSms?.useDeviceLocale = false
        }
        fixture.clock.advance(by: RealmCache<ProjectConfiguration>.timeToLive)
        _ = try await fixture.send(request, of: service)
        let messages = fixture.mesh.state.withLock(\.messages)
        #expect(messages.map(\.originDomain) == ["app.example.com", "fallback.example"])
        #expect(messages.map(\.appName) == ["Flower Shop", "Flower Shop"])
        #expect(messages.map(\.locale) == ["pt-BR", nil])
        #expect(messages.allSatisfy { $0.defaultLocale == "de" && $0.template == "%LOGIN_CODE% %APP_NAME%" })
    }

    /// Identity checks the account that is to receive the number before a message costs something.
    @Test func accountIsCheckedBeforeTheMessage() async throws {
        let fixture = try await SMSFixture()
        func request(_ idToken: String) -> MFASMS.StartPhoneSignIn {
            .init(
                realm: SMSFixture.realm, phoneNumber: SMSFixture.number, idToken: Secret(idToken),
                appCredential: .init())
        }
        await #expect(throws: ServiceError(.missingIDToken)) { try await fixture.send(request("")) }
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        _ = try await fixture.send(request("ada"))
    }

    /// Identity knows the account of the number, and says nothing about it to a page.
    @Test(arguments: [nil, true] as [Bool?]) func accountIsConcealedFromPagesAlone(isConcealed: Bool?) async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { $0.hasUnsupportedNumber = true }
        let request = MFASMS.StartPhoneSignIn(
            realm: SMSFixture.realm, phoneNumber: SMSFixture.number, concealsAccount: isConcealed,
            appCredential: .init())
        if isConcealed == true {
            _ = try await fixture.send(request)
        } else {
            await #expect(throws: ServiceError(.unsupportedFirstFactor)) { try await fixture.send(request) }
        }
        #expect(fixture.mesh.state.withLock(\.messages).count == (isConcealed == true ? 1 : 0))
    }

    @Test(arguments: [nil, "", "12025550123", "call me", "+1 abc"])
    func malformedNumberIsRefusedFirst(number: String?) async throws {
        let fixture = try await SMSFixture()
        await #expect(throws: ServiceError(.invalidPhoneNumber)) { try await fixture.startPhoneSignIn(to: number) }
        #expect(fixture.mesh.state.withLock { $0.operations.isEmpty && $0.messages.isEmpty })
    }

    /// Identity runs its checks in its own order; the request says that the number is missing.
    @Test func malformedNumberIsReportedToIdentity() async throws {
        let fixture = try await SMSFixture()
        for number in [nil, "", "202-555"] {
            await #expect(throws: ServiceError(.invalidPhoneNumber)) {
                try await fixture.startEnrollment("ada", number)
            }
        }
        #expect(fixture.mesh.state.withLock(\.checkedNumbers) == [nil, nil, nil])
    }

    @Test(arguments: [Identity.Operation.checkPhoneSignIn, .resolveConfiguration])
    func refusalByIdentityPreventsMessage(operation: Identity.Operation) async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { $0.refusals[operation] = [ServiceError(.unsupportedFirstFactor)] }
        await #expect(throws: ServiceError(.unsupportedFirstFactor)) { try await fixture.startPhoneSignIn() }
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm)).codes.isEmpty)
    }

    @Test func factorMustBePhoneOfAccount() async throws {
        let fixture = try await SMSFixture()
        try fixture.giveFactors([SMSFixture.number])
        fixture.mesh.state.withLock { state in
            state.factors.append(
                SecondFactor(
                    id: FactorID("t1"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0)))
            state.configuration.mfa = .init()
            state.configuration.mfa?.state = .enabled
            state.configuration.mfa?.enabledProviders = [.phoneSMS]
        }
        await #expect(throws: ServiceError(.invalidPhoneNumber)) { try await fixture.startSignIn(factor: "t1") }
        for factor in ["no-such", nil] {
            await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.startSignIn(factor: factor) }
        }
        fixture.mesh.state.withLock { $0.configuration.mfa?.state = .disabled }
        await #expect(throws: ServiceError.secondFactorDisabled) { try await fixture.startSignIn(factor: "no-such") }
    }

    /// Free checks come before checks that count, and those before checks that cost money.
    @Test func checksRunInOrderOfCost() async throws {
        let fixture = try await SMSFixture()
        let demanded = Mutex(0)
        let service = fixture.service { dependencies in
            dependencies.verifyAppCredential = { credential, _, _, _ in
                demanded.withLock { $0 += 1 }
                if credential.recaptchaToken == nil { throw ServiceError(.missingAppCredential) }
            }
        }
        await #expect(throws: ServiceError.regionNotAllowed) {
            try await fixture.startPhoneSignIn(to: "+19005550143", of: service)
        }
        #expect(demanded.withLock(\.self) == 0)
        await #expect(throws: ServiceError(.missingAppCredential)) { try await fixture.startPhoneSignIn(of: service) }
        #expect(try await fixture.store.sendingStatus(of: ProjectID("p"), at: fixture.clock.now).sentThisDay == 0)
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(try await fixture.store.openCodes(in: SMSFixture.realm, at: fixture.clock.now).isEmpty)
    }

    /// App verification has its own tests; this one covers its place in the order of checks.
    @Test func productionRequiresAppCredential() async throws {
        let fixture = try await SMSFixture()
        let production = fixture.service(isDev: false) { dependencies in
            let appVerifier = dependencies.appVerifier
            dependencies.verifyAppCredential = { try await appVerifier.verify($0, in: $1, $2, $3) }
        }
        await #expect(throws: ServiceError(.missingClientIdentifier)) {
            try await fixture.startPhoneSignIn(of: production)
        }
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        // A token of the hosted page is valid for one message.
        let challenge = try await fixture.send(MFASMS.StartWebChallenge(project: ProjectID("p")), of: production)
        let answer = try #require(
            (0..<1_000_000).first { number in
                SHA2.sha256(Array("\(challenge.challenge.reveal()):\(number)".utf8)).first == 0
            })
        let token = try await fixture.send(
            MFASMS.FinishWebChallenge(
                project: ProjectID("p"), challenge: challenge.challenge, answer: "\(answer)"), of: production
        ).token
        let request = MFASMS.StartPhoneSignIn(
            realm: SMSFixture.realm, phoneNumber: SMSFixture.number, appCredential: .init(recaptchaToken: token))
        _ = try await fixture.send(request, of: production)
        await #expect(throws: ServiceError(.captchaCheckFailed)) { try await fixture.send(request, of: production) }
    }

    @Test(arguments: [ServiceError(.unavailable), ServiceError(.deadlineExceeded), ServiceError(.overloaded)])
    func sessionIsVoidedWhenNotifierRefusesMessage(refusal: ServiceError) async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { $0.notifierRefusal = refusal }
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.startPhoneSignIn() }
        #expect(try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm)).codes.isEmpty)
        fixture.mesh.state.withLock { $0.notifierRefusal = nil }
        let sent = try await fixture.startPhoneSignIn()
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
    }

    /// A message that was certainly not sent is refunded; one that may have been sent still counts.
    @Test(arguments: [(WireError.Code.unavailable, 0), (.deadlineExceeded, 1)])
    func onlyUndeliveredMessageIsRefunded(code: WireError.Code, sent: Int) async throws {
        let fixture = try await SMSFixture(policy: SendingPolicy.development)
        fixture.mesh.state.withLock { $0.notifierRefusal = ServiceError(code) }
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.startPhoneSignIn() }
        let sending = try await fixture.send(MFASMS.ReadSendingStatus(project: ProjectID("p")))
        #expect(sending.sentThisDay == sent && sending.spentThisDayMicros == Int64(sent) * 50_000)
    }

    @Test func resendDelayAppliesUntilCodeIsVerified() async throws {
        var policy = SendingPolicy()
        policy.numberTypes = SendingPolicy.development.numberTypes
        let fixture = try await SMSFixture(policy: policy)
        let first = try await fixture.startPhoneSignIn()
        let until = fixture.clock.now + .seconds(30)
        await #expect(throws: ServiceError.limited(by: .smsResendBackoff, until: until)) {
            try await fixture.startPhoneSignIn()
        }
        // The earlier code stays valid.
        _ = try await fixture.signIn(first.sessionInfo, first.code)
        _ = try await fixture.startPhoneSignIn()
        let sending = try await fixture.send(MFASMS.ReadSendingStatus(project: ProjectID("p")))
        #expect(sending.sentThisDay == 2 && sending.verifiedThisDay == 1)
    }

    @Test func notifierTimeoutIsBoundByCallDeadline() async throws {
        let fixture = try await SMSFixture()
        let timeout = Mutex<[Duration]>([])
        let peers = fixture.mesh.peers
        peers.reply(to: Notifier.SendSMS.self) { _, options in
            timeout.withLock { $0.append(options.timeout) }
            return .init(messageID: MessageID("m"))
        }
        let service = fixture.service { $0.peers = peers }
        _ = try await fixture.startPhoneSignIn(of: service)
        let request = MFASMS.StartPhoneSignIn(
            realm: SMSFixture.realm, phoneNumber: SMSFixture.number, appCredential: .init())
        let call = try TestCalls.short(request, at: fixture.clock.now)
        _ = try await service.handle(.startPhoneSignIn, call)
        #expect(timeout.withLock(\.self) == [.seconds(3), .milliseconds(700)])
    }

    /// Security rule SM10.
    @Test func testNumbersWorkWithoutMessage() async throws {
        let fixture = try await SMSFixture()
        fixture.mesh.state.withLock { state in
            state.configuration.signIn = .init()
            state.configuration.signIn?.phoneNumber = .init()
            state.configuration.signIn?.phoneNumber?.testPhoneNumbers = [SMSFixture.number: "424242"]
            state.configuration.smsRegionConfig = .init()
            state.configuration.smsRegionConfig?.allowlistOnly = .init()
            state.configuration.smsRegionConfig?.allowlistOnly?.allowedRegions = ["DE"]
        }
        let demanded = Mutex(0)
        let service = fixture.service { dependencies in
            dependencies.verifyAppCredential = { _, _, _, _ in demanded.withLock { $0 += 1 } }
        }
        let sent = try await fixture.startPhoneSignIn(of: service)
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(demanded.withLock(\.self) == 1, "an application shows that it is genuine all the same")
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(sent.sessionInfo, "424243") }
        _ = try await fixture.signIn(sent.sessionInfo, "424242")
        #expect(fixture.lines.all.withLock { $0.contains { $0.contains("number=test") } })
        // Test numbers have no limit.
        for _ in 0..<30 {
            let sent = try await fixture.startPhoneSignIn(of: service)
            await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(sent.sessionInfo, "000000") }
        }
        #expect(try await fixture.store.sendingStatus(of: ProjectID("p"), at: fixture.clock.now).sentThisDay == 0)
        // Only test numbers have a fixed code; the region rules apply to all others.
        await #expect(throws: ServiceError.regionNotAllowed) { try await fixture.startPhoneSignIn(to: "+12025550144") }
        fixture.mesh.state.withLock { $0.configuration.smsRegionConfig = nil }
        let other = try await fixture.startPhoneSignIn(to: "+12025550144")
        if other.code != "424242" {
            await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(other.sessionInfo, "424242") }
        }
    }

    @Test func codesAreListedOnlyInDevMode() async throws {
        let fixture = try await SMSFixture()
        let sent = try await fixture.startPhoneSignIn()
        let codes = try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm)).codes
        #expect(codes.map { $0.code.reveal() } == [sent.code])
        #expect(codes.map { $0.sessionInfo.reveal() } == [sent.sessionInfo])
        #expect(codes.map(\.phoneNumber.rawValue) == [SMSFixture.number])
        let production = fixture.service(isDev: false)
        await #expect(throws: ServiceError(.operationNotAllowed)) {
            try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm), of: production)
        }
        _ = try await fixture.startPhoneSignIn(to: "+12025550144", of: production)
        #expect(try await fixture.send(MFASMS.ListCodes(realm: SMSFixture.realm)).codes.count == 1)
    }

    @Test func sessionIDsAreUnpredictable() async throws {
        let fixture = try await SMSFixture()
        let first = try await fixture.startPhoneSignIn()
        let second = try await fixture.startPhoneSignIn(to: "+12025550144")
        #expect(first.sessionInfo.utf8.count == 43, "256 bits in base64url")
        #expect(first.sessionInfo != second.sessionInfo)
    }
}
