import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    static let shop = ProjectID("demo")

    func grant(
        _ role: Identity.OperatorRole, in project: ProjectID? = nil, to email: String = "ola@example.com"
    ) async throws -> Identity.GrantOperatorRole.Reply {
        try await send(
            Identity.GrantOperatorRole(
                email: email, grant: .init(project: project, role: role), client: .init(operatorName: "root")))
    }

    private func setPassword(_ code: Secret<String>?) async throws {
        _ = try await send(
            Identity.ResetPassword(
                realm: .operators, code: code, newPassword: Secret("a long enough passphrase")))
    }

    /// Sets the password and the authenticator app of a new operator, and signs in.
    /// - Returns: the ID token of a sign-in with both factors.
    func firstSignIn(_ code: Secret<String>?, email: String = "ola@example.com") async throws -> Secret<String> {
        try await setPassword(code)
        let first = try await send(
            Identity.SignInWithPassword(
                realm: .operators, email: email, password: Secret("a long enough passphrase")))
        let tokens = try #require(first.tokens)
        let reply = try await send(
            Identity.EnrollFactor(
                realm: .operators, idToken: tokens.idToken, factorID: FactorID("app"), kind: .totp,
                displayName: nil))
        return reply.tokens.idToken
    }

    func openConsole(_ idToken: Secret<String>) async throws -> Secret<String> {
        try await send(
            Identity.OpenOperatorSession(
                idToken: idToken,
                client: .init(ipAddress: "192.0.2.7", userAgent: "Mozilla/5.0 (X11; Linux) Firefox/130.0"))
        ).token
    }

    /// A new operator with a session of the console.
    func newOperator(_ role: Identity.OperatorRole = .administrator, in project: ProjectID? = nil) async throws
        -> (found: Identity.Operator, token: Secret<String>)
    {
        let granted = try await grant(role, in: project)
        return (granted.operator, try await openConsole(try await firstSignIn(granted.code)))
    }

    func resolve(_ token: Secret<String>) async throws -> Identity.ResolveOperatorSession.Reply {
        try await send(Identity.ResolveOperatorSession(token: token))
    }

    func hasEnded(_ token: Secret<String>) async throws -> Bool {
        do {
            _ = try await resolve(token)
            return false
        } catch let error as ServiceError where error.code == .sessionExpired {
            return true
        }
    }
}

@Suite(.serialized) struct OperatorTests {
    @Test(arguments: StoreEngine.allCases) func newOperatorOpensTheConsoleWithTwoFactors(engine: StoreEngine)
        async throws
    {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let (found, token) = try await fixture.newOperator(.support)
        #expect(found.grants == [.init(role: .support)])
        let session = try await fixture.resolve(token)
        #expect(session.operator.email.rawValue == "ola@example.com")
        #expect(session.operator.hasSecondFactor)
        #expect(session.isFresh)
        #expect(!session.formToken.isEmpty && !token.reveal().contains(session.formToken))
        let listed = try await fixture.send(Identity.ListOperators()).operators
        #expect(listed.map(\.accountID) == [found.accountID])
        let actions = try await fixture.auditActions()
        #expect(actions.contains("operator.role-granted") && actions.contains("operator-session.created"))
    }

    @Test func codeOfANewOperatorIsValidOnce() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let code = try await fixture.grant(.viewer).code
        _ = try await fixture.firstSignIn(code)
        await #expect(throws: (any Error).self) { _ = try await fixture.firstSignIn(code) }
    }

    @Test func changedRoleGetsNoCode() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        _ = try await fixture.grant(.viewer)
        let again = try await fixture.grant(.administrator)
        #expect(again.code == nil)
        #expect(again.operator.grants == [.init(role: .administrator)])
    }

    @Test func roleOfAnUnknownProjectIsRefused() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        for project in [ProjectID("nowhere"), .operators] {
            await #expect(throws: ServiceError(.projectNotFound)) {
                _ = try await fixture.grant(.viewer, in: project)
            }
        }
    }

    @Test func roleInAProjectIsTheHigherOfTheTwo() throws {
        let grants: [Identity.OperatorGrant] = [
            .init(role: .viewer), .init(project: ProjectID("shop"), role: .support),
        ]
        let found = Identity.Operator(
            accountID: AccountID("a"), email: try #require(EmailAddress("a@example.com")), grants: grants,
            hasSecondFactor: true, createdAt: Moment(milliseconds: 0))
        #expect(found.role(in: ProjectID("shop")) == .support)
        #expect(found.role(in: ProjectID("other")) == .viewer)
        #expect(found.role(in: nil) == .viewer)
    }

    // MARK: Sessions

    @Test func passwordAloneOpensNoConsole() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let granted = try await fixture.grant(.administrator)
        _ = try await fixture.send(
            Identity.ResetPassword(
                realm: .operators, code: granted.code, newPassword: Secret("a long enough passphrase")))
        let first = try await fixture.send(
            Identity.SignInWithPassword(
                realm: .operators, email: "ola@example.com", password: Secret("a long enough passphrase")))
        let idToken = try #require(first.tokens?.idToken)
        await #expect(throws: ServiceError(.secondFactorRequired)) { _ = try await fixture.openConsole(idToken) }
    }

    /// A passkey that verified its user is both factors, and the password alone adds no other factor from then on.
    @Test(arguments: StoreEngine.allCases) func passkeyIsBothFactors(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let granted = try await fixture.grant(.administrator)
        _ = try await fixture.send(
            Identity.ResetPassword(
                realm: .operators, code: granted.code, newPassword: Secret("a long enough passphrase")))
        let signIn = Identity.SignInWithPassword(
            realm: .operators, email: "ola@example.com", password: Secret("a long enough passphrase"))
        let first = try #require(try await fixture.send(signIn).tokens)
        let credential = try #require(CredentialID(Array(repeating: 7, count: 32)))
        func add(_ id: CredentialID, _ token: Secret<String>) async throws -> Identity.EnrollPasskey.Reply {
            try await fixture.send(
                Identity.EnrollPasskey(
                    realm: .operators, idToken: token,
                    passkey: .init(
                        credentialID: id, name: "Key", relyingPartyID: "localhost", userHandle: OctetString([1]),
                        aaguid: "00000000-0000-0000-0000-000000000000", isBackedUp: false,
                        createdAt: Moment(milliseconds: 0)), isUserVerified: true))
        }
        _ = try await add(credential, first.idToken)
        #expect(try await fixture.send(Identity.ListOperators()).operators.first?.hasSecondFactor == true)
        let further = try #require(CredentialID(Array(repeating: 8, count: 32)))
        await #expect(throws: (any Error).self) { _ = try await add(further, first.idToken) }
        await #expect(throws: (any Error).self) {
            _ = try await fixture.send(
                Identity.EnrollFactor(
                    realm: .operators, idToken: first.idToken, factorID: FactorID("app"), kind: .totp,
                    displayName: nil))
        }
        let second = try await fixture.send(signIn)
        #expect(second.tokens == nil && second.secondFactor?.factors.isEmpty == true)
        let reply = try await fixture.send(
            Identity.SignInWithPasskey(
                realm: .operators, accountID: granted.operator.accountID, credentialID: credential,
                isUserVerified: true, isBackedUp: false))
        _ = try await fixture.openConsole(try #require(reply.tokens).idToken)
        _ = try await fixture.send(Identity.ResetOperator(email: "ola@example.com"))
        #expect(try await fixture.send(Identity.ListOperators()).operators.first?.hasSecondFactor == false)
    }

    @Test func tokenOfAProjectOpensNoConsole() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.grant(.viewer)
        let tokens = try await fixture.signUp().tokens
        await #expect(throws: (any Error).self) { _ = try await fixture.openConsole(tokens.idToken) }
    }

    @Test func consoleTakesThePlaceOfTheSessionOfTheSignIn() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let (found, _) = try await fixture.newOperator()
        let left = try await fixture.send(
            Identity.ListSessions(realm: .operators, accountID: found.accountID, limit: 10)
        ).sessions
        #expect(left.isEmpty)
    }

    @Test func sessionEndsUnused() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let (_, token) = try await fixture.newOperator()
        for _ in 0..<3 {
            fixture.clock.advance(by: OperatorSession.idleLifetime - .seconds(1))
            _ = try await fixture.resolve(token)
        }
        fixture.clock.advance(by: OperatorSession.idleLifetime)
        #expect(try await fixture.hasEnded(token))
    }

    @Test func sessionEndsAlthoughItIsUsed() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let (_, token) = try await fixture.newOperator()
        let step = Duration.seconds(20 * 60)
        for _ in 0..<35 {
            fixture.clock.advance(by: step)
            _ = try await fixture.resolve(token)
        }
        #expect(try await !fixture.resolve(token).isFresh)
        fixture.clock.advance(by: step)
        #expect(try await fixture.hasEnded(token))
    }

    @Test(arguments: StoreEngine.allCases) func lowerRoleEndsSessionsAtOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let (_, token) = try await fixture.newOperator(.support)
        _ = try await fixture.grant(.administrator)
        #expect(try await fixture.resolve(token).operator.role(in: nil) == .administrator)
        _ = try await fixture.grant(.viewer)
        #expect(try await fixture.hasEnded(token))
    }

    @Test(arguments: StoreEngine.allCases) func removedOperatorHasNoSession(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let (_, token) = try await fixture.newOperator()
        _ = try await fixture.send(Identity.RemoveOperator(email: "ola@example.com"))
        #expect(try await fixture.hasEnded(token))
        #expect(try await fixture.send(Identity.ListOperators()).operators.isEmpty)
        await #expect(throws: ServiceError(.accountNotFound)) {
            _ = try await fixture.send(Identity.RemoveOperator(email: "ola@example.com"))
        }
    }

    @Test func lastRoleIsRemovedWithTheOperator() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.grant(.viewer, in: IdentityFixture.shop)
        _ = try await fixture.grant(.support)
        let removal = Identity.RemoveOperator(email: "ola@example.com", project: IdentityFixture.shop)
        _ = try await fixture.send(removal)
        #expect(try await fixture.send(Identity.ListOperators()).operators.map(\.grants) == [[.init(role: .support)]])
        await #expect(throws: ServiceError(.accountNotFound)) { _ = try await fixture.send(removal) }
    }

    @Test(arguments: StoreEngine.allCases) func resetOperatorBeginsAgain(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let (found, token) = try await fixture.newOperator()
        fixture.clock.advance(by: .seconds(60))
        let code = try await fixture.send(Identity.ResetOperator(email: "ola@example.com")).code
        #expect(try await fixture.hasEnded(token))
        let listed = try await fixture.send(Identity.ListOperators()).operators
        #expect(listed.map(\.hasSecondFactor) == [false] && listed.map(\.grants) == [found.grants])
        _ = try await fixture.openConsole(try await fixture.firstSignIn(code))
    }

    @Test func sessionsAreListedAndEnded() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let (found, token) = try await fixture.newOperator()
        let request = Identity.ListOperatorSessions(accountID: found.accountID)
        let session = try #require(try await fixture.send(request).sessions.first)
        #expect(session.id == (try await fixture.resolve(token).sessionID))
        #expect(session.clientAddress == "192.0.2.7" && session.device == "Firefox (Linux)")
        _ = try await fixture.send(
            Identity.EndOperatorSessions(accountID: AccountID("other"), sessionID: session.id))
        #expect(try await !fixture.hasEnded(token))
        _ = try await fixture.send(
            Identity.EndOperatorSessions(accountID: found.accountID, sessionID: session.id))
        #expect(try await fixture.hasEnded(token))
        #expect(try await fixture.send(request).sessions.isEmpty)
    }

    // MARK: The realm

    @Test func realmOfOperatorsIsNoProjectOfTheInstallation() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.grant(.viewer)
        #expect(!Realm.isIdentifier(ProjectID.operators.rawValue))
        let listed = try await fixture.send(Identity.ListProjects(limit: 100)).projects.map(\.id)
        #expect(listed == [IdentityFixture.shop])
        let stored = try #require(try await fixture.store.project(.operators))
        await #expect(throws: ServiceError(.unknownAPIKey)) {
            _ = try await fixture.send(Identity.ResolveAPIKey(apiKey: stored.apiKey))
        }
    }

    /// Whoever changes the row of the realm changes nothing.
    @Test func configurationOfOperatorsIsPartOfTheProgram() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.grant(.viewer)
        try await fixture.store.write { transaction in
            try transaction.execute(
                ProjectTable.newConfiguration, [.project: ProjectID.operators, .configuration: "{}"])
        }
        #expect(try await fixture.store.project(.operators)?.configuration == .operators)
    }

    @Test func nobodySignsUpAsOperator() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.grant(.viewer)
        await #expect(throws: ServiceError(.adminOnlyOperation)) {
            _ = try await fixture.send(
                Identity.SignUp(
                    realm: .operators, email: "eve@example.com", password: Secret("a long enough passphrase")))
        }
    }
}
