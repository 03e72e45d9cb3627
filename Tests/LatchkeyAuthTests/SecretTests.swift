import Foundation
import Testing

@testable import LatchkeyAuth

/// No description, error or reflection of a public type shows a token, a password or a code.
struct SecretTests {
    let application = TestApplication()

    /// Every text that must not be shown.
    private static let secrets = [
        "correct horse", "secret-", "refresh-ada", "device-1", TestToken.id("ada", 1), "JBSWY3DP", "123456",
    ]

    private func expectSilence(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(value, to: &dumped)
        let texts = [
            String(describing: value), String(reflecting: value), "\(Mirror(reflecting: value).children)", dumped,
        ]
        for text in texts {
            for secret in Self.secrets {
                #expect(!text.contains(secret), "\(type(of: value)) shows \(secret)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func usersAndResultsAreSilent() async throws {
        application.server.on(
            "accounts:lookup", .json(#"{"users":[{"localId":"ada"}]}"#, headers: ["X-Latchkey-Device": "device-1"]))
        let user = try await application.signIn()
        expectSilence(user)
        expectSilence(application.auth)
        expectSilence(user.multiFactor)
        expectSilence(try await user.multiFactor.session())
        expectSilence(try await user.getIDTokenResult())
        application.server.on(
            "accounts:signInWithIdp",
            .tokens("ada", more: #","providerId":"facebook.com","oauthAccessToken":"secret-access""#))
        let result = try await application.auth.signIn(
            with: FacebookAuthProvider.credential(withAccessToken: "secret-a"))
        #expect(result.credential?.accessToken == "secret-access")
        expectSilence(result)
        let app = LatchkeyApp(
            name: "silent", options: application.auth.server.options, persistence: .memory,
            transport: application.server.transport, clock: application.time.clock)
        try await app.auth.updateCurrentUser(user)
        expectSilence(app)
    }

    @Test func credentialsAreSilent() throws {
        let phone = PhoneAuthProvider.provider(auth: application.auth).credential(
            withVerificationID: "secret-id", verificationCode: "123456")
        let oidc = OAuthProvider.credential(
            withProviderID: "oidc.example", idToken: "secret-id", rawNonce: "secret-nonce", accessToken: "secret-access"
        )
        expectSilence(EmailAuthProvider.credential(withEmail: "ada@example.org", password: "correct horse"))
        expectSilence(
            EmailAuthProvider.credential(withEmail: "ada@example.org", link: "https://x/?oobCode=secret-code"))
        expectSilence(phone)
        expectSilence(oidc)
        expectSilence(PhoneMultiFactorGenerator.assertion(with: phone))
        expectSilence(TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "f", oneTimePassword: "123456"))
        expectSilence(RecoveryCodeGenerator.assertionForSignIn(withRecoveryCode: "secret-recovery"))
        let session = StartTOTPEnrollmentRequest.Session(
            sharedSecretKey: "JBSWY3DP", verificationCodeLength: 6, hashingAlgorithm: "SHA1", periodSec: 30,
            sessionInfo: "secret-session", finalizeEnrollmentTime: "")
        expectSilence(TOTPSecret(session))
        expectSilence(
            TOTPMultiFactorGenerator.assertionForEnrollment(with: TOTPSecret(session), oneTimePassword: "123456"))
        expectSilence(try #require(ActionCodeURL(link: "https://x/?mode=signIn&oobCode=secret-code")))
    }

    @Test func errorsAreSilent() async throws {
        application.server.on(
            "accounts:signInWithPassword", .json(#"{"localId":"ada","mfaPendingCredential":"secret-pending"}"#))
        let pending = await #expect(throws: AuthErrorCode.self) {
            try await application.auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        }
        application.server.on(
            "accounts:signInWithIdp",
            .json(#"{"needConfirmation":true,"providerId":"facebook.com","oauthAccessToken":"secret-access"}"#))
        let collision = await #expect(throws: AuthErrorCode.self) {
            try await application.auth.signIn(with: FacebookAuthProvider.credential(withAccessToken: "secret-a"))
        }
        application.server.fail("accounts:signInWithPassword", .timedOut)
        let network = await #expect(throws: AuthErrorCode.self) {
            try await application.auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        }
        application.server.on("accounts:signInWithPassword", .json(#"{"idToken":"secret-id","refreshToken":7}"#))
        let malformed = await #expect(throws: AuthErrorCode.self) {
            try await application.auth.signIn(withEmail: "ada@example.org", password: "correct horse")
        }
        for error in [pending, collision, network, malformed] {
            let error = try #require(error)
            expectSilence(error)
            expectSilence(error as any Error as NSError)
            expectSilence((error as any Error as NSError).userInfo)
            expectSilence(error.localizedDescription)
        }
        #expect(pending?.code == .secondFactorRequired && collision?.code == .accountExistsWithDifferentCredential)
    }
}
