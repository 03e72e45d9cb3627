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
                try await application.enableSecondFactors()
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
                try await application.enableSecondFactors()
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
    }
}
