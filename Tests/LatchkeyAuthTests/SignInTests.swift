import Foundation
import Testing

@testable import LatchkeyAuth

/// Sign-ins, and the responses with status 200 that are errors.
struct SignInTests {
    let application = TestApplication()
    let facebook = FacebookAuthProvider.credential(withAccessToken: "facebook-token")

    @Test func passwordSignInSetsTheCurrentUser() async throws {
        application.auth.tenantID = nil
        let user = try await application.signIn()
        #expect(application.auth.currentUser === user)
        #expect(user.uid == "ada" && user.email == "ada@example.org")
        let call = try #require(application.server.calls.first)
        #expect(call.text("email") == "ada@example.org" && call.text("password") == "correct horse")
        #expect(call.body["tenantId"] == nil && call.body["returnSecureToken"] as? Bool == true)
        #expect(call.url.absoluteString == "https://auth.example/v1/accounts:signInWithPassword?key=key-1")
    }

    /// The response of a sign-up does not say it.
    @Test func createdAccountIsNew() async throws {
        application.server.on("accounts:signUp", .tokens("ada"))
        let created = try await application.auth.createUser(withEmail: "ada@example.org", password: "correct horse")
        #expect(created.additionalUserInfo?.isNewUser == true)
        application.server.on("accounts:signUp", .tokens("anna", provider: "anonymous"))
        application.server.on("accounts:lookup", .json(#"{"users":[{"localId":"anna"}]}"#))
        #expect(try await application.auth.signInAnonymously().additionalUserInfo?.isNewUser == true)
        #expect(try await application.auth.signInAnonymously().additionalUserInfo?.isNewUser == false)
    }

    @Test func emptyPasswordIsWrongWithoutARequest() async throws {
        let auth = application.auth
        #expect(await code { try await auth.signIn(withEmail: "ada@example.org", password: "") } == .wrongPassword)
        let user = try await application.signIn()
        let count = application.server.calls.count
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.org", password: "")
        #expect(await code { try await user.reauthenticate(with: credential) } == .wrongPassword)
        #expect(application.server.calls.count == count)
    }

    @Test func unreachableServerIsNamed() async throws {
        application.auth.useEmulator(withHost: "gateway.example", port: 9099)
        application.server.fail("accounts:signInWithPassword", .cannotFindHost)
        let error = await #expect(throws: AuthErrorCode.self) {
            try await application.auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        }
        #expect(error?.code == .networkError)
        #expect(error?.localizedDescription == "gateway.example:9099 cannot be reached.")
    }

    @Test func gameCenterSendsTheSignedIdentity() async throws {
        let identity = GameCenterAuthProvider.Identity(
            teamPlayerID: "T:1", gamePlayerID: "G:1", displayName: "Ada",
            publicKeyURL: try #require(URL(string: "https://static.gc.apple.com/public-key/gc-prod-9.cer")),
            signature: Data([1, 2]), salt: Data([3]), timestamp: 1_700_000_000_000)
        application.server.on("accounts:signInWithGameCenter", .tokens("ada", more: #","isNewUser":true"#))
        let result = try await application.auth.signIn(with: GameCenterAuthProvider.credential(with: identity))
        #expect(result.additionalUserInfo?.isNewUser == true && result.additionalUserInfo?.providerID == "gc.apple.com")
        let call = try #require(application.server.calls.first)
        #expect(call.text("teamPlayerId") == "T:1" && call.text("gamePlayerId") == "G:1")
        #expect(call.text("signature") == "AQI=" && call.text("salt") == "Aw==")
        #expect(call.body["timestamp"] as? Int == 1_700_000_000_000)
        #expect(await code { _ = try await GameCenterAuthProvider.getCredential() } == .gameKitNotLinked)
    }

    @Test func confirmationIsRequired() async throws {
        application.server.on(
            "accounts:signInWithIdp",
            .json(
                """
                {"needConfirmation":true,"email":"ada@example.org","providerId":"facebook.com",\
                "oauthAccessToken":"facebook-token","verifiedProvider":["google.com"]}
                """))
        let error = await #expect(throws: AuthErrorCode.self) { try await application.auth.signIn(with: facebook) }
        #expect(error?.code == .accountExistsWithDifferentCredential)
        #expect(error?.userInfo[AuthErrorUserInfoEmailKey] as? String == "ada@example.org")
        let credential = error?.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? OAuthCredential
        #expect(credential?.provider == "facebook.com" && credential?.accessToken == "facebook-token")
        #expect(application.auth.currentUser == nil)
    }

    @Test func errorMessageIsAnError() async throws {
        application.server.on(
            "accounts:signInWithIdp",
            .json(
                """
                {"errorMessage":"FEDERATED_USER_ID_ALREADY_LINKED : Another account.","email":"ada@example.org",\
                "providerId":"facebook.com","pendingToken":"pending-1"}
                """))
        let error = await #expect(throws: AuthErrorCode.self) { try await application.auth.signIn(with: facebook) }
        #expect(error?.code == .credentialAlreadyInUse)
        #expect(error?.userInfo[AuthErrorUserInfoServerDetailKey] as? String == "Another account.")
        let credential = try #require(error?.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential)
        application.server.on("accounts:signInWithIdp", .tokens("ada"))
        try await application.auth.signIn(with: credential)
        #expect(application.server.calls("accounts:signInWithIdp").last?.text("pendingToken") == "pending-1")
    }

    @Test func temporaryProofIsACredential() async throws {
        application.server.on(
            "accounts:signInWithPhoneNumber", .json(#"{"temporaryProof":"proof-1","phoneNumber":"+15105550101"}"#))
        let provider = PhoneAuthProvider.provider(auth: application.auth)
        let phone = provider.credential(withVerificationID: "id-1", verificationCode: "123456")
        let error = await #expect(throws: AuthErrorCode.self) { try await application.auth.signIn(with: phone) }
        #expect(error?.code == .credentialAlreadyInUse)
        let proof = try #require(error?.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? PhoneAuthCredential)
        application.server.on("accounts:signInWithPhoneNumber", .tokens("bob"))
        try await application.auth.signIn(with: proof)
        let call = try #require(application.server.calls("accounts:signInWithPhoneNumber").last)
        #expect(call.text("temporaryProof") == "proof-1" && call.text("phoneNumber") == "+15105550101")
        #expect(call.body["code"] == nil)
    }

    /// The second factor belongs to the tenant in which the sign-in has begun.
    @Test func secondFactorCompletesTheSignInOfItsTenant() async throws {
        let auth = application.auth
        auth.tenantID = "tenant-1"
        application.server.on(
            "accounts:signInWithPassword",
            .json(
                """
                {"localId":"ada","mfaPendingCredential":"pending-1","mfaInfo":[{"mfaEnrollmentId":"factor-1",\
                "displayName":"Phone","phoneInfo":"+*******0101","enrolledAt":"2026-03-02T09:14:07.120394Z"},\
                {"mfaEnrollmentId":"factor-2","totpInfo":{}},{"mfaEnrollmentId":"factor-3"}]}
                """))
        let error = await #expect(throws: AuthErrorCode.self) {
            try await auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        }
        #expect(error?.code == .secondFactorRequired)
        #expect(auth.currentUser == nil)
        let resolver = try #require(
            error?.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver)
        #expect(resolver.hints.map(\.factorID) == ["phone", "totp", "unknown"])
        #expect(resolver.hints.map(\.uid) == ["factor-1", "factor-2", "factor-3"])
        let phone = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
        #expect(phone.phoneNumber == "+*******0101")
        #expect(abs(phone.enrollmentDate.timeIntervalSince1970 - 1_772_442_847.120394) < 0.001)

        auth.tenantID = nil
        application.server.on("mfaSignIn:start", .json(#"{"phoneResponseInfo":{"sessionInfo":"session-1"}}"#))
        let provider = PhoneAuthProvider.provider(auth: auth)
        let id = try await provider.verifyPhoneNumber(with: phone, multiFactorSession: resolver.session)
        #expect(id == "session-1")
        application.server.on("mfaSignIn:finalize", .tokens("ada"))
        let credential = provider.credential(withVerificationID: id, verificationCode: "123456")
        let result = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
        #expect(result.user.uid == "ada" && auth.currentUser === result.user)
        for name in ["mfaSignIn:start", "mfaSignIn:finalize"] {
            let call = try #require(application.server.calls(name).last)
            #expect(call.text("tenantId") == "tenant-1" && call.text("mfaPendingCredential") == "pending-1")
        }
    }

    @Test func enrollmentSessionIsNoSignIn() async throws {
        let user = try await application.signIn()
        let session = try await user.multiFactor.session()
        let provider = PhoneAuthProvider.provider(auth: application.auth)
        let factor = PhoneMultiFactorInfo(FactorRecord(mfaEnrollmentId: "factor-1"), phoneNumber: "+1")
        #expect(
            await code { try await provider.verifyPhoneNumber(with: factor, multiFactorSession: session) }
                == .invalidMultiFactorSession)
        #expect(
            await code { try await provider.verifyPhoneNumber(with: factor, multiFactorSession: nil) }
                == .missingMultiFactorSession)
        #expect(await code { try await provider.verifyPhoneNumber("") } == .missingPhoneNumber)
    }

    @Test func anonymousUserStays() async throws {
        application.server.on("accounts:signUp", .tokens("anna", provider: "anonymous"))
        application.server.on("accounts:lookup", .json(#"{"users":[{"localId":"anna"}]}"#))
        let first = try await application.auth.signInAnonymously()
        #expect(first.user.isAnonymous)
        let second = try await application.auth.signInAnonymously()
        #expect(first.user === second.user)
        #expect(application.server.calls("accounts:signUp").count == 1)
    }

    /// Incomplete or malformed responses cannot be used to sign in.
    @Test(arguments: [
        "{}", "[]", "null", "", #"{"idToken":"a.b.c"}"#, #"{"idToken":"","refreshToken":"r"}"#,
        #"{"idToken":7,"refreshToken":"r"}"#, #"{"refreshToken":"r","localId":"ada"}"#,
    ])
    func malformedResponseIsAnError(body: String) async throws {
        application.server.on("accounts:signInWithPassword", .json(body))
        #expect(
            await code { try await application.auth.signIn(withEmail: "a@example.org", password: "b") }
                == .internalError)
        #expect(application.auth.currentUser == nil && application.storage.saves == 0)
    }

    @Test(arguments: [
        (#"{}"#, AuthErrorCode.userNotFound), (#"{"users":[]}"#, .userNotFound),
        (#"{"users":[{}]}"#, .internalError),
    ])
    func accountMustExist(lookup: String, expected: AuthErrorCode) async throws {
        application.server.on("accounts:lookup", .json(lookup))
        #expect(await code { try await application.signIn() } == expected)
        #expect(application.auth.currentUser == nil)
    }

    @Test func profileOfTheProviderIsReturned() async throws {
        application.server.on(
            "accounts:signInWithIdp",
            .tokens(
                "ada", provider: "facebook.com",
                more: """
                    ,"providerId":"facebook.com","isNewUser":true,"screenName":"ada","oauthAccessToken":"token-1",\
                    "rawUserInfo":"{\\"name\\":\\"Ada\\",\\"age\\":36,\\"tags\\":[1.5,true,null]}"
                    """))
        let result = try await application.auth.signIn(with: facebook)
        let info = try #require(result.additionalUserInfo)
        #expect(info.isNewUser && info.username == "ada" && info.providerID == "facebook.com")
        #expect(info.profile?["name"] as? String == "Ada" && info.profile?["age"] as? Int == 36)
        #expect(result.credential?.accessToken == "token-1")
    }
}
