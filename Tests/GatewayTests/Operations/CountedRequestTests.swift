import Contracts
import HTTPServer
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct CountedRequestTests {
    private static let shop = ProjectID("shop")
    private static let realm = Realm(project: shop)
    private static let account = Account(
        id: AccountID("ada"), realm: realm, validSince: Timestamp(seconds: 1), createdAt: Moment(milliseconds: 0))
    private static let tokens = TokenSet(idToken: Secret("i"), refreshToken: Secret("r"), expiresInSeconds: 3600)

    private static func names<Request: CountedRequest>(
        _ request: Request, _ result: Result<Request.Reply, ServiceError>
    ) -> [String] { request.counters(after: result).map(\.name) }

    /// One request of a user counts its sign-in, the request and its duration, all of them for the project of the API key.
    @Test func signInByRESTIsCounted() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: Self.shop) }
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { request in
            guard request.password == Secret("right") else { throw ServiceError(.invalidCredentials) }
            return .init(account: Self.account, tokens: Self.tokens)
        }
        for password in ["right", "wrong", "wrong"] {
            _ = try await harness.client(
                "v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"\#(password)"}"#)
        }
        _ = try await harness.send(.get, "/livez")
        let entries = harness.activity.take()
        let amounts = Dictionary(uniqueKeysWithValues: entries.map { ($0.counter, $0.amount) })
        #expect(
            amounts == [
                "signIn.password.accepted": 1, "signIn.password.refused": 2, "request.succeeded": 1,
                "request.refused": 2, "requestDuration.under5ms": 3,
            ])
        #expect(entries.allSatisfy { $0.project == Self.shop })
    }

    /// Nobody fills the counts with projects that do not exist.
    @Test func projectThatACallerOnlyNamesIsNotCounted() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: Self.shop) }
        _ = try await harness.send(.get, "/securetoken.google.com/nowhere/.well-known/openid-configuration")
        _ = try await harness.send(
            .get, "/identitytoolkit.googleapis.com/v2/projects/nowhere/config", headers: ["Authorization": "Bearer x"])
        let entries = harness.activity.take()
        #expect(!entries.isEmpty && entries.allSatisfy { $0.project == nil })
    }

    @Test func resultsHaveTheirCounters() {
        let signUp = Identity.SignUp(realm: Self.realm, email: "ada@example.com")
        #expect(Self.names(signUp, .success(.init(account: Self.account, tokens: Self.tokens))) == ["signUp.password"])
        #expect(Self.names(signUp, .failure(ServiceError(.emailExists))) == [])
        let custom = Identity.SignInWithCustomToken(realm: Self.realm, token: nil)
        #expect(
            Self.names(custom, .success(.init(account: Self.account, tokens: Self.tokens, isNewAccount: true)))
                == ["signIn.customToken.accepted", "signUp.customToken"])
        #expect(Self.names(custom, .failure(ServiceError(.unavailable))) == ["signIn.customToken.failed"])
        let phone = MFASMS.FinishPhoneSignIn(realm: Self.realm, sessionInfo: nil, code: nil, intent: .signUpOrIn)
        #expect(Self.names(phone, .failure(ServiceError(.invalidCode))) == ["signIn.phone.refused"])
        var link = phone
        link.idToken = Secret("i")
        #expect(Self.names(link, .failure(ServiceError(.invalidCode))) == [])
        let factor = MFATOTP.FinishSignIn(project: Self.shop, pendingCredential: nil, factorID: nil, code: nil)
        #expect(Self.names(factor, .failure(ServiceError(.invalidCode))) == ["secondFactor.totp.refused"])
        let device = Identity.SignInWithRememberedDevice(project: Self.shop, pendingCredential: nil, secrets: [])
        #expect(Self.names(device, .failure(ServiceError(.secondFactorRequired))) == [])
    }

    /// The console is no place where users sign in.
    @Test func operatorsAreNotCounted() {
        let activity = ActivityCounts()
        activity.count(
            Identity.SignInWithPassword(realm: .operators, email: nil, password: nil),
            .failure(ServiceError(.invalidCredentials)))
        #expect(activity.take().isEmpty)
    }

    /// Strangers can name any project: entries of those that do not exist would take the place of others.
    @Test func resultOfAProjectThatDoesNotExistIsNotCounted() {
        let activity = ActivityCounts()
        activity.count(
            Identity.SignInWithPassword(realm: Self.realm, email: nil, password: nil),
            .failure(ServiceError(.projectNotFound)))
        #expect(activity.take().isEmpty)
    }

    /// What begins, or redeems for a service, is counted with the request that ends it.
    @Test func everySignInOperationIsCountedOrNamed() {
        let counted: Set<Identity.Operation> = [
            .signInWithPassword, .signInWithCustomToken, .signInWithRecoveryCode, .signInWithRememberedDevice,
            .signInWithTemporaryProof, .signInWithEmailLink, .signInWithEmailCode,
        ]
        let ofServices: Set<Identity.Operation> = [.signInWithPhone, .signInWithProvider, .signInWithPasskey]
        let all = Identity.Operation.allCases.filter { $0.rawValue.hasPrefix("signIn") }
        #expect(Set(all) == counted.union(ofServices))
    }
}
