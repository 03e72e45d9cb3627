import Crypto
import Foundation
import HTTPClient
import JSON
import LatchkeyAdmin
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// SMS codes, from the request of the application to the SMS provider and back.
    @Suite struct PhoneTests {
        private func withPhones(
            _ arguments: [String] = [], on engine: MeshEngine = .sqlite, timeout: String = "2s",
            _ body: (PhoneTestClient) async throws -> Void
        ) async throws {
            try await FakeProvider.running { provider, url in
                let settings = [
                    "LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_BASE_URL": url,
                    "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": "token-of-the-provider",
                    "LATCHKEY_TWILIO_FROM": "+15005550006", "LATCHKEY_SMS_TIMEOUT": timeout,
                    "LATCHKEY_LOG": "debug",
                ]
                try await withMesh(
                    ["--only", "gateway,identity,mfa-sms,mfa-totp,notifier"] + arguments, on: engine,
                    environment: settings, connections: 32
                ) { mesh in
                    let phones = PhoneTestClient(mesh: mesh, provider: provider)
                    try await body(phones)
                    try phones.expectNothingLogged()
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func smsCodeSignsUserIn(engine: MeshEngine) async throws {
            try await withPhones(on: engine) { phones in
                let (auth, number) = (phones.mesh.makeAuth(), PhoneTestClient.number(1))
                let session = try await phones.requestCode(number, for: auth)
                let text = try await phones.text(to: number)
                #expect(text.wholeMatch(of: /demo-latchkey: [0-9]{6} is your code. Do not share it./) != nil)
                let code = try phones.code(in: text)

                let wrong = String(format: "%06d", ((Int(code) ?? 0) + 1) % 1_000_000)
                await #expect(throws: AuthErrorCode(.invalidVerificationCode)) {
                    try await auth.signIn(with: phones.credential(session, wrong, for: auth))
                }
                let result = try await auth.signIn(with: phones.credential(session, code, for: auth))
                #expect(result.additionalUserInfo?.isNewUser == true)
                #expect(result.user.phoneNumber == number)
                #expect(try await result.user.getIDTokenResult().claims["phone_number"] as? String == number)
                await #expect(throws: AuthErrorCode(.invalidVerificationID)) {
                    try await auth.signIn(with: phones.credential(session, code, for: auth))
                }

                // The same person again, by a code of their own.
                let second = try await phones.requestCode(number, for: auth)
                let secondCode = try phones.code(in: await phones.text(to: number, after: 1))
                let again = try await auth.signIn(with: phones.credential(second, secondCode, for: auth))
                #expect(again.user.uid == result.user.uid)
                #expect(phones.provider.calls.count == 2)
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func phoneIsSecondFactorUntilWithdrawn(engine: MeshEngine) async throws {
            try await withPhones(on: engine) { phones in
                try await phones.switchSMSOn()
                let person = try await phones.mesh.client.verifiedPerson()
                let (auth, number) = (phones.mesh.makeAuth(), PhoneTestClient.number(2))
                try await phones.enroll(number, for: person)

                let resolver = try await MultiFactorResolver.required { try await auth.signIn(person) }
                #expect(auth.currentUser == nil)
                let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
                #expect(hint.phoneNumber == "+*******" + number.suffix(4))
                let assertion = try await phones.assertion(for: resolver, to: number, after: 1)
                let user = try await resolver.resolveSignIn(with: assertion).user
                let token = try await user.getIDTokenResult()
                #expect(token.signInSecondFactor == "phone")
                let session = token.claims["firebase"] as? [String: any Sendable]
                #expect(session?["second_factor_identifier"] as? String == hint.uid)
                await #expect(throws: AuthErrorCode.self) { try await resolver.resolveSignIn(with: assertion) }

                try await user.multiFactor.unenroll(with: hint)
                #expect(try await auth.signIn(person).user.uid == user.uid)
                #expect(phones.provider.calls.count == 2)
            }
        }

        @Test func smsWaitsForUnavailableProviderAndIsSentOnce() async throws {
            try await withPhones { phones in
                phones.provider.setBehavior(.responds(503, "no"))
                let number = PhoneTestClient.number(3)
                // Answered without the provider.
                let session = try await phones.requestCode(number)
                try await eventually("the provider was called twice") { phones.provider.calls.count > 1 }
                #expect(phones.provider.taken.isEmpty)
                phones.provider.setBehavior(.takes)
                let code = try phones.code(in: await phones.text(to: number))
                #expect(try await phones.signIn(session, code).status == 200)
                try await phones.untilSent(1)
                #expect(phones.provider.taken.count == 1)
                #expect(Set(phones.provider.calls.map(\.id)).count == 1)
            }
        }

        /// The provider call can take longer than this test: no call times out, so none is repeated.
        @Test func hangingProviderDelaysNoOtherRequest() async throws {
            try await withPhones(timeout: "50s") { phones in
                let client = phones.mesh.client
                try await client.switchTOTPOn()
                let person = try await client.verifiedPerson()
                let app = try await client.enrolledApp(of: person, in: phones.mesh.directory)

                phones.provider.setBehavior(.hangs)
                let numbers = (40..<60).map(PhoneTestClient.number)
                let sessions = try await phones.requestCodes(numbers)
                try await eventually("every connection hung") { phones.provider.calls.count == 8 }

                #expect(try await client.signUp(TestUser()).status == 200)
                let response = try await client.signIn(person, app, try await app.code(0))
                #expect(response.status == 200, "\(response.summary)")
                #expect(try await client.lookUp(response.text("idToken")).status == 200)
                #expect(phones.provider.taken.isEmpty && phones.provider.calls.count == 8)

                phones.provider.setBehavior(.takes)
                for (number, session) in sessions {
                    let code = try phones.code(in: await phones.text(to: number))
                    #expect(try await phones.signIn(session, code).status == 200)
                }
                #expect(phones.provider.calls.count == numbers.count, "each once")
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func codeSurvivesExitOfItsProcesses(engine: MeshEngine) async throws {
            try await withPhones(on: engine, timeout: "50s") { phones in
                phones.provider.setBehavior(.hangs)
                let number = PhoneTestClient.number(5)
                let session = try await phones.requestCode(number)
                try await phones.mesh.killAndReplace("notifier.1")
                phones.provider.setBehavior(.takes)
                let code = try phones.code(in: await phones.text(to: number))

                try await phones.mesh.killAndReplace("mfa-sms.1")
                let response = try await waitFor("there was an answer") {
                    let response = try await phones.signIn(session, code)
                    return response.asksToComeAgain ? nil : response
                }
                #expect(try response.text("phoneNumber") == number, "\(response.summary)")
                try await phones.untilSent(1)
                // The running call may be repeated with the same ID, so the provider sends one message.
                #expect(Set(phones.provider.calls.map(\.id)).count == 1)
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func parallelUsersGetOneSMSEach(engine: MeshEngine) async throws {
            try await withPhones(["--scale", "notifier=3,mfa-sms=2"], on: engine) { phones in
                for (service, count) in [("mfa-sms", 2), ("notifier", 3)] {
                    try await eventually("all of \(service) worked") {
                        phones.mesh.lines(of: "broker.member-joined").filter { $0.contains("service=\(service) ") }
                            .count == count
                    }
                }
                let numbers = (0..<30).map(PhoneTestClient.number)
                let sessions = try await phones.requestCodes(numbers)
                let accounts = try await withThrowingTaskGroup(of: String.self) { group in
                    for (number, session) in sessions {
                        group.addTask {
                            let code = try phones.code(in: await phones.text(to: number))
                            return try Tokens(await phones.signIn(session, code)).accountID
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(accounts.count == numbers.count)
                try await phones.untilSent(numbers.count)
                #expect(phones.provider.calls.compactMap { $0.form["To"] }.sorted() == numbers.sorted())
            }
        }
    }
}

/// Phone users with an application and a fake SMS provider.
struct PhoneTestClient: Sendable {
    let mesh: RunningMesh
    let provider: FakeProvider
    /// Every started session.
    let sessions = Tally<String>()

    /// A fictional phone number.
    static func number(_ index: Int) -> String { String(format: "+1202555%04d", 100 + index) }

    // MARK: Delivered messages

    /// The SMS text that arrives at a number after `earlier` others.
    func text(to number: String, after earlier: Int = 0) async throws -> String {
        try await waitFor("a text arrived at the provider") {
            let texts = provider.taken.filter { $0.form["To"] == number }
            return texts.count > earlier ? texts[earlier].form["Body"] : nil
        }
    }

    func code(in text: String) throws -> String { String(try #require(text.firstMatch(of: /[0-9]{6}/)).0) }

    /// Waits until the notifier has recorded `count` messages as sent.
    func untilSent(_ count: Int) async throws {
        try await eventually("\(count) messages were known to be sent") {
            mesh.lines(of: "delivery.sent").count >= count
        }
    }

    /// Searches for codes as whole words: six digits can occur in a time or a trace ID.
    func expectNothingLogged() throws {
        let log = mesh.log
        let words = Set(log.split { !$0.isLetter && !$0.isNumber })
        for call in provider.calls {
            let number = try #require(call.form["To"])
            #expect(!words.contains(try code(in: try #require(call.form["Body"]))[...]))
            #expect(!log.contains(number.dropFirst()))
        }
        #expect(!sessions.successes.isEmpty && !log.contains("token-of-the-provider"))
        for session in sessions.successes { #expect(!log.contains(session)) }
    }

    static func claims(_ idToken: String) throws -> JSONValue {
        let parts = idToken.split(separator: ".")
        try #require(parts.count == 3)
        return try WireJSON.decode(JSONValue.self, from: Data(#require(Base64URL.decode(String(parts[1])))))
    }

    // MARK: First factor

    func requestCode(_ number: String) async throws -> String {
        let session = try await mesh.client.call("sendVerificationCode", ["phoneNumber": .string(number)])
            .text("sessionInfo")
        sessions.add(session)
        return session
    }

    /// Requests all codes in parallel. Returns the sessions by number.
    func requestCodes(_ numbers: [String]) async throws -> [String: String] {
        try await withThrowingTaskGroup { group in
            for number in numbers { group.addTask { (number, try await requestCode(number)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    func signIn(_ session: String, _ code: String) async throws -> HTTPClientResponse {
        try await mesh.client.call("signInWithPhoneNumber", ["sessionInfo": .string(session), "code": .string(code)])
    }

    // MARK: Second factor

    func switchSMSOn() async throws {
        try await mesh.makeAdmin().projectConfigManager().updateProjectConfig(
            multiFactorConfig: MultiFactorConfig(state: .enabled, factorIDs: [.phone]))
    }

    /// Requests a code with the client library.
    func requestCode(_ number: String, for auth: Auth) async throws -> String {
        let session = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber(number)
        sessions.add(session)
        return session
    }

    func credential(_ session: String, _ code: String, for auth: Auth) -> PhoneAuthCredential {
        PhoneAuthProvider.provider(auth: auth).credential(withVerificationID: session, verificationCode: code)
    }

    /// Enrolls a number that has not received an SMS before.
    func enroll(_ number: String, for person: TestUser) async throws {
        let auth = mesh.makeAuth()
        let factors = try await auth.signIn(person).user.multiFactor
        let session = try await PhoneAuthProvider.provider(auth: auth)
            .verifyPhoneNumber(number, multiFactorSession: try await factors.session())
        sessions.add(session)
        let credential = credential(session, try code(in: await text(to: number)), for: auth)
        try await factors.enroll(
            with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: "telephone")
    }

    /// Requests a code for the only second factor of a sign-in, and enters the text that arrives after `earlier`
    /// others.
    func assertion(for resolver: MultiFactorResolver, to number: String, after earlier: Int) async throws
        -> PhoneMultiFactorAssertion
    {
        try #require(resolver.hints.count == 1)
        let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
        let session = try await PhoneAuthProvider.provider(auth: resolver.auth)
            .verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
        sessions.add(session)
        let code = try code(in: await text(to: number, after: earlier))
        return PhoneMultiFactorGenerator.assertion(with: credential(session, code, for: resolver.auth))
    }
}

extension MultiFactorResolver {
    /// The resolver of a sign-in that requires a second factor.
    static func required(by signIn: () async throws -> AuthDataResult) async throws -> MultiFactorResolver {
        let error = await #expect(throws: AuthErrorCode(.secondFactorRequired)) { _ = try await signIn() }
        return try #require(error?.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver)
    }
}
