import Crypto
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// Codes by text message, from the application's request to the provider and back.
    @Suite struct PhoneTests {
        private func withTelephones(
            _ arguments: [String] = [], on engine: MeshEngine = .sqlite, timeout: String = "2s",
            _ body: (PhoneTestClient) async throws -> Void
        ) async throws {
            try await FakeProvider.running { provider, url in
                let settings = [
                    "LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_BASE_URL": url,
                    "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": "token-of-the-provider",
                    "LATCHKEY_TWILIO_FROM": "+15005550006", "LATCHKEY_SMS_TIMEOUT": timeout,
                    "LATCHKEY_LOG": "debug,text",
                ]
                try await withMesh(
                    ["--only", "gateway,identity,mfa-sms,mfa-totp,notifier"] + arguments, on: engine,
                    environment: settings, connections: 32
                ) { mesh in
                    let telephones = PhoneTestClient(mesh: mesh, provider: provider)
                    try await body(telephones)
                    try telephones.expectNothingLogged()
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func somebodySignsInByTelephone(engine: MeshEngine) async throws {
            try await withTelephones(on: engine) { telephones in
                let number = PhoneTestClient.number(1)
                let session = try await telephones.requestCode(number)
                let text = try await telephones.text(to: number)
                #expect(text.wholeMatch(of: /demo-latchkey: [0-9]{6} is your code. Do not share it./) != nil)
                let code = try telephones.code(in: text)

                let wrong = String(format: "%06d", ((Int(code) ?? 0) + 1) % 1_000_000)
                #expect(try await telephones.signIn(session, wrong).refusal == "INVALID_CODE")
                let answer = try await telephones.signIn(session, code)
                let tokens = try Tokens(answer)
                #expect(try answer.json["isNewUser"] == .bool(true))
                #expect(try answer.text("phoneNumber") == number)
                #expect(try PhoneTestClient.claims(tokens.idToken)["phone_number"] == .string(number))
                #expect(try await telephones.signIn(session, code).refusal == "INVALID_SESSION_INFO")

                // The same person again, by a code of their own.
                let second = try await telephones.requestCode(number)
                let answers = try await telephones.signIn(
                    second, telephones.code(in: telephones.text(to: number, after: 1)))
                #expect(try Tokens(answers).accountID == tokens.accountID)
                #expect(telephones.provider.calls.count == 2)
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func aTelephoneIsASecondFactorUntilItIsWithdrawn(engine: MeshEngine) async throws {
            try await withTelephones(on: engine) { telephones in
                let client = telephones.mesh.client
                try await telephones.switchSMSOn()
                let person = try await client.verifiedPerson()
                let number = PhoneTestClient.number(2)
                try await telephones.enroll(number, for: person)

                let first = try await client.signIn(person)
                #expect(try first.json["idToken"] == nil)
                let hint = try PhoneTestClient.factor(in: first.json)
                #expect(hint["phoneInfo"] == .string("+*******" + number.suffix(4)))
                let (credential, session) = try await telephones.startSecondFactor(first)
                let code = try telephones.code(in: await telephones.text(to: number, after: 1))
                let tokens = try await telephones.finishSecondFactor(credential, session, code)
                let idToken = try tokens.text("idToken")
                let claims = try PhoneTestClient.claims(idToken)["firebase"]
                #expect(claims?["sign_in_second_factor"] == .string("phone"))
                #expect(claims?["second_factor_identifier"] == hint["mfaEnrollmentId"])
                #expect(try await telephones.finishSecondFactor(credential, session, code).status == 400)

                let withdrawn = try await client.callV2(
                    "mfaEnrollment:withdraw",
                    ["idToken": .string(idToken), "mfaEnrollmentId": try #require(hint["mfaEnrollmentId"])])
                #expect(withdrawn.status == 200, "\(withdrawn.summary)")
                #expect(try Tokens(await client.signIn(person)).idToken.isEmpty == false)
                #expect(telephones.provider.calls.count == 2)
            }
        }

        @Test func aTextWaitsForAProviderInTroubleAndIsSentOnce() async throws {
            try await withTelephones { telephones in
                telephones.provider.setBehavior(.answers(503, "no"))
                let number = PhoneTestClient.number(3)
                // Answered without the provider.
                let session = try await telephones.requestCode(number)
                try await eventually("the provider was asked twice") { telephones.provider.calls.count > 1 }
                #expect(telephones.provider.taken.isEmpty)
                telephones.provider.setBehavior(.takes)
                let code = try telephones.code(in: await telephones.text(to: number))
                #expect(try await telephones.signIn(session, code).status == 200)
                try await telephones.untilSent(1)
                #expect(telephones.provider.taken.count == 1)
                #expect(Set(telephones.provider.calls.map(\.id)).count == 1)
            }
        }

        /// The provider may take longer than this test: no call is given up, so none is made again.
        @Test func nobodyElseWaitsForAProviderThatHangs() async throws {
            try await withTelephones(timeout: "50s") { telephones in
                let client = telephones.mesh.client
                try await client.switchTOTPOn()
                let person = try await client.verifiedPerson()
                let app = try await client.enrolledApp(of: person, in: telephones.mesh.directory)

                telephones.provider.setBehavior(.hangs)
                let numbers = (40..<60).map(PhoneTestClient.number)
                let sessions = try await telephones.requestCodes(numbers)
                try await eventually("every connection hung") { telephones.provider.calls.count == 8 }

                #expect(try await client.signUp(TestUser()).status == 200)
                let answer = try await client.signIn(person, app, try await app.code(0))
                #expect(answer.status == 200, "\(answer.summary)")
                #expect(try await client.lookUp(answer.text("idToken")).status == 200)
                #expect(telephones.provider.taken.isEmpty && telephones.provider.calls.count == 8)

                telephones.provider.setBehavior(.takes)
                for (number, session) in sessions {
                    let code = try telephones.code(in: await telephones.text(to: number))
                    #expect(try await telephones.signIn(session, code).status == 200)
                }
                #expect(telephones.provider.calls.count == numbers.count, "each once")
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func aCodeOutlivesTheProcessesThatMadeAndSendIt(engine: MeshEngine) async throws {
            try await withTelephones(on: engine, timeout: "50s") { telephones in
                telephones.provider.setBehavior(.hangs)
                let number = PhoneTestClient.number(5)
                let session = try await telephones.requestCode(number)
                try await telephones.mesh.killAndReplace("notifier.1")
                telephones.provider.setBehavior(.takes)
                let code = try telephones.code(in: await telephones.text(to: number))

                try await telephones.mesh.killAndReplace("mfa-sms.1")
                let answer = try await waitFor("there was an answer") {
                    let answer = try await telephones.signIn(session, code)
                    return answer.asksToComeAgain ? nil : answer
                }
                #expect(try answer.text("phoneNumber") == number, "\(answer.summary)")
                try await telephones.untilSent(1)
                // The call that was under way may be made again, under its own id: then nobody is sent two messages.
                #expect(Set(telephones.provider.calls.map(\.id)).count == 1)
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func thirtyPeopleAtOnceGetOneTextEach(engine: MeshEngine) async throws {
            try await withTelephones(["--scale", "notifier=3,mfa-sms=2"], on: engine) { telephones in
                for (service, count) in [("mfa-sms", 2), ("notifier", 3)] {
                    try await eventually("all of \(service) worked") {
                        telephones.mesh.lines(of: "broker.member-joined").filter { $0.contains("service=\(service) ") }
                            .count == count
                    }
                }
                let numbers = (0..<30).map(PhoneTestClient.number)
                let sessions = try await telephones.requestCodes(numbers)
                let accounts = try await withThrowingTaskGroup(of: String.self) { group in
                    for (number, session) in sessions {
                        group.addTask {
                            let code = try telephones.code(in: await telephones.text(to: number))
                            return try Tokens(await telephones.signIn(session, code)).accountID
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(accounts.count == numbers.count)
                try await telephones.untilSent(numbers.count)
                #expect(telephones.provider.calls.compactMap { $0.form["To"] }.sorted() == numbers.sorted())
            }
        }
    }
}

/// People with telephones, at an application and at the provider.
private struct PhoneTestClient: Sendable {
    let mesh: RunningMesh
    let provider: FakeProvider
    /// Every session that was begun.
    let sessions = Tally<String>()

    /// One of the numbers that nobody has.
    static func number(_ index: Int) -> String { String(format: "+1202555%04d", 100 + index) }

    // MARK: What arrives

    /// The text that arrives at a number behind so many others.
    func text(to number: String, after earlier: Int = 0) async throws -> String {
        try await waitFor("a text arrived at the provider") {
            let texts = provider.taken.filter { $0.form["To"] == number }
            return texts.count > earlier ? texts[earlier].form["Body"] : nil
        }
    }

    func code(in text: String) throws -> String { String(try #require(text.firstMatch(of: /[0-9]{6}/)).0) }

    /// Waits until the notifier knows of so many messages that they are sent.
    func untilSent(_ count: Int) async throws {
        try await eventually("\(count) messages were known to be sent") {
            mesh.lines(of: "delivery.sent").count >= count
        }
    }

    /// A code is looked for as a word: six digits stand by chance in a time or the id of a trace.
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

    // MARK: The first factor

    func requestCode(_ number: String) async throws -> String {
        let session = try await mesh.client.call("sendVerificationCode", ["phoneNumber": .string(number)])
            .text("sessionInfo")
        sessions.add(session)
        return session
    }

    /// All at once. Sessions by number.
    func requestCodes(_ numbers: [String]) async throws -> [String: String] {
        try await withThrowingTaskGroup { group in
            for number in numbers { group.addTask { (number, try await requestCode(number)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    func signIn(_ session: String, _ code: String) async throws -> HTTPClientResponse {
        try await mesh.client.call("signInWithPhoneNumber", ["sessionInfo": .string(session), "code": .string(code)])
    }

    // MARK: The second factor

    func switchSMSOn() async throws {
        let answer = try await mesh.client.send(
            .patch, "/admin/v2/projects/demo-latchkey/config?updateMask=mfa",
            .object([
                "mfa": .object([
                    "state": .string("ENABLED"), "enabledProviders": .array([.string("PHONE_SMS")]),
                ])
            ]), headers: [("Authorization", "Bearer owner")])
        guard answer.status == 200 else { throw RunningMesh.Failure(answer.summary) }
    }

    /// The only factor of an answer to somebody's sign-in.
    static func factor(in answer: JSONValue) throws -> JSONValue {
        guard case .array(let factors)? = answer["mfaInfo"] else { throw RunningMesh.Failure("no factors") }
        try #require(factors.count == 1)
        return factors[0]
    }

    /// Reads the session out of an answer, in which it lies under `name`.
    private func session(_ name: String, _ answer: HTTPClientResponse) throws -> String {
        guard answer.status == 200, case .string(let session)? = try answer.json[name]?["sessionInfo"] else {
            throw RunningMesh.Failure(answer.summary)
        }
        sessions.add(session)
        return session
    }

    /// Enrols a number that has not been texted before.
    func enroll(_ number: String, for person: TestUser) async throws {
        let idToken = try Tokens(await mesh.client.signIn(person)).idToken
        let session = try session(
            "phoneSessionInfo",
            await mesh.client.callV2(
                "mfaEnrollment:start",
                [
                    "idToken": .string(idToken),
                    "phoneEnrollmentInfo": .object(["phoneNumber": .string(number)]),
                ]))
        let finished = try await mesh.client.callV2(
            "mfaEnrollment:finalize",
            [
                "idToken": .string(idToken), "displayName": .string("telephone"),
                "phoneVerificationInfo": .object([
                    "sessionInfo": .string(session), "code": .string(try code(in: await text(to: number))),
                ]),
            ])
        guard finished.status == 200 else { throw RunningMesh.Failure(finished.summary) }
    }

    /// Has a code sent to somebody who has shown their password.
    func startSecondFactor(_ first: HTTPClientResponse) async throws -> (credential: String, session: String) {
        let credential = try first.text("mfaPendingCredential")
        let factor = try #require(Self.factor(in: first.json)["mfaEnrollmentId"])
        let answer = try await mesh.client.callV2(
            "mfaSignIn:start",
            [
                "mfaPendingCredential": .string(credential), "mfaEnrollmentId": factor,
                "phoneSignInInfo": .object([:]),
            ])
        return (credential, try session("phoneResponseInfo", answer))
    }

    func finishSecondFactor(
        _ credential: String, _ session: String, _ code: String
    ) async throws -> HTTPClientResponse {
        try await mesh.client.callV2(
            "mfaSignIn:finalize",
            [
                "mfaPendingCredential": .string(credential),
                "phoneVerificationInfo": .object(["sessionInfo": .string(session), "code": .string(code)]),
            ])
    }
}
