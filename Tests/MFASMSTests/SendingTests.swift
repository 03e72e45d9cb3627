import Contracts
import PhoneNumbers
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// What begins with a message.
@Suite struct SendingTests {
    @Test func aMessageSaysWhatItIsFor() async throws {
        let fixture = try await MFASMSFixture()
        try fixture.giveFactors([MFASMSFixture.number])
        let tenant = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        _ = try await fixture.sendSignInCode()
        _ = try await fixture.startEnrollment("ada@t", in: tenant)
        _ = try await fixture.startSignIn()
        let messages = fixture.mesh.state.withLock(\.messages)
        #expect(messages.map(\.purpose) == [.phoneSignIn, .secondFactorEnrollment, .secondFactorSignIn])
        #expect(messages.map(\.realm) == [MFASMSFixture.realm, tenant, MFASMSFixture.realm])
        #expect(messages.allSatisfy { $0.recipient.rawValue == MFASMSFixture.number && $0.appName == "p" })
        #expect(messages.allSatisfy { $0.code.reveal().utf8.count == 6 })
    }

    @Test func aMessageIsTheProjects() async throws {
        let fixture = try await MFASMSFixture()
        fixture.mesh.state.withLock { state in
            state.configuration.authorizedDomains = ["localhost", "10.0.0.7", "dev.localhost", "app.example.com"]
            state.configuration.notification = .init()
            state.configuration.notification?.defaultLocale = "de"
            state.configuration.notification?.sendSms = .init()
            state.configuration.notification?.sendSms?.smsTemplate = .init()
            state.configuration.notification?.sendSms?.smsTemplate?.content = "%LOGIN_CODE% %APP_NAME%"
        }
        let request = MFASMS.SendSignInCode(
            realm: MFASMSFixture.realm, phoneNumber: MFASMSFixture.number, credential: .init(), locale: "pt-BR")
        let service = fixture.service { $0.originDomain = "fallback.example" }
        _ = try await fixture.ask(request, of: service)
        fixture.mesh.state.withLock { state in
            state.configuration.authorizedDomains = ["localhost"]
            state.configuration.notification?.sendSms?.useDeviceLocale = false
        }
        _ = try await fixture.ask(request, of: service)
        let messages = fixture.mesh.state.withLock(\.messages)
        #expect(messages.map(\.originDomain) == ["app.example.com", "fallback.example"])
        #expect(messages.map(\.locale) == ["pt-BR", nil])
        #expect(messages.allSatisfy { $0.defaultLocale == "de" && $0.template == "%LOGIN_CODE% %APP_NAME%" })
    }

    @Test(
        arguments: [
            (nil, .missingPhoneNumber), ("", .missingPhoneNumber), ("12025550123", .invalidPhoneNumber),
            ("call me", .invalidPhoneNumber), ("+1 abc", .invalidPhoneNumber),
        ] as [(String?, SMSError)])
    func whatIsNoNumberIsRefusedFirst(number: String?, error: SMSError) async throws {
        let fixture = try await MFASMSFixture()
        await #expect(throws: error) { try await fixture.sendSignInCode(to: number) }
        #expect(fixture.mesh.state.withLock { $0.operations.isEmpty && $0.messages.isEmpty })
    }

    /// Identity's checks come in its order, and it is told that there is no number.
    @Test func identityHearsOfAMalformedNumberToo() async throws {
        let fixture = try await MFASMSFixture()
        for number in [nil, "", "202-555"] {
            await #expect(throws: WireError(.invalidPhoneNumber)) { try await fixture.startEnrollment("ada", number) }
        }
        #expect(fixture.mesh.state.withLock(\.checkedNumbers) == [nil, nil, nil])
    }

    @Test(arguments: [Identity.Operation.checkPhoneSignIn, .resolveConfiguration])
    func withoutIdentitysConsentNothingIsSent(operation: Identity.Operation) async throws {
        let fixture = try await MFASMSFixture()
        fixture.mesh.state.withLock { $0.refusals[operation] = [WireError(.unsupportedFirstFactor)] }
        await #expect(throws: WireError(.unsupportedFirstFactor)) { try await fixture.sendSignInCode() }
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(try await fixture.ask(MFASMS.ListCodes(realm: MFASMSFixture.realm)).codes.isEmpty)
    }

    @Test func aFactorMustBeATelephoneOfTheAccount() async throws {
        let fixture = try await MFASMSFixture()
        try fixture.giveFactors([MFASMSFixture.number])
        fixture.mesh.state.withLock { state in
            state.factors.append(
                SecondFactor(
                    id: FactorID("t1"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0)))
            state.configuration.mfa = .init()
            state.configuration.mfa?.state = .enabled
            state.configuration.mfa?.enabledProviders = [.phoneSMS]
        }
        await #expect(throws: SMSError.invalidPhoneNumber) { try await fixture.startSignIn(factor: "t1") }
        for factor in ["no-such", nil] {
            await #expect(throws: SMSError.factorNotFound) { try await fixture.startSignIn(factor: factor) }
        }
        fixture.mesh.state.withLock { $0.configuration.mfa?.state = .disabled }
        await #expect(throws: SMSError.secondFactorsOff) { try await fixture.startSignIn(factor: "no-such") }
    }

    /// What costs nothing comes before what is counted, and that before what costs.
    @Test func refusalsComeInTheOrderOfTheirCost() async throws {
        let fixture = try await MFASMSFixture()
        let steps = Mutex<[String]>([])
        let service = fixture.service { dependencies in
            dependencies.regionRefusal = { number, _ in
                steps.withLock { $0.append("region") }
                return number.number.rawValue.hasPrefix("+1900") ? .numberKindBlocked : nil
            }
            dependencies.demandAppCredential = { credential, _, _, _ in
                steps.withLock { $0.append("application") }
                if credential.recaptchaToken == nil { throw SMSError.missingAppCredential }
            }
        }
        await #expect(throws: SMSError.numberKindBlocked) {
            try await fixture.sendSignInCode(to: "+19005550143", of: service)
        }
        await #expect(throws: SMSError.missingAppCredential) { try await fixture.sendSignInCode(of: service) }
        #expect(steps.withLock(\.self) == ["region", "region", "application"])
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(try await fixture.store.codes(in: MFASMSFixture.realm, at: fixture.clock.now).isEmpty)
    }

    @Test func productionSendsNothingWithoutACheckOfApplications() async throws {
        let fixture = try await MFASMSFixture()
        let service = fixture.service(isDev: false) {
            $0.demandAppCredential = MFASMSService.noAppCheck(isDev: false)
        }
        await #expect(throws: SMSError.missingAppCredential) { try await fixture.sendSignInCode(of: service) }
        _ = try await fixture.sendSignInCode(
            of: fixture.service { $0.demandAppCredential = MFASMSService.noAppCheck(isDev: true) })
    }

    @Test(arguments: [WireError(.unavailable), WireError(.deadlineExceeded), WireError(.overloaded)])
    func whatTheNotifierDoesNotTakeIsVoid(refusal: WireError) async throws {
        let fixture = try await MFASMSFixture()
        fixture.mesh.state.withLock { $0.notifierRefusal = refusal }
        await #expect(throws: SMSError.cannotSend) { try await fixture.sendSignInCode() }
        #expect(WireError(SMSError.cannotSend, now: fixture.clock.now).code == .unavailable)
        #expect(try await fixture.ask(MFASMS.ListCodes(realm: MFASMSFixture.realm)).codes.isEmpty)
        fixture.mesh.state.withLock { $0.notifierRefusal = nil }
        let sent = try await fixture.sendSignInCode()
        _ = try await fixture.signIn(sent.sessionInfo, sent.code)
    }

    @Test func aNotifierIsWaitedForNoLongerThanTheCaller() async throws {
        let fixture = try await MFASMSFixture()
        let patience = Mutex<[Duration]>([])
        var neighbours = fixture.mesh.neighbours
        neighbours.sendSMS = { _, errand in
            patience.withLock { $0.append(errand.patience) }
            return .init(messageID: MessageID("m"))
        }
        let service = fixture.service { [neighbours] in $0.neighbours = neighbours }
        _ = try await fixture.sendSignInCode(of: service)
        let request = MFASMS.SendSignInCode(
            realm: MFASMSFixture.realm, phoneNumber: MFASMSFixture.number, credential: .init())
        let call = try BusCallOf.short(request, at: fixture.clock.now)
        _ = try await service.handle(.sendSignInCode, call)
        #expect(patience.withLock(\.self) == [.seconds(3), .milliseconds(700)])
    }

    @Test func testNumbersAreServedWithoutAMessage() async throws {
        let fixture = try await MFASMSFixture()
        fixture.mesh.state.withLock { state in
            state.configuration.signIn = .init()
            state.configuration.signIn?.phoneNumber = .init()
            state.configuration.signIn?.phoneNumber?.testPhoneNumbers = [MFASMSFixture.number: "424242"]
        }
        let demanded = Mutex(0)
        let service = fixture.service { dependencies in
            dependencies.regionRefusal = { _, _ in .regionBlocked }
            dependencies.demandAppCredential = { _, _, _, _ in demanded.withLock { $0 += 1 } }
        }
        let sent = try await fixture.sendSignInCode(of: service)
        #expect(fixture.mesh.state.withLock(\.messages).isEmpty)
        #expect(demanded.withLock(\.self) == 1, "an application shows that it is genuine all the same")
        await #expect(throws: SMSError.wrongCode) { try await fixture.signIn(sent.sessionInfo, "424243") }
        _ = try await fixture.signIn(sent.sessionInfo, "424242")
        #expect(fixture.lines.all.withLock { $0.contains { $0.contains("number=test") } })
        // As often as a run of tests likes.
        for _ in 0..<30 {
            let sent = try await fixture.sendSignInCode(of: service)
            await #expect(throws: SMSError.wrongCode) { try await fixture.signIn(sent.sessionInfo, "000000") }
        }
        // The code is the number's.
        let other = try await fixture.sendSignInCode(to: "+12025550144")
        if other.code != "424242" {
            await #expect(throws: SMSError.wrongCode) { try await fixture.signIn(other.sessionInfo, "424242") }
        }
    }

    @Test func codesAreListedInDevelopmentAlone() async throws {
        let fixture = try await MFASMSFixture()
        let sent = try await fixture.sendSignInCode()
        let codes = try await fixture.ask(MFASMS.ListCodes(realm: MFASMSFixture.realm)).codes
        #expect(codes.map { $0.code.reveal() } == [sent.code])
        #expect(codes.map { $0.sessionInfo.reveal() } == [sent.sessionInfo])
        #expect(codes.map(\.phoneNumber.rawValue) == [MFASMSFixture.number])
        let production = fixture.service(isDev: false)
        await #expect(throws: SMSError.developersOnly) {
            try await fixture.ask(MFASMS.ListCodes(realm: MFASMSFixture.realm), of: production)
        }
        _ = try await fixture.sendSignInCode(to: "+12025550144", of: production)
        #expect(try await fixture.ask(MFASMS.ListCodes(realm: MFASMSFixture.realm)).codes.count == 1)
    }

    @Test func sessionNamesCannotBeGuessed() async throws {
        let fixture = try await MFASMSFixture()
        let first = try await fixture.sendSignInCode()
        let second = try await fixture.sendSignInCode(to: "+12025550144")
        #expect(first.sessionInfo.utf8.count == 43, "256 bits in base64url")
        #expect(first.sessionInfo != second.sessionInfo)
    }
}
