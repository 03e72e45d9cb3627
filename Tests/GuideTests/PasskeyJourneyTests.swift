import Foundation
import JSON
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension GuideTests {
    @Suite struct PasskeyJourneyTests {
        private static let services = "gateway,identity,passkey"

        @Test(arguments: Form.allCases)
        func passkeyIsAddedUsedAndRemoved(form: Form) async throws {
            try await GuideApplication.running(Self.services) { application in
                let person = TestUser()
                let new = try await application.signUp(person)
                let guide = PasskeyGuide(device: try PasskeyDevice(person: person))
                switch form {
                case .async: _ = try await guide.addPasskey(withName: "Telephone")
                case .completionHandlers:
                    _ = try await completion { guide.addPasskey(withName: "Telephone", completion: $0) }
                }
                #expect(new.user.enrolledPasskeys?.map(\.name) == ["Telephone"])

                application.start()
                let result =
                    switch form {
                    case .async: try await guide.signIn()
                    case .completionHandlers: try await completion { guide.signIn(completion: $0) }
                    }
                #expect(result.user.uid == new.user.uid)
                #expect(result.additionalUserInfo?.isNewUser == false)
                #expect(try await result.user.getIDTokenResult().signInProvider == "passkey")

                switch form {
                case .async: try await guide.removePasskey(at: 0)
                case .completionHandlers: try await completion { guide.removePasskey(at: 0, completion: $0) }
                }
                #expect(result.user.enrolledPasskeys == nil)
                let error = await #expect(throws: AuthErrorCode.self) { try await guide.signIn() }
                #expect(
                    error?.userInfo[AuthErrorUserInfoServerCodeKey] as? String == "PASSKEY_ENROLLMENT_NOT_FOUND")
            }
        }

        @Test(arguments: Form.allCases)
        func passkeyIsOfferedInEveryStyle(form: Form) async throws {
            try await GuideApplication.running(Self.services) { application in
                let person = TestUser()
                let new = try await application.signUp(person)
                let guide = PasskeyGuide(device: try PasskeyDevice(person: person))
                #expect(try await guide.signIn(.silentFallback) == nil)
                await confirmation { formIsShown in
                    await withCheckedContinuation { continuation in
                        Task { @MainActor in
                            guide.signIn(
                                .silentFallback,
                                showSignInForm: {
                                    formIsShown()
                                    continuation.resume()
                                }, completion: { _, error in Issue.record("The device used a credential. \(error)") })
                        }
                    }
                }
                _ = try await guide.addPasskey(withName: "Telephone")
                let styles: [PasskeySignInStyle] = [
                    .autoFill, .modal(), .modal(userName: person.email), .silentFallback, .combined,
                ]
                for style in styles {
                    application.start()
                    let result = try await signIn(guide, style, form)
                    #expect(result.user.uid == new.user.uid, "\(style)")
                }
            }
        }

        @Test(arguments: CredentialRequest.Kind.allCases, Form.allCases)
        func combinedRequestCompletesWithEachKind(kind: CredentialRequest.Kind, form: Form) async throws {
            try await FakeProviders.running { providers in
                try await GuideApplication.running(
                    "gateway,identity,federation,passkey",
                    environment: ["LATCHKEY_DEV_ENDPOINTS": providers.endpoints]
                ) { application in
                    try await application.enableProvider("apple.com")
                    let person = TestUser()
                    let device = try PasskeyDevice(person: person) { hashedNonce in
                        try providers.token(
                            issuer: "https://appleid.apple.com",
                            at: Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)),
                            ["sub": .string("apple-1"), "nonce": .string(hashedNonce)])
                    }
                    let guide = PasskeyGuide(device: device)
                    let new = try await application.signUp(person)
                    _ = try await guide.addPasskey(withName: "Telephone")

                    application.start()
                    device.choose(kind)
                    let result = try await signIn(guide, .combined, form)
                    let provider = try await result.user.getIDTokenResult().signInProvider
                    switch kind {
                    case .passkey:
                        #expect(result.user.uid == new.user.uid)
                        #expect(provider == "passkey")
                    case .password:
                        #expect(result.user.uid == new.user.uid)
                        #expect(provider == "password")
                    case .apple:
                        #expect(result.additionalUserInfo?.isNewUser == true)
                        #expect(provider == "apple.com")
                    }
                }
            }
        }

        private func signIn(_ guide: PasskeyGuide, _ style: PasskeySignInStyle, _ form: Form) async throws
            -> AuthDataResult
        {
            switch form {
            case .async: try #require(try await guide.signIn(style))
            case .completionHandlers:
                try await completion { completion in
                    guide.signIn(
                        style, showSignInForm: { completion(nil, UnexpectedKindError()) }, completion: completion)
                }
            }
        }
    }
}
