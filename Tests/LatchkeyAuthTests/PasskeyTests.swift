import Foundation
import Testing

@testable internal import LatchkeyAuth

struct PasskeyTests {
    private static let creationOptions = ScriptedServer.Reply.json(
        """
        {"credentialCreationOptions":{"rp":{"id":"example.org","name":"Example"},"challenge":"+/8B",
        "user":{"id":"AQID","name":"ada@example.org","displayName":"Ada"},
        "excludeCredentials":[{"id":"+_8","type":"public-key"}],
        "authenticatorSelection":{"userVerification":"required"}}}
        """)
    private static let requestOptions = ScriptedServer.Reply.json(
        """
        {"credentialRequestOptions":{"challenge":"-_8B","rpId":"example.org","userVerification":"required",
        "allowCredentials":[{"id":"BAU=","type":"public-key"}]}}
        """)
    private static let registration = PasskeyRegistration(
        credentialID: Data([0xfb, 0xff]), clientDataJSON: Data("{}".utf8), attestationObject: Data([1, 2, 3, 4]))
    private static let assertion = PasskeyAssertion(
        credentialID: Data([0xfb, 0xff]), clientDataJSON: Data("{}".utf8), authenticatorData: Data([1]),
        signature: Data([2]), userID: Data([3]))

    private func signedIn(_ server: ScriptedServer) async throws -> (Auth, User) {
        let auth = server.auth()
        return (auth, try await auth.signIn(withEmail: "ada@example.org", password: "password").user)
    }

    private func server(_ responses: [String: [ScriptedServer.Reply]] = [:]) -> ScriptedServer {
        ScriptedServer(
            [
                "accounts:signInWithPassword": [.tokens("ada")], "accounts:lookup": [.account("ada")],
                "passkeyEnrollment:start": [Self.creationOptions],
                "passkeyEnrollment:finalize": [.tokens("ada")],
                "passkeySignIn:start": [Self.requestOptions],
                "passkeySignIn:finalize": [.tokens("ada")], "accounts:signInWithIdp": [.tokens("ada")],
                "accounts:update": [.json("{}")],
            ].merging(responses) { $1 })
    }

    // MARK: - Enrollment

    @Test func enrollmentRequestHasTheBytesOfBothAlphabets() async throws {
        let (_, user) = try await signedIn(server())
        let request = try await user.passkeyRegistrationRequest(withName: nil)
        #expect(request.relyingPartyID == "example.org")
        #expect(request.relyingPartyName == "Example")
        #expect(request.challenge == Data([0xfb, 0xff, 0x01]))
        #expect(request.userID == Data([1, 2, 3]))
        #expect((request.name, request.displayName) == ("ada@example.org", "Ada"))
        #expect(request.excludedCredentialIDs == [Data([0xfb, 0xff])])
        #expect(request.userVerification == "required")
    }

    @Test(arguments: ["", "%", "A", "=", "AQ=A"])
    func malformedChallengeIsRefused(challenge: String) async throws {
        let options = """
            {"credentialCreationOptions":{"rp":{"id":"e","name":"E"},"challenge":"\(challenge)",\
            "user":{"id":"AQID","name":"a","displayName":"A"}}}
            """
        let (_, user) = try await signedIn(
            server(["passkeyEnrollment:start": [.json(options)]]))
        await #expect(throws: AuthErrorCode(.internalError)) {
            try await user.passkeyRegistrationRequest(withName: nil)
        }
    }

    @Test(arguments: [("My laptop", "My laptop"), ("", nil), (nil, nil)] as [(String?, String?)])
    func nameOfTheStartIsSentWithThePasskey(name: String?, sent: String?) async throws {
        let server = server([
            "accounts:lookup": [.account("ada"), .account("ada", more: #","passkeyInfo":[{"credentialId":"+/8="}]"#)]
        ])
        let (_, user) = try await signedIn(server)
        _ = try await user.startPasskeyEnrollment(withName: name)
        let result = try await user.finalizePasskeyEnrollment(withPlatformCredential: Self.registration)
        #expect(result.user === user)
        #expect(user.enrolledPasskeys?.map(\.credentialID) == ["+/8="])
        let request = try #require(server.calls("passkeyEnrollment:finalize").first)
        #expect(request.text("name") == sent)
        #expect(request.text("idToken") == TestToken.id("ada", 1))
        let response = try #require(request.body["authenticatorRegistrationResponse"] as? [String: any Sendable])
        #expect(response["id"] as? String == "+/8=")
        let content = try #require(response["response"] as? [String: any Sendable])
        #expect(content["clientDataJSON"] as? String == "e30=")
        #expect(content["attestationObject"] as? String == "AQIDBA==")
        // A name is of one passkey.
        _ = try await user.finalizePasskeyEnrollment(withPlatformCredential: Self.registration)
        #expect(server.calls("passkeyEnrollment:finalize").last?.text("name") == nil)
    }

    @Test(arguments: ["PASSKEY_EXISTS", "PASSKEY_LIMIT_EXCEEDED", "INVALID_AUTHENTICATOR_RESPONSE"])
    func codeOfTheServerIsReadable(code: String) async throws {
        let (_, user) = try await signedIn(server(["passkeyEnrollment:finalize": [.refusal(code)]]))
        let error = await #expect(throws: AuthErrorCode.self) {
            try await user.finalizePasskeyEnrollment(withPlatformCredential: Self.registration)
        }
        #expect(error?.code == .internalError)
        #expect(error?.userInfo[AuthErrorUserInfoServerCodeKey] as? String == code)
    }

    @Test func removalSendsTheCredentialID() async throws {
        let server = server([
            "accounts:lookup": [
                .account("ada", more: #","passkeyInfo":[{"credentialId":"+/8=","name":"Laptop"}]"#), .account("ada"),
            ]
        ])
        let (auth, user) = try await signedIn(server)
        let passkey = try #require(user.enrolledPasskeys?.first)
        #expect(passkey.name == "Laptop")
        try await user.unenrollPasskey(withCredentialID: passkey.credentialID)
        #expect(server.calls("accounts:update").first?.body["deletePasskey"] as? [String] == ["+/8="])
        #expect(user.enrolledPasskeys == nil)
        #expect(auth.currentUser === user)
    }

    // MARK: - Sign-in

    @Test func assertionIsSentInBase64() async throws {
        let server = server()
        let auth = server.auth()
        let request = try await auth.startPasskeySignIn()
        #expect(request.challenge == Data([0xfb, 0xff, 0x01]))
        #expect(request.relyingPartyID == "example.org")
        let result = try await auth.finalizePasskeySignIn(withPlatformCredential: Self.assertion)
        #expect(auth.currentUser === result.user)
        #expect(result.additionalUserInfo?.providerID == "passkey")
        let sent = try #require(
            server.calls("passkeySignIn:finalize").first?.body["authenticatorAuthenticationResponse"]
                as? [String: any Sendable])
        let content = try #require(sent["response"] as? [String: any Sendable])
        #expect(sent["id"] as? String == "+/8=")
        #expect(content["authenticatorData"] as? String == "AQ==")
        #expect(content["signature"] as? String == "Ag==")
        #expect(content["userHandle"] as? String == "Aw==")
    }

    @Test func absentUserIDIsNotSent() async throws {
        let server = server()
        var assertion = Self.assertion
        assertion.userID = nil
        _ = try await server.auth().finalizePasskeySignIn(withPlatformCredential: assertion)
        let sent =
            server.calls("passkeySignIn:finalize").first?.body["authenticatorAuthenticationResponse"]
            as? [String: any Sendable]
        let content = try #require(sent?["response"] as? [String: any Sendable])
        #expect(content.keys.sorted() == ["authenticatorData", "clientDataJSON", "signature"])
    }

    @Test func passkeyThatDidNotVerifyTheUserNeedsASecondFactor() async throws {
        let pending = #"{"localId":"ada","mfaPendingCredential":"pending","mfaInfo":[]}"#
        let auth = server(["passkeySignIn:finalize": [.json(pending)]]).auth()
        let error = await #expect(throws: AuthErrorCode(.secondFactorRequired)) {
            try await auth.finalizePasskeySignIn(withPlatformCredential: Self.assertion)
        }
        #expect(error?.userInfo[AuthErrorUserInfoMultiFactorResolverKey] is MultiFactorResolver)
    }

    @Test func completionHandlersReceiveTheSame() async throws {
        let server = server()
        let (auth, user) = try await signedIn(server)
        let name = await withCheckedContinuation { continuation in
            user.startPasskeyEnrollment(withName: "Phone") { request, _ in continuation.resume(returning: request?.name)
            }
        }
        #expect(name == "ada@example.org")
        let isAdded = await withCheckedContinuation { continuation in
            user.finalizePasskeyEnrollment(withPlatformCredential: Self.registration) { result, error in
                continuation.resume(returning: result != nil && error == nil)
            }
        }
        #expect(isAdded)
        let challenge = await withCheckedContinuation { continuation in
            auth.startPasskeySignIn { request, _ in continuation.resume(returning: request?.challenge) }
        }
        #expect(challenge?.count == 3)
        let isSignedIn = await withCheckedContinuation { continuation in
            auth.finalizePasskeySignIn(withPlatformCredential: Self.assertion) { result, error in
                continuation.resume(returning: result != nil && error == nil)
            }
        }
        #expect(isSignedIn)
        let error = await withCheckedContinuation { continuation in
            user.unenrollPasskey(withCredentialID: "AQ==") { error in continuation.resume(returning: error != nil) }
        }
        #expect(!error)
    }

    // MARK: - Styles

    @Test(
        arguments: [
            (.autoFill, [.passkey], .autoFill, nil), (.modal(), [.passkey], .sheet, nil),
            (.modal(userName: "ada@example.org"), [.passkey], .sheet, "ada@example.org"),
            (.silentFallback, [.passkey], .sheetIfAvailable, nil),
            (.combined, [.passkey, .password, .apple], .sheet, nil),
        ] as [(PasskeySignInStyle, [CredentialRequest.Kind], CredentialRequest.Presentation, String?)])
    func styleDecidesTheRequest(
        style: PasskeySignInStyle, kinds: [CredentialRequest.Kind], presentation: CredentialRequest.Presentation,
        userName: String?
    ) async throws {
        let server = server()
        let request = try await server.auth().credentialRequest(style)
        #expect(request.kinds == kinds)
        #expect(request.presentation == presentation)
        #expect(request.passkey.allowedCredentialIDs == [Data([4, 5])])
        #expect(request.hashedNonce == sha256(request.rawNonce))
        #expect(server.calls("passkeySignIn:start").first?.text("identifier") == userName)
    }

    @Test(
        arguments: [
            (.passkey(assertion), "passkeySignIn:finalize"),
            (.password(email: "ada@example.org", password: "password"), "accounts:signInWithPassword"),
            (.apple(idToken: "token", rawNonce: "nonce"), "accounts:signInWithIdp"),
        ] as [(CombinedCredential, String)])
    func chosenCredentialSignsIn(credential: CombinedCredential, call: String) async throws {
        let server = server()
        let auth = server.auth()
        let result = try await auth.signIn(with: credential)
        #expect(auth.currentUser === result.user)
        #expect(server.calls.map(\.name) == [call, "accounts:lookup"])
        guard case .apple = credential else { return }
        #expect(server.calls.first?.text("postBody") == "providerId=apple.com&id_token=token&nonce=nonce")
    }
}
