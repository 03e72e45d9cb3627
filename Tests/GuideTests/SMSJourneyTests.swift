import LatchkeyAuth
import TestSupport
import Testing

extension GuideTests {
    @Suite struct SMSJourneyTests {
        private static let services = "gateway,identity,mfa-sms,notifier"
        private static let phoneNumber = "+12025550101"

        @Test(arguments: Form.allCases)
        func phoneIsEnrolledAndUsed(form: Form) async throws {
            try await GuideApplication.running(Self.services) { application in
                try await application.enablePhones()
                let person = TestUser()
                let enrolled = try await application.signUpVerified(person)
                let guide = await SMSGuide(
                    screen: GuideScreen { _ in try await application.smsCode(to: Self.phoneNumber) })
                switch form {
                case .async:
                    try await guide.enroll(phoneNumber: Self.phoneNumber, displayName: "telephone")
                case .completionHandlers:
                    try await completion {
                        guide.enroll(phoneNumber: Self.phoneNumber, displayName: "telephone", completion: $0)
                    }
                }
                let factor = try #require(enrolled.user.multiFactor.enrolledFactors.first as? PhoneMultiFactorInfo)
                #expect(factor.displayName == "telephone")
                #expect(factor.phoneNumber == Self.phoneNumber)

                application.start()
                let result =
                    switch form {
                    case .async:
                        try await guide.signIn(email: person.email, password: person.password, selectedIndex: 0)
                    case .completionHandlers:
                        try await completion {
                            guide.signIn(
                                email: person.email, password: person.password, selectedIndex: 0, completion: $0)
                        }
                    }
                #expect(result.user.uid == enrolled.user.uid)
                #expect(result.credential == nil)
                #expect(Auth.auth().currentUser == result.user)
                let token = try await result.user.getIDTokenResult()
                #expect(token.signInProvider == "password")
                #expect(token.signInSecondFactor == PhoneMultiFactorID)
            }
        }

        @Test func phoneIsEnrolledAndUsedInSteps() async throws {
            try await GuideApplication.running(Self.services) { application in
                try await application.enablePhones()
                let person = TestUser()
                let enrolled = try await application.signUpVerified(person)
                let guide = await SMSGuide(screen: GuideScreen { _ in throw MissingResultError() })
                let enrollment = try await completion {
                    guide.sendEnrollmentCode(enrolled, phoneNumber: Self.phoneNumber, completion: $0)
                }
                let enrollmentCode = try await application.smsCode(to: Self.phoneNumber)
                try await completion {
                    guide.finishEnrollment(
                        enrolled.user, verificationId: enrollment, verificationCode: enrollmentCode,
                        displayName: nil, completion: $0)
                }

                application.start()
                let resolver = try await completion {
                    guide.resolver(withEmail: person.email, password: person.password, completion: $0)
                }
                let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
                #expect(hint.phoneNumber == "+*******" + Self.phoneNumber.suffix(4))
                #expect(Auth.auth().currentUser == nil)
                let signIn = try await completion { guide.sendSignInCode(resolver, selectedIndex: 0, completion: $0) }
                let signInCode = try await application.smsCode(to: Self.phoneNumber)
                let result = try await completion {
                    guide.finishSignIn(
                        resolver, verificationId: signIn, verificationCodeFromUser: signInCode, completion: $0)
                }
                #expect(result.user.uid == enrolled.user.uid)
            }
        }

        /// The result of the second factor has what the provider returned with the first one.
        @Test(arguments: Form.allCases)
        func federatedUserSignsInWithPhone(form: Form) async throws {
            try await GuideApplication.running(Self.services + ",federation") { application in
                try await application.enablePhones()
                let provider = { OAuthProvider(providerID: "google.com") }
                let browser = PracticeBrowser(subject: "1001", email: "ada@gmail.com")
                let new = try await Auth.auth().signIn(with: provider(), uiDelegate: browser)
                let guide = await SMSGuide(
                    screen: GuideScreen { _ in try await application.smsCode(to: Self.phoneNumber) })
                try await guide.enroll(phoneNumber: Self.phoneNumber, displayName: "telephone")

                application.start()
                let result: AuthDataResult
                switch form {
                case .async:
                    result = try await guide.signIn(with: provider(), uiDelegate: browser, selectedIndex: 0)
                case .completionHandlers:
                    let resolver = try await completion {
                        guide.resolver(with: provider(), uiDelegate: browser, completion: $0)
                    }
                    let verificationID = try await completion {
                        guide.sendSignInCode(resolver, selectedIndex: 0, completion: $0)
                    }
                    let code = try await application.smsCode(to: Self.phoneNumber)
                    result = try await completion {
                        guide.finishSignIn(
                            resolver, verificationId: verificationID, verificationCodeFromUser: code, completion: $0)
                    }
                }
                #expect(result.user.uid == new.user.uid)
                #expect(result.additionalUserInfo?.providerID == "google.com")
                #expect(result.additionalUserInfo?.isNewUser == false)
                #expect(result.additionalUserInfo?.profile?["email"] as? String == "ada@gmail.com")
                #expect(result.credential?.provider == "google.com")
                #expect(result.credential?.idToken != nil)
                let token = try await result.user.getIDTokenResult()
                #expect(token.signInProvider == "google.com")
                #expect(token.signInSecondFactor == PhoneMultiFactorID)
            }
        }
    }
}
