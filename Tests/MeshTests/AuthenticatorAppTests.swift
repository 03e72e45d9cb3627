import Foundation
import HTTPClient
import JSON
import LatchkeyAuth
import TestSupport
import Testing

extension MeshTests {
    /// An authenticator app as second factor, played by oathtool.
    @Suite struct AuthenticatorAppTests {
        private static let services = ["--only", "gateway,identity,mfa-totp,notifier"]

        @Test(arguments: MeshEngine.allCases)
        func appIsEnrolledUsedAndWithdrawn(engine: MeshEngine) async throws {
            try await withMesh(Self.services, on: engine) { mesh in
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory)

                let auth = mesh.makeAuth()
                let code = try await app.code(0)
                let resolver = try await MultiFactorResolver.required { try await auth.signIn(person) }
                let user = try await resolver.resolveSignIn(with: app.assertion(code)).user
                for refused in [code, try await app.code(-5)] {
                    let next = try await MultiFactorResolver.required { try await auth.signIn(person) }
                    await #expect(throws: AuthErrorCode(.invalidVerificationCode)) {
                        try await next.resolveSignIn(with: app.assertion(refused))
                    }
                }

                try await user.multiFactor.unenroll(withFactorUID: app.factorID)
                #expect(try await auth.signIn(person).user.uid == app.accountID)
            }
        }

        /// Security rules, section 14.
        @Test(arguments: MeshEngine.allCases)
        func codeIsAcceptedOnceThroughTwoProcesses(engine: MeshEngine) async throws {
            try await withMesh(Self.services + ["--scale", "mfa-totp=2"], on: engine, connections: 50) { mesh in
                try await eventually("two of mfa-totp worked") {
                    mesh.lines(of: "broker.member-joined").filter { $0.contains("service=mfa-totp ") }.count == 2
                }
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory)
                // A separate sign-in for each request: the code is valid for one of them.
                var pending: [String] = []
                for _ in 0..<50 { pending.append(try await mesh.client.signIn(person).text("mfaPendingCredential")) }
                let code = try await app.code(0)
                let responses = try await withThrowingTaskGroup { group in
                    for credential in pending {
                        group.addTask { try await mesh.client.finish(credential, app, code) }
                    }
                    return try await group.reduce(into: [HTTPClientResponse]()) { $0.append($1) }
                }
                #expect(responses.filter { $0.status == 200 }.count == 1)
                let others = responses.filter { $0.status != 200 && !$0.asksToComeAgain }.map { $0.refusal ?? "" }
                #expect(Set(others).isSubset(of: ["INVALID_CODE", "QUOTA_EXCEEDED"]), "\(Set(others))")
            }
        }

        /// The started enrollment is in the database, not in the process.
        @Test(arguments: MeshEngine.allCases)
        func enrollmentSurvivesProcessExit(engine: MeshEngine) async throws {
            try await withMesh(Self.services, on: engine) { mesh in
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory) {
                    try await mesh.killAndReplace("mfa-totp.1")
                }
                try await mesh.killAndReplace("mfa-totp.1")
                let response = try await waitFor("there was an answer") {
                    let response = try await mesh.client.signIn(person, app, try await app.code(1))
                    return response.asksToComeAgain ? nil : response
                }
                // The process may have failed between the step and the session; then the next code is valid.
                if response.status != 200 {
                    #expect(response.refusal == "INVALID_CODE")
                    #expect(try await mesh.client.signIn(person, app, try await app.code(2)).status == 200)
                }
            }
        }

        /// The configured window with codes of another implementation and the clock of the mesh.
        @Test(arguments: [0, 1, 5, 10])
        func oathtoolCodesAreAcceptedWithinWindow(window: Int) async throws {
            try await withMesh(Self.services) { mesh in
                try await mesh.client.switchTOTPOn(window)
                let person = try await mesh.client.verifiedPerson()
                let beforeEnrollment = AuthenticatorApp.step()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory, offset: -window)
                let afterEnrollment = AuthenticatorApp.step()
                for (offset, isInside) in [(window + 1, false), (-window - 1, false), (window, true)] {
                    // A time step may end between code and response, and another code is inside then: the test tries
                    // again in the next one.
                    let (step, response) = try await waitFor("code and answer were of one step") {
                        let step = AuthenticatorApp.step()
                        let response = try await mesh.client.signIn(person, app, try await app.code(offset))
                        let isOfOneStep = step == AuthenticatorApp.step() || (isInside && response.status == 200)
                        return isOfOneStep ? (step, response) : nil
                    }
                    // With window 0, the code of the step of the enrollment is used.
                    if isInside, window > 0 || step > afterEnrollment {
                        #expect(response.status == 200, "\(response.summary)")
                    } else if !isInside || beforeEnrollment == afterEnrollment {
                        #expect(response.refusal == "INVALID_CODE", "\(offset): \(response.summary)")
                    }
                }
            }
        }

        /// The backup contains the secrets in sealed form only.
        @Test func enrolledAppsSurviveBackupAndRotation() async throws {
            try await withMesh(Self.services) { mesh in
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory)
                let rotation = try RunningProgram(
                    "latchkey", ["keys", "rotate-master", "--data", mesh.dataDirectory], in: mesh.directory)
                #expect(try await rotation.ending() == .code(0), "\(rotation.errors)")
                let list = try RunningProgram(
                    "latchkey", ["keys", "list", "--data", mesh.dataDirectory], in: mesh.directory)
                #expect(try await list.ending() == .code(0))
                #expect(list.output.contains("mfa-totp 2"), "\(list.output)")
                let backup = mesh.directory.appending("backup")
                for words in [["backup", backup], ["restore", backup, "--replace"]] {
                    let program = try RunningProgram(
                        "latchkey", words + ["--data", mesh.dataDirectory], in: mesh.directory)
                    #expect(try await program.ending() == .code(0), "\(program.errors)")
                    #expect(program.output.contains("mfa-totp"))
                }
                let bytes = try #require(FileManager.default.contents(atPath: backup + "/mfa-totp.sqlite"))
                #expect(bytes.range(of: Data(app.secret.utf8)) == nil)
                try await eventually("the app was good again") {
                    let response = try await mesh.client.signIn(person, app, try await app.code(0))
                    return response.status == 200
                }
            }
        }

        @Test func logContainsNoCodesOrSecrets() async throws {
            try await withMesh(Self.services + ["--log", "debug"]) { mesh in
                try await mesh.client.switchTOTPOn()
                let person = try await mesh.client.verifiedPerson()
                let app = try await mesh.client.enrolledApp(of: person, in: mesh.directory)
                let code = try await app.code(0)
                for _ in 0..<7 { _ = try await mesh.client.signIn(person, app, code) }
                #expect(try await mesh.stop() == .code(0))
                for secret in [app.secret, code, app.session, person.email] {
                    #expect(!(mesh.log + mesh.output).contains(secret))
                }
            }
        }
    }
}

/// An authenticator app that is enrolled.
struct EnrolledApp: Sendable {
    var app: AuthenticatorApp
    var session: String
    var factorID = ""
    var accountID = ""

    var secret: String { app.secret }

    func code(_ offset: Int) async throws -> String { try await app.code(offset) }

    func assertion(_ code: String) -> TOTPMultiFactorAssertion {
        TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factorID, oneTimePassword: code)
    }
}

extension MeshClient {
    private static let owner = [(name: "Authorization", value: "Bearer owner")]

    func callV2(_ operation: String, _ fields: [String: JSONValue]) async throws -> HTTPClientResponse {
        try await send(.post, "/identitytoolkit.googleapis.com/v2/accounts/\(operation)?key=any", .object(fields))
    }

    func switchTOTPOn(_ window: Int = 5) async throws {
        let provider: JSONValue = .object([
            "state": .string("ENABLED"),
            "totpProviderConfig": .object(["adjacentIntervals": .string(String(window))]),
        ])
        let response = try await send(
            .patch, "/admin/v2/projects/demo-latchkey/config?updateMask=mfa.providerConfigs",
            .object(["mfa": .object(["providerConfigs": .array([provider])])]), headers: Self.owner)
        guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
    }

    /// A user with a verified e-mail address.
    func verifiedPerson() async throws -> TestUser {
        let person = TestUser()
        let response = try await send(
            .post, "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts",
            .object([
                "email": .string(person.email), "password": .string(person.password), "emailVerified": .bool(true),
            ]), headers: Self.owner)
        guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
        return person
    }

    /// Enrolls an app with the code of an earlier step. - Parameter between: runs between start and finish; afterwards
    /// the finish is retried until a reply arrives.
    func enrolledApp(
        of person: TestUser, in directory: TemporaryDirectory, offset: Int = -1,
        between: () async throws -> Void = {}
    ) async throws -> EnrolledApp {
        let tokens = try Tokens(await signIn(person))
        let started = try await callV2(
            "mfaEnrollment:start", ["idToken": .string(tokens.idToken), "totpEnrollmentInfo": .object([:])])
        guard started.status == 200,
            case .string(let secret)? = try started.json["totpSessionInfo"]?["sharedSecretKey"],
            case .string(let session)? = try started.json["totpSessionInfo"]?["sessionInfo"]
        else { throw RunningMesh.Failure(started.summary) }
        var app = EnrolledApp(
            app: AuthenticatorApp(secret: secret, directory: directory), session: session)
        try await between()
        let finished = try await waitFor("the enrolment ended") {
            let response = try await callV2(
                "mfaEnrollment:finalize",
                [
                    "idToken": .string(tokens.idToken), "displayName": .string("app"),
                    "totpVerificationInfo": .object([
                        "sessionInfo": .string(session), "verificationCode": .string(try await app.code(offset)),
                    ]),
                ])
            return response.asksToComeAgain ? nil : response
        }
        let users = try await lookUp(finished.text("idToken")).json["users"]
        guard case .array(let found)? = users, case .string(let account)? = found.first?["localId"],
            case .array(let factors)? = found.first?["mfaInfo"],
            case .string(let factor)? = factors.first?["mfaEnrollmentId"]
        else { throw RunningMesh.Failure("no factor") }
        (app.factorID, app.accountID) = (factor, account)
        return app
    }

    /// Signs in with both factors.
    func signIn(
        _ person: TestUser, _ app: EnrolledApp, _ code: String
    ) async throws -> HTTPClientResponse {
        let first = try await signIn(person)
        guard first.status == 200 else { return first }
        return try await finish(first.text("mfaPendingCredential"), app, code)
    }

    /// Finishes a sign-in with the code of an app.
    func finish(
        _ credential: String, _ app: EnrolledApp, _ code: String
    ) async throws -> HTTPClientResponse {
        try await callV2(
            "mfaSignIn:finalize",
            [
                "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(app.factorID),
                "totpVerificationInfo": .object(["verificationCode": .string(code)]),
            ])
    }
}
