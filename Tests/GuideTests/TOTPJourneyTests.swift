import LatchkeyAdmin
import LatchkeyAuth
import Synchronization
import TestSupport
import Testing

extension GuideTests {
    @Suite struct TOTPJourneyTests {
        private static let services = "gateway,identity,mfa-sms,mfa-totp,notifier"

        @Test(arguments: Form.allCases)
        func appIsEnrolledUsedAndRemovedWithSignOut(form: Form) async throws {
            try await GuideApplication.running(Self.services) { application in
                try await application.enablePhones()
                try await TOTPGuide.enable(in: application.mesh.makeAdmin(), adjacentIntervals: 5)
                let person = TestUser()
                let enrolled = try await application.signUpVerified(person)
                let user = TOTPUser(directory: application.mesh.directory)
                let guide = await TOTPGuide(screen: GuideScreen { _ in try await user.nextCode() })
                switch form {
                case .async: try await guide.enroll(enrolled.user) { user.add($0, $1) }
                case .completionHandlers:
                    try await completion {
                        guide.enroll(enrolled.user, showSecret: { user.add($0, $1) }, completion: $0)
                    }
                }
                #expect(user.url?.hasPrefix("otpauth://totp/Your%20App%20Name:") == true)
                #expect(enrolled.user.multiFactor.enrolledFactors.map(\.factorID) == [TOTPMultiFactorID])

                // A second factor of the other kind: the app is not the last one.
                let phoneNumber = "+12025550102"
                try await SMSGuide(screen: GuideScreen { _ in try await application.smsCode(to: phoneNumber) })
                    .enroll(phoneNumber: phoneNumber, displayName: "telephone")

                application.start()
                let result =
                    switch form {
                    case .async:
                        try await guide.signIn(email: person.email, password: person.password) {
                            $0.firstIndex(of: "TOTP") ?? 0
                        }
                    case .completionHandlers:
                        try await completion {
                            guide.signIn(
                                email: person.email, password: person.password,
                                select: { $0.firstIndex(of: "TOTP") ?? 0 }, completion: $0)
                        }
                    }
                let signedIn = try #require(result).user
                #expect(signedIn.uid == enrolled.user.uid)
                #expect(try await signedIn.getIDTokenResult().signInSecondFactor == TOTPMultiFactorID)

                let select: @Sendable ([MultiFactorInfo]) -> Int = { factors in
                    factors.firstIndex { $0.factorID == TOTPMultiFactorID } ?? 0
                }
                let staysSignedIn =
                    switch form {
                    case .async: try await guide.unenroll(select: select)
                    case .completionHandlers: try await completion { guide.unenroll(select: select, completion: $0) }
                    }
                #expect(!staysSignedIn)
                #expect(Auth.auth().currentUser == nil)
                await #expect(throws: AuthErrorCode(.secondFactorRequired)) {
                    try await Auth.auth().signIn(withEmail: person.email, password: person.password)
                }
            }
        }

        /// Without a further factor, the session continues with tokens of the first factor.
        @Test(arguments: Form.allCases)
        func onlyAppIsRemovedWithoutSignOut(form: Form) async throws {
            try await GuideApplication.running(Self.services) { application in
                try await TOTPGuide.enable(in: application.mesh.makeAdmin(), adjacentIntervals: 5)
                let enrolled = try await application.signUpVerified(TestUser())
                let user = TOTPUser(directory: application.mesh.directory)
                let guide = await TOTPGuide(screen: GuideScreen { _ in try await user.nextCode() })
                try await guide.enroll(enrolled.user) { user.add($0, $1) }
                let staysSignedIn =
                    switch form {
                    case .async: try await guide.unenroll { _ in 0 }
                    case .completionHandlers:
                        try await completion { guide.unenroll(select: { _ in 0 }, completion: $0) }
                    }
                #expect(staysSignedIn)
                #expect(Auth.auth().currentUser == enrolled.user)
                #expect(enrolled.user.multiFactor.enrolledFactors.isEmpty)
                try await enrolled.user.reload()
            }
        }
    }
}

/// A user with an authenticator app. Each code is used once.
private final class TOTPUser: Sendable {
    private struct State {
        var secret: String?
        var url: String?
        /// The next time step, relative to the current one.
        var offset = -1
    }

    private let directory: TemporaryDirectory
    private let state = Mutex(State())

    init(directory: TemporaryDirectory) { self.directory = directory }

    /// The URL that the app has read.
    var url: String? { state.withLock { $0.url } }

    func add(_ secret: String, _ url: String) {
        state.withLock { ($0.secret, $0.url) = (secret, url) }
    }

    func nextCode() async throws -> String {
        let (secret, offset) = state.withLock { state in
            defer { state.offset += 1 }
            return (state.secret, state.offset)
        }
        return try await AuthenticatorApp(secret: #require(secret), directory: directory).code(offset)
    }
}
