import Foundation
import Testing

@testable import LatchkeyAuth

/// Changes of the account of a user.
struct UserTests {
    let application = TestApplication()
    var server: ScriptedServer { application.server }

    private let password = EmailAuthProvider.credential(withEmail: "ada@example.org", password: "correct horse")

    @Test func unsetMembersOfAProfileStay() async throws {
        let user = try await application.signIn()
        server.on("accounts:update", .json("{}"))
        let change = user.createProfileChangeRequest()
        change.displayName = "Ada"
        try await change.commitChanges()
        let call = try #require(server.calls("accounts:update").last)
        #expect(call.text("displayName") == "Ada" && call.text("idToken") == TestToken.id("ada", 1))
        #expect(call.body["photoUrl"] == nil && call.body["deleteAttribute"] == nil && call.body["password"] == nil)
    }

    @Test func nilRemovesAMemberOfAProfile() async throws {
        let user = try await application.signIn()
        server.on("accounts:update", .json("{}"))
        let change = user.createProfileChangeRequest()
        change.displayName = nil
        change.photoURL = nil
        try await change.commitChanges()
        let call = try #require(server.calls("accounts:update").last)
        #expect(call.body["deleteAttribute"] as? [any Sendable] as? [String] == ["DISPLAY_NAME", "PHOTO_URL"])
        #expect(call.body["displayName"] == nil && call.body["photoUrl"] == nil)
        change.displayName = "Ada"
        change.photoURL = URL(string: "https://example.org/ada")
        #expect(change.displayName == "Ada")
        try await change.commitChanges()
        let next = try #require(server.calls("accounts:update").last)
        #expect(next.text("photoUrl") == "https://example.org/ada" && next.body["deleteAttribute"] == nil)
    }

    @Test func downloadIsTheDocumentOfTheServer() async throws {
        let user = try await application.signIn()
        server.on("accounts:download", .json(#"{"sessions":[{"device":"curl"}],"account":{"localId":"ada","n":1}}"#))
        let document = try #require(JSONObject(try await user.downloadAccount()))
        #expect((document.members["account"] as? [String: any Sendable])?["localId"] as? String == "ada")
        #expect(Set(document.members.keys) == ["account", "sessions"])
        #expect(server.calls("accounts:download").last?.text("idToken") == TestToken.id("ada", 1))
        server.on("accounts:download", .refusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN"))
        await #expect(throws: AuthErrorCode(.requiresRecentLogin)) { try await user.downloadAccount() }
    }

    // MARK: Credentials

    @Test func linkSendsTheTokenAndTheTenantOfTheUser() async throws {
        application.auth.tenantID = "tenant-1"
        server.on("accounts:lookup", .account("ada", more: #","tenantId":"tenant-1""#))
        let user = try await application.signIn()
        application.auth.tenantID = "tenant-2"
        server.on("accounts:signInWithIdp", .tokens("ada", 2))
        let result = try await user.link(with: FacebookAuthProvider.credential(withAccessToken: "token-1"))
        #expect(result.user === user && user.refreshToken == TestToken.refresh("ada", 2))
        let call = try #require(server.calls("accounts:signInWithIdp").last)
        #expect(call.text("idToken") == TestToken.id("ada", 1) && call.text("tenantId") == "tenant-1")
        #expect(call.text("postBody") == "providerId=facebook.com&access_token=token-1")
        server.on("accounts:signInWithPassword", .tokens("ada", 3))
        try await user.reauthenticate(with: password)
        #expect(server.calls("accounts:signInWithPassword").last?.text("tenantId") == "tenant-1")
    }

    @Test func linkedProviderIsRefused() async throws {
        server.on("accounts:lookup", .account("ada", more: #","providerUserInfo":[{"providerId":"password"}]"#))
        let user = try await application.signIn()
        #expect(await code { try await user.link(with: password) } == .providerAlreadyLinked)
        #expect(await code { try await user.unlink(fromProvider: "facebook.com") } == .noSuchProvider)
        server.on("accounts:update", .json("{}"))
        server.on("accounts:lookup", .account("ada"))
        try await user.unlink(fromProvider: "password")
        let call = try #require(server.calls("accounts:update").last)
        #expect(call.body["deleteProvider"] as? [any Sendable] as? [String] == ["password"])
        #expect(user.providerData.isEmpty)
    }

    @Test func linkOfAnotherAccountIsRefused() async throws {
        let user = try await application.signIn()
        server.on("accounts:signInWithIdp", .tokens("bob", 2))
        #expect(
            await code { try await user.link(with: FacebookAuthProvider.credential(withAccessToken: "t")) }
                == .userMismatch)
        #expect(user.refreshToken == TestToken.refresh("ada", 1))
    }

    @Test(arguments: ["bob", "unknown"])
    func reauthenticationAsAnotherUserIsRefused(other: String) async throws {
        let user = try await application.signIn()
        server.on("accounts:signInWithPassword", other == "bob" ? .tokens("bob") : .refusal("EMAIL_NOT_FOUND"))
        #expect(await code { try await user.reauthenticate(with: password) } == .userMismatch)
        #expect(application.auth.currentUser === user && user.uid == "ada")
        #expect(user.refreshToken == TestToken.refresh("ada", 1))
    }

    @Test func reauthenticationKeepsTheObject() async throws {
        let user = try await application.signIn()
        server.on("accounts:signInWithPassword", .tokens("ada", 2))
        #expect(try await user.reauthenticate(with: password).user === user)
        #expect(application.auth.currentUser === user)
        #expect(application.storage.text.contains(TestToken.refresh("ada", 2)))
    }

    @Test func phoneNumberIsReplaced() async throws {
        server.on("accounts:lookup", .account("ada", more: #","providerUserInfo":[{"providerId":"phone"}]"#))
        let user = try await application.signIn()
        server.on("accounts:signInWithPhoneNumber", .tokens("ada", 2))
        let provider = PhoneAuthProvider.provider(auth: application.auth)
        try await user.updatePhoneNumber(
            provider.credential(withVerificationID: "session-1", verificationCode: "123456"))
        let call = try #require(server.calls("accounts:signInWithPhoneNumber").last)
        #expect(call.text("operation") == "UPDATE" && call.text("idToken") == TestToken.id("ada", 1))
    }

    // MARK: The end of a session

    @Test func deletionSignsTheUserOut() async throws {
        let user = try await application.signIn()
        server.on("accounts:delete", .refusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN"), .json("{}"))
        #expect(await code { try await user.delete() } == .requiresRecentLogin)
        #expect(application.auth.currentUser === user)
        try await user.delete()
        #expect(application.auth.currentUser == nil && application.storage.data == nil)
    }

    @Test func reloadOfADeletedAccountSignsTheUserOut() async throws {
        let user = try await application.signIn()
        server.on("accounts:lookup", .refusal("USER_NOT_FOUND"))
        #expect(await code { try await user.reload() } == .userNotFound)
        #expect(application.auth.currentUser == nil)
    }

    @Test func reloadNeverChangesTheAccount() async throws {
        let user = try await application.signIn()
        server.on("accounts:lookup", .account("bob"))
        #expect(await code { try await user.reload() } == .userMismatch)
        #expect(user.uid == "ada")
    }

    /// The response of an earlier lookup arrives after that of a later one.
    @Test func lateLookupDoesNotReplaceANewerOne() async throws {
        let user = try await application.signIn()
        let (arrived, released) = (Gate(), Gate())
        server.on("accounts:lookup") { _ in
            arrived.open()
            await released.wait()
            return .account("ada", more: #","displayName":"Old""#)
        }
        let early = Task { try await user.reload() }
        await arrived.wait()
        server.on("accounts:lookup", .account("ada", more: #","displayName":"New""#))
        try await user.reload()
        released.open()
        try await early.value
        #expect(user.displayName == "New")
    }

    @Test func removalOfTheOwnFactorSignsTheUserOut() async throws {
        server.on(
            "accounts:lookup",
            .account("ada", more: #","mfaInfo":[{"mfaEnrollmentId":"factor-1","totpInfo":{}}]"#))
        let user = try await application.signIn()
        let factor = try #require(user.multiFactor.enrolledFactors.first)
        server.on("mfaEnrollment:withdraw", .json("{}"))
        server.on("token", .refusal("TOKEN_EXPIRED : Sign in again."))
        let error = await #expect(throws: AuthErrorCode.self) { try await user.multiFactor.unenroll(with: factor) }
        #expect(error?.code == .invalidUserToken)
        #expect(error?.userInfo[AuthErrorUserInfoNameKey] as? String == "ERROR_INVALID_USER_TOKEN")
        #expect(error?.userInfo[AuthErrorUserInfoServerCodeKey] as? String == "TOKEN_EXPIRED")
        #expect(application.auth.currentUser == nil)
        #expect(server.calls("mfaEnrollment:withdraw").last?.text("mfaEnrollmentId") == "factor-1")
    }

    @Test func removalOfAnotherFactorKeepsTheSession() async throws {
        let user = try await application.signIn()
        server.on("mfaEnrollment:withdraw", .tokens("ada", 2))
        try await user.multiFactor.unenroll(withFactorUID: "factor-1")
        #expect(application.auth.currentUser === user && user.refreshToken == TestToken.refresh("ada", 2))
    }

    @Test func authenticatorAppIsEnrolled() async throws {
        let user = try await application.signIn()
        server.on(
            "mfaEnrollment:start",
            .json(
                """
                {"totpSessionInfo":{"sharedSecretKey":"JBSWY3DP","verificationCodeLength":6,"hashingAlgorithm":"SHA1",\
                "periodSec":30,"sessionInfo":"session-1","finalizeEnrollmentTime":"2026-03-02T09:14:07.120394Z"}}
                """))
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        #expect(secret.sharedSecretKey() == "JBSWY3DP" && secret.enrollmentCompletionDeadline != nil)
        #expect(
            secret.generateQRCodeURL(withAccountName: "a:b@c", issuer: "My App")
                == "otpauth://totp/My%20App:a%3Ab%40c?secret=JBSWY3DP&issuer=My%20App&algorithm=SHA1&digits=6&period=30"
        )
        server.on("mfaEnrollment:finalize", .tokens("ada", 2))
        let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "123456")
        try await user.multiFactor.enroll(with: assertion, displayName: "App")
        let call = try #require(server.calls("mfaEnrollment:finalize").last)
        let info = call.body["totpVerificationInfo"] as? [String: any Sendable]
        #expect(info?["sessionInfo"] as? String == "session-1" && info?["verificationCode"] as? String == "123456")
        #expect(user.refreshToken == TestToken.refresh("ada", 2))
        let signIn = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "f", oneTimePassword: "1")
        #expect(
            await code { try await user.multiFactor.enroll(with: signIn, displayName: nil) }
                == .invalidMultiFactorSession)
    }

    // MARK: Other users

    @Test func userOfAnotherTenantIsRefused() async throws {
        let ada = try await application.signIn("ada")
        let bob = try await application.signIn("bob")
        try await application.auth.updateCurrentUser(ada)
        #expect(application.auth.currentUser === ada)
        application.auth.tenantID = "tenant-1"
        #expect(await code { try await application.auth.updateCurrentUser(bob) } == .tenantIDMismatch)
        #expect(application.auth.currentUser === ada)
    }

    @Test func userOfAnotherApplicationIsCopied() async throws {
        let ada = try await application.signIn("ada")
        let other = TestApplication()
        try await other.auth.updateCurrentUser(ada)
        let copy = try #require(other.auth.currentUser)
        #expect(copy !== ada && copy.uid == "ada" && copy.refreshToken == ada.refreshToken)
        try other.auth.signOut()
        #expect(application.auth.currentUser === ada)
    }

    @Test func completionHandlerReceivesTheError() async throws {
        let error = await withCheckedContinuation { done in
            application.auth.updateCurrentUser(nil) { error in done.resume(returning: error) }
        }
        #expect((error as? AuthErrorCode)?.code == .nullUser)
    }

    @Test func codeOfAnEmailIsInspected() async throws {
        server.on(
            "accounts:resetPassword",
            .json(#"{"requestType":"VERIFY_AND_CHANGE_EMAIL","email":"a@example.org","newEmail":"b@example.org"}"#))
        let info = try await application.auth.checkActionCode("code-1")
        #expect(info.operation == .verifyAndChangeEmail && info.email == "b@example.org")
        #expect(info.previousEmail == "a@example.org")
        #expect(await code { _ = try await application.auth.verifyPasswordResetCode("code-1") } == .invalidActionCode)
        server.on("accounts:resetPassword", .json(#"{"requestType":"NEW_KIND"}"#))
        #expect(try await application.auth.checkActionCode("code-1").operation == .unknown)
    }
}
