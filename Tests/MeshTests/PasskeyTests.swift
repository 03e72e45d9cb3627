import Contracts
import HTTPClient
import JSON
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// Passkeys through the whole mesh, with a software authenticator.
    @Suite struct PasskeyTests {
        private static let services = ["--only", "gateway,identity,passkey"]

        @Test(arguments: MeshEngine.allCases)
        func passkeyIsEnrolledUsedAndRemoved(engine: MeshEngine) async throws {
            try await withMesh(Self.services, on: engine) { mesh in
                let auth = mesh.makeAuth()
                let new = try await auth.signInAnonymously().user
                var device = try SoftwareAuthenticator(origin: "https://localhost")
                let registration = try device.register(await new.startPasskeyEnrollment(withName: nil))
                let enrolled = try await new.finalizePasskeyEnrollment(withPlatformCredential: registration)
                #expect(enrolled.user.uid == new.uid)
                let assertion = try device.authenticate(await auth.startPasskeySignIn())
                let user = try await auth.finalizePasskeySignIn(withPlatformCredential: assertion).user
                #expect(user.uid == new.uid)
                let passkey = try #require(user.enrolledPasskeys?.first)
                try await user.unenrollPasskey(withCredentialID: passkey.credentialID)
                #expect(try await mesh.client.signIn(&device).refusal == "PASSKEY_ENROLLMENT_NOT_FOUND")
            }
        }

        /// Of fifty responses to one challenge through two processes, one signs in.
        @Test(arguments: MeshEngine.allCases)
        func challengeIsRedeemedOnceThroughTwoProcesses(engine: MeshEngine) async throws {
            try await withMesh(Self.services + ["--scale", "passkey=2"], on: engine, connections: 50) { mesh in
                try await eventually("two of passkey worked") {
                    mesh.lines(of: "broker.member-joined").filter { $0.contains("service=passkey ") }.count == 2
                }
                let tokens = try Tokens(await mesh.client.signUp(TestUser()))
                var device = try SoftwareAuthenticator(origin: "https://localhost")
                _ = try Tokens(await mesh.client.enroll(&device, tokens.idToken))
                let response = try device.authenticate(await mesh.client.requestOptions())
                let replies = try await withThrowingTaskGroup { group in
                    for _ in 0..<50 { group.addTask { try await mesh.client.finishSignIn(response) } }
                    return try await group.reduce(into: [HTTPClientResponse]()) { $0.append($1) }
                }
                #expect(replies.count { $0.status == 200 } == 1)
                let others = replies.filter { $0.status != 200 && !$0.asksToComeAgain }.map { $0.refusal ?? "" }
                #expect(Set(others).isSubset(of: ["INVALID_AUTHENTICATOR_RESPONSE"]), "\(Set(others))")
            }
        }

        /// An acknowledged enrollment signs in after any of the processes was killed.
        @Test(
            arguments: [("passkey.1", MeshEngine.sqlite), ("passkey.1", .postgres), ("identity.1", .sqlite)])
        func acknowledgedPasskeysSurviveKilledProcess(instance: String, engine: MeshEngine) async throws {
            try await withMesh(Self.services, on: engine) { mesh in
                let enrollments = Tally<SoftwareAuthenticator>()
                try await withBusyClients(4, { await mesh.client.enrollAndSignIn(enrollments) }) {
                    try await enrollments.untilMore(8)
                    try await mesh.killAndReplace(instance)
                    try await mesh.untilReady()
                    try await enrollments.untilMore(8)
                }
                #expect(enrollments.surprises == [])
                for var device in enrollments.successes {
                    #expect(try await mesh.client.signIn(&device).status == 200)
                }
            }
        }
    }
}

extension MeshClient {
    fileprivate func callPasskey(_ operation: String, _ fields: [String: JSONValue]) async throws -> HTTPClientResponse
    {
        try await send(
            .post, "/identitytoolkit.googleapis.com/v2/accounts/passkey\(operation)?key=any", .object(fields))
    }

    func enroll(
        _ device: inout SoftwareAuthenticator, _ idToken: String
    ) async throws -> HTTPClientResponse {
        let start = try await callPasskey("Enrollment:start", ["idToken": .string(idToken)])
        guard start.status == 200 else { return start }
        let response = try device.register(SoftwareAuthenticator.Options(creation: start))
        return try await callPasskey(
            "Enrollment:finalize",
            ["idToken": .string(idToken), "authenticatorRegistrationResponse": response.json])
    }

    fileprivate func requestOptions() async throws -> SoftwareAuthenticator.Options {
        try SoftwareAuthenticator.Options(request: await callPasskey("SignIn:start", [:]))
    }

    fileprivate func finishSignIn(_ response: Passkey.AuthenticationResponse) async throws -> HTTPClientResponse {
        try await callPasskey("SignIn:finalize", ["authenticatorAuthenticationResponse": response.json])
    }

    func signIn(_ device: inout SoftwareAuthenticator) async throws -> HTTPClientResponse {
        let start = try await callPasskey("SignIn:start", [:])
        guard start.status == 200 else { return start }
        return try await finishSignIn(device.authenticate(SoftwareAuthenticator.Options(request: start)))
    }

    /// Creates an account with a passkey alone and signs in with it, as a step of `withBusyClients`. `tally` contains
    /// the acknowledged passkeys.
    fileprivate func enrollAndSignIn(_ tally: Tally<SoftwareAuthenticator>) async {
        // Without a response from a failed process, nothing was acknowledged.
        guard var device = try? SoftwareAuthenticator(origin: "https://localhost"),
            let signUp = try? await call("signUp", ["returnSecureToken": .bool(true)])
        else { return }
        guard let tokens = try? Tokens(signUp) else {
            if !signUp.asksToComeAgain { tally.surprise(signUp) }
            return
        }
        guard let enrolled = try? await enroll(&device, tokens.idToken) else { return }
        guard enrolled.status == 200 else {
            if !enrolled.asksToComeAgain { tally.surprise(enrolled) }
            return
        }
        tally.add(device)
        if let signedIn = try? await signIn(&device), signedIn.status != 200, !signedIn.asksToComeAgain {
            tally.surprise(signedIn)
        }
    }
}
