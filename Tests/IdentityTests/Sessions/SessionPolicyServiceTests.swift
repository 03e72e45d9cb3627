import Contracts
import Crypto
import Foundation
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The table of `SessionPolicyTests` applied to the service: each operation follows the policy.
@Suite struct SessionPolicyServiceTests {
    /// Like `SessionPolicyTests.Factors`, created with the real operations.
    enum Factors: CaseIterable {
        case none, phone, totp, switchedOff, mandatoryWithout, mandatoryTOTP

        var column: Int {
            switch self {
            case .none: 0
            case .phone, .totp: 1
            case .switchedOff: 2
            case .mandatoryWithout: 3
            case .mandatoryTOTP: 4
            }
        }

        var factorID: FactorID? {
            switch self {
            case .none, .mandatoryWithout: nil
            case .phone: FactorID("f")
            case .totp, .switchedOff, .mandatoryTOTP: FactorID("app")
            }
        }
    }

    /// An account whose session was opened a minute ago without a second factor.
    struct BrokerHarness {
        var fixture: IdentityFixture
        var account: Account
        var tokens: TokenSet
        var factors: Factors

        init(_ factors: Factors) async throws {
            self.factors = factors
            fixture = try await IdentityFixture()
            let ada = try await fixture.signUpVerified()
            (account, tokens) = (ada.account, ada.tokens)
            switch factors {
            case .none, .mandatoryWithout: break
            case .phone:
                _ = try await fixture.change(
                    account.id, .init(secondFactors: [.init(id: FactorID("f"), kind: .phone(number: "+12025550109"))]))
            case .totp, .switchedOff, .mandatoryTOTP: try await fixture.enrollTOTP(tokens)
            }
            try await fixture.give(IdentityFixture.phone, to: account.id)
            try await fixture.configure { configuration in
                configuration.emailPrivacyConfig?.enableImprovedEmailPrivacy = false
                switch factors {
                case .none, .phone, .totp: break
                case .switchedOff:
                    configuration.mfa?.state = .disabled
                    configuration.mfa?.providerConfigs = nil
                case .mandatoryWithout, .mandatoryTOTP: configuration.mfa?.state = .mandatory
                }
            }
            fixture.clock.advance(by: .seconds(60))
        }

        func pending() async throws -> Secret<String>? {
            try await fixture.firstFactor().secondFactor?.pendingCredential
        }
    }

    enum End {
        case tokens(TokenSet)
        /// A cookie has the same claims as its token.
        case cookie
        case pending

        init(_ tokens: TokenSet?) { self = tokens.map { .tokens($0) } ?? .pending }
    }

    /// Runs the operation. - Returns: nil if the operation does not apply.
    static func perform(_ operation: SessionOperation, _ scene: BrokerHarness) async throws -> End? {
        let (fixture, realm, idToken) = (scene.fixture, IdentityFixture.realm, scene.tokens.idToken)
        func byPhone(_ number: PhoneNumber, _ idToken: Secret<String>? = nil) async throws -> End {
            End(try await fixture.signInByPhone(number, idToken: idToken).session?.tokens)
        }
        switch operation {
        case .anonymousSignUp: return End(try await fixture.send(Identity.SignUp(realm: realm)).tokens)
        case .passwordSignUp: return End(try await fixture.signUp("new@example.com").tokens)
        case .passwordSignIn: return End(try await fixture.firstFactor().tokens)
        case .emailLinkSignIn: return End(try await fixture.signInByNewLink().tokens)
        case .phoneSignIn: return try await byPhone(IdentityFixture.phone)
        case .customTokenSignIn:
            return End(
                try await fixture.send(
                    Identity.SignInWithCustomToken(
                        realm: realm, token: Secret(#"{"uid":"\#(scene.account.id.rawValue)"}"#))
                ).tokens)
        case .secondFactorSignIn:
            guard let credential = try await scene.pending(), let id = scene.factors.factorID else { return nil }
            return End(try await PendingSignInTests.complete(fixture, credential, id).tokens)
        case .recoveryCodeSignIn:
            guard let credential = try await scene.pending(), let id = scene.factors.factorID else { return nil }
            let opened = try await PendingSignInTests.complete(fixture, credential, id)
            let codes = try await fixture.send(
                Identity.GenerateRecoveryCodes(realm: realm, idToken: opened.tokens.idToken)
            ).codes
            return End(
                try await fixture.send(
                    Identity.SignInWithRecoveryCode(
                        project: realm.project, pendingCredential: try await scene.pending(), code: codes.first)
                ).tokens)
        case .rememberedDeviceSignIn:
            guard let credential = try await scene.pending() else { return nil }
            let secret = DeviceSecret(secret: Array(repeating: 1, count: DeviceSecret.secretBytes))
            return End(
                try await fixture.send(
                    Identity.SignInWithRememberedDevice(
                        project: realm.project, pendingCredential: credential, secrets: [Secret(secret.text)])
                ).tokens)
        case .refresh: return End(try await fixture.refresh(scene.tokens.refreshToken))
        case .authorizationCode:
            do {
                return End(
                    try await AuthorizationCodeHandlerTests.open(besides: scene.tokens, of: scene.account, fixture))
            } catch let error as ServiceError
                where error.code == .invalidAuthorizationCode || error.code == .secondFactorRequired
            {
                // A code is refused in the same way for every reason, and none is issued for a session without the
                // factors of its account.
                throw ServiceError(.sessionExpired)
            }
        case .profileUpdate: return End(try await fixture.changeOwn(scene.tokens, .init(displayName: "Ada")).tokens)
        case .credentialUpdate:
            return End(try await fixture.changeOwn(scene.tokens, .init(removals: [.phoneNumber])).tokens)
        case .passwordLink:
            return End(
                try await fixture.send(
                    Identity.SignUp(
                        realm: realm, email: "ada@example.com", password: Secret("another-horse-9"),
                        linkIDToken: idToken)
                ).tokens)
        case .emailLinkReauthentication: return End(try await fixture.signInByNewLink(linkIDToken: idToken).tokens)
        case .emailLinkAddition:
            // The new address replaces none: replacing an address would end the earlier sessions.
            try await fixture.store.write { transaction in
                try transaction.execute("UPDATE accounts SET email = NULL, email_folded = NULL")
            }
            return End(try await fixture.signInByNewLink("new@example.com", linkIDToken: idToken).tokens)
        case .phoneReauthentication:
            // A phone as second factor excludes a phone as first factor.
            guard scene.factors != .phone else { return nil }
            return try await byPhone(IdentityFixture.phone, idToken)
        case .phoneAddition:
            guard scene.factors != .phone, let number = PhoneNumber("+12025550102") else { return nil }
            return try await byPhone(number, idToken)
        case .factorEnrollment:
            try await fixture.store.write { transaction in
                try transaction.execute("UPDATE accounts SET phone_number = NULL")
            }
            guard scene.factors == .switchedOff || scene.factors.factorID == FactorID("app") else {
                return End(try await fixture.enrollTOTP(scene.tokens, "new").tokens)
            }
            try await fixture.configure { configuration in
                if scene.factors == .switchedOff { configuration.mfa?.state = .enabled }
                configuration.mfa?.enabledProviders = [.phoneSMS]
            }
            return End(try await fixture.enrollPhone(scene.tokens, "new", "+12025550103").tokens)
        case .factorWithdrawal:
            guard let id = scene.factors.factorID else { return nil }
            return End(try await fixture.withdraw(scene.tokens, id.rawValue).tokens)
        case .passkeySignIn:
            try await fixture.store.write { [id = scene.account.id] transaction in
                try transaction.execute(
                    PasskeyTable.insertion, SQLRecord(id, in: realm) + PasskeyTests.passkey(1).columns)
            }
            return End(
                try await fixture.signIn(scene.account.id, PasskeyTests.id(1), isUserVerified: false).tokens)
        case .providerSignIn:
            try await fixture.link(scene.account.id)
            return End(try await fixture.signInByProvider().session?.tokens)
        case .providerReauthentication:
            try await fixture.link(scene.account.id)
            return End(try await fixture.signInByProvider(linkIDToken: idToken).session?.tokens)
        case .providerLink:
            return End(
                try await fixture.signInByProvider(
                    IdentityFixture.person(email: nil), linkIDToken: idToken
                ).session?.tokens)
        case .passkeyEnrollment:
            return End(try await fixture.enroll(PasskeyTests.passkey(1), scene.tokens).tokens)
        // The account is not to be deleted: `ScheduledDeletionTests`.
        case .restoration:
            return End(try await fixture.send(Identity.RestoreOwnAccount(realm: realm, idToken: idToken)).tokens)
        case .sessionCookie:
            _ = try await fixture.send(Identity.CreateSessionCookie(realm: realm, idToken: idToken))
            return .cookie
        }
    }

    @Test(arguments: SessionOperation.allCases)
    func serviceFollowsSessionPolicy(operation: SessionOperation) async throws {
        let row = SessionPolicyTests.row(operation)
        for factors in Factors.allCases {
            let scene = try await BrokerHarness(factors)
            // A new account has no factor, whatever factors other accounts have.
            let isNew = operation == .passwordSignUp
            let column = isNew ? (factors.column < 3 ? 0 : 3) : factors.column
            let expected = Array(row.withoutFactor)[column]
            let signedInAt = scene.fixture.clock.now.timestamp
            var outcome: Character
            do {
                switch try await Self.perform(operation, scene) {
                case .tokens(let tokens): outcome = try Self.outcome(tokens, at: signedInAt)
                case .cookie: outcome = "f"
                case .pending: outcome = "P"
                case nil: continue
                }
            } catch let error as ServiceError {
                // One SIM card would be both factors.
                if operation == .phoneSignIn, factors == .phone {
                    #expect(error.code == .unsupportedFirstFactor)
                    continue
                }
                outcome = SessionPolicyTests.outcome(.refuse(error))
                if outcome == "?" { Issue.record("\(operation), \(factors): \(error)") }
            }
            #expect(operation != .phoneSignIn || factors != .phone, "a number is both factors")
            // A password change ends earlier sessions, so the new session starts at that time.
            if operation == .passwordLink, outcome == "F" { outcome = "f" }
            #expect(outcome == expected, "\(operation), \(factors)")
        }
    }

    private static func outcome(_ tokens: TokenSet, at now: Timestamp) throws -> Character {
        let claims = try OwnAccountTests.claims(tokens)
        let isFull = claims["aud"] == .string("demo")
        let isNew = claims["auth_time"] == .integer(now.seconds)
        #expect((claims["firebase"]?["second_factor_required"] == .bool(true)) == !isFull)
        return isFull ? (isNew ? "F" : "f") : isNew ? "E" : "e"
    }
}
