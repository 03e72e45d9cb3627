import Foundation
import Testing

@testable import LatchkeyAuth

/// Six digits by e-mail.
struct EmailCodeTests {
    let application = TestApplication()

    @Test func codeSignsIn() async throws {
        let auth = application.auth
        auth.tenantID = "tenant-1"
        application.server.on("accounts:sendEmailCode", .json(#"{"sessionInfo":"session-1"}"#))
        application.server.on("accounts:signInWithEmailCode", .tokens("ada"))
        let verificationID = try await auth.sendSignInCode(toEmail: "ada@example.org")
        let result = try await auth.signIn(withEmailCode: "012345", verificationID: verificationID)
        #expect(auth.currentUser === result.user && result.user.uid == "ada")
        let sent = try #require(application.server.calls("accounts:sendEmailCode").first)
        #expect(sent.text("purpose") == "SIGN_IN" && sent.text("email") == "ada@example.org")
        #expect(sent.text("tenantId") == "tenant-1" && sent.body["idToken"] == nil)
        let call = try #require(application.server.calls("accounts:signInWithEmailCode").first)
        #expect(call.text("sessionInfo") == "session-1" && call.text("code") == "012345")
        #expect(call.text("tenantId") == "tenant-1" && call.body["idToken"] == nil)
    }

    @Test func codeLinksAddressToUser() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:signInWithEmailCode", .tokens("ada", 2))
        let credential = EmailAuthProvider.credential(withVerificationID: "session-1", emailCode: "012345")
        #expect(credential.provider == "password" && !"\(credential)".contains("012345"))
        _ = try await user.link(with: credential)
        #expect(
            application.server.calls("accounts:signInWithEmailCode").first?.text("idToken") == TestToken.id("ada", 1))
    }

    @Test func codeVerifiesAddress() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:sendEmailCode", .json(#"{"sessionInfo":"session-1"}"#))
        application.server.on(
            "accounts:verifyEmailWithCode",
            .json(#"{"localId":"ada","email":"ada@example.org","emailVerified":true}"#))
        application.server.on("accounts:lookup", .account("ada", more: #","emailVerified":true"#))
        let verificationID = try await user.sendEmailVerificationCode()
        try await user.verifyEmail(withCode: "012345", verificationID: verificationID)
        #expect(user.isEmailVerified)
        let sent = try #require(application.server.calls("accounts:sendEmailCode").first)
        #expect(sent.text("purpose") == "VERIFY_EMAIL" && sent.text("idToken") == TestToken.id("ada", 1))
        #expect(sent.body["email"] == nil)
        let call = try #require(application.server.calls("accounts:verifyEmailWithCode").first)
        #expect(call.text("sessionInfo") == "session-1" && call.text("code") == "012345")
    }

    @Test func codeVerifiesAddressWithCompletionHandlers() async throws {
        let user = try await application.signIn()
        application.server.on("accounts:sendEmailCode", .json(#"{"sessionInfo":"session-1"}"#))
        application.server.on("accounts:verifyEmailWithCode", .json("{}"))
        let verificationID = await withCheckedContinuation { continuation in
            user.sendEmailVerificationCode { id, _ in continuation.resume(returning: id) }
        }
        #expect(verificationID == "session-1")
        let error = await withCheckedContinuation { continuation in
            user.verifyEmail(withCode: "012345", verificationID: "session-1") {
                continuation.resume(returning: $0 != nil)
            }
        }
        #expect(!error && application.server.calls("accounts:verifyEmailWithCode").count == 1)
    }

    @Test(arguments: [
        ("INVALID_CODE", AuthErrorCode.Code.invalidVerificationCode), ("SESSION_EXPIRED", .sessionExpired),
        ("INVALID_SESSION_INFO", .invalidVerificationID), ("TOO_MANY_ATTEMPTS_TRY_LATER", .tooManyRequests),
        ("OPERATION_NOT_ALLOWED", .operationNotAllowed), ("QUOTA_EXCEEDED", .quotaExceeded),
    ])
    func refusalHasItsCode(text: String, expected: AuthErrorCode.Code) async throws {
        application.server.on("accounts:signInWithEmailCode", .refusal(text))
        let found = await code {
            _ = try await application.auth.signIn(withEmailCode: "012345", verificationID: "session-1")
        }
        #expect(found == expected)
    }

    /// Each try is counted, so a request that the server may have received is not sent again.
    @Test func codeIsSentOnce() async throws {
        application.server.fail("accounts:signInWithEmailCode", .timedOut)
        let found = await code {
            _ = try await application.auth.signIn(withEmailCode: "012345", verificationID: "session-1")
        }
        #expect(found == .networkError)
        #expect(application.server.calls("accounts:signInWithEmailCode").count == 1)
    }
}
