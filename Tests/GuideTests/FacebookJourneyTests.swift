import Foundation
import JSON
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension GuideTests {
    @Suite struct FacebookJourneyTests {
        /// How the user signs in at Facebook.
        enum Login: CaseIterable {
            case classic, limited
        }

        private static let phoneNumber = "+12025550103"
        /// The user of every access token that begins with `EAA`.
        private static let facebookID = "4711"

        @Test(arguments: Login.allCases, Form.allCases)
        func facebookUserSignsInWithPhone(login: Login, form: Form) async throws {
            try await FakeProviders.running { providers in
                try await GuideApplication.running(
                    "gateway,identity,federation,mfa-sms,notifier",
                    environment: ["LATCHKEY_DEV_ENDPOINTS": providers.endpoints]
                ) { application in
                    try await application.enablePhones()
                    try await application.enableProvider("facebook.com")
                    let guide = await FacebookGuide(
                        screen: GuideScreen { message in
                            message.hasPrefix("Select factor")
                                ? "telephone" : try await application.smsCode(to: Self.phoneNumber)
                        })

                    let new = try await signIn(guide, login, form, providers)
                    #expect(new.additionalUserInfo?.isNewUser == true)
                    #expect(new.user.providerData.map(\.providerID) == ["facebook.com"])
                    #expect(new.user.providerData.map(\.uid) == [Self.facebookID])
                    try await application.verifyAddress(of: new.user)
                    try await SMSGuide(screen: guide.screen)
                        .enroll(phoneNumber: Self.phoneNumber, displayName: "telephone")

                    application.start()
                    let result = try await signIn(guide, login, form, providers)
                    #expect(result.user.uid == new.user.uid)
                    let info = try #require(result.additionalUserInfo)
                    #expect(info.providerID == "facebook.com")
                    #expect(!info.isNewUser)
                    let credential = try #require(result.credential)
                    #expect(credential.provider == "facebook.com")
                    switch login {
                    case .classic:
                        #expect(info.profile?["name"] as? String == "Fay Book")
                        #expect(credential.accessToken?.hasPrefix("EAA") == true)
                    case .limited:
                        #expect(info.profile?["sub"] as? String == Self.facebookID)
                        #expect(credential.idToken != nil)
                    }
                    let token = try await result.user.getIDTokenResult()
                    #expect(token.signInProvider == "facebook.com")
                    #expect(token.signInSecondFactor == PhoneMultiFactorID)
                }
            }
        }

        @Test(arguments: Form.allCases)
        func limitedLoginWithOtherNonceIsRejected(form: Form) async throws {
            try await FakeProviders.running { providers in
                try await GuideApplication.running(
                    "gateway,identity,federation", environment: ["LATCHKEY_DEV_ENDPOINTS": providers.endpoints]
                ) { application in
                    try await application.enableProvider("facebook.com")
                    let guide = await FacebookGuide(screen: GuideScreen { _ in throw MissingResultError() })
                    let idToken = try limitedLoginToken(nonce: await guide.setupLoginButton(), providers)
                    _ = await guide.setupLoginButton()
                    let credential = await guide.limitedCredential(idTokenString: idToken)
                    await #expect(throws: AuthErrorCode(.missingOrInvalidNonce)) {
                        try await signIn(guide, credential, form)
                    }
                    #expect(await guide.screen.messages.count == 1)
                    #expect(Auth.auth().currentUser == nil)
                }
            }
        }

        private func signIn(
            _ guide: FacebookGuide, _ login: Login, _ form: Form, _ providers: FakeProviders
        ) async throws -> AuthDataResult {
            switch login {
            case .classic:
                try await signIn(guide, guide.classicCredential(tokenString: "EAA\(UUID().uuidString)"), form)
            case .limited:
                try await signIn(
                    guide,
                    guide.limitedCredential(
                        idTokenString: limitedLoginToken(nonce: guide.setupLoginButton(), providers)), form)
            }
        }

        private func signIn(
            _ guide: FacebookGuide, _ credential: AuthCredential, _ form: Form
        ) async throws -> AuthDataResult {
            switch form {
            case .async: try await guide.signIn(with: credential)
            case .completionHandlers: try await completion { guide.signIn(with: credential, completion: $0) }
            }
        }

        private func limitedLoginToken(nonce: String, _ providers: FakeProviders) throws -> String {
            try providers.token(
                issuer: "https://www.facebook.com",
                at: Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)),
                [
                    "sub": .string(Self.facebookID), "nonce": .string(nonce), "email": .string("fay@example.com"),
                    "name": .string("Fay Book"),
                ])
        }
    }
}
