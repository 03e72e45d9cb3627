import Bus
import Contracts
import Crypto
import Foundation
import HTTPClient
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Sign-ins of projects with blocking functions (REST 8).
struct BlockingFunctionTests {
    private static func claims(_ tokens: TokenSet) throws -> [String: JSONValue] {
        try IDTokenIssuer.payload(of: tokens.idToken.reveal())
    }

    @Test func signUpCallsBothFunctions() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        let made = try await fixture.signUp()
        #expect(fixture.functions.calls == ["beforeCreate", "beforeSignIn"])
        _ = try await fixture.signIn()
        #expect(fixture.functions.calls == ["beforeCreate", "beforeSignIn", "beforeSignIn"])
        for event in fixture.functions.events { #expect(event["sub"]?.text == made.account.id.rawValue) }
    }

    @Test func projectWithoutFunctionsCallsNone() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        _ = try await fixture.signIn()
        #expect(fixture.functions.calls == [])
    }

    @Test func refreshAndAdministratorsCallNone() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        _ = try await fixture.refresh(made.tokens.refreshToken)
        _ = try await fixture.send(Identity.CreateAccount(realm: IdentityFixture.realm, email: "eve@example.com"))
        #expect(fixture.functions.calls == [])
    }

    /// The function is not called for a sign-up that fails anyway, or with a wrong password.
    @Test func refusedRequestCallsNone() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        await expectRefusal(.emailExists) { _ = try await fixture.signUp() }
        await expectRefusal(.invalidCredentials) { _ = try await fixture.firstFactor("ada@example.com", "wrong-one") }
        #expect(fixture.functions.calls == [])
    }

    @Test(arguments: BlockingFunctionEvent.allCases)
    func changesAreStored(event: BlockingFunctionEvent) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        fixture.functions.onEvent(
            event,
            record: """
                {"updateMask":"displayName,emailVerified,customClaims","displayName":"By function",
                 "emailVerified":true,"customClaims":{"level":5}}
                """)
        let made = try await fixture.signUp()
        let tokens = made.tokens
        #expect(made.account.displayName == "By function")
        #expect(try Self.claims(tokens)["level"] == .integer(5))
        let stored = try await fixture.lookUp(tokens.idToken)
        #expect(stored.displayName == "By function" && stored.emailVerified)
        #expect(stored.customClaims == #"{"level":5}"#)
    }

    @Test func sessionClaimsLastForTheSession() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeSignIn)
        fixture.functions.onEvent(
            .beforeSignIn, record: #"{"updateMask":"sessionClaims","sessionClaims":{"risk":"low"}}"#)
        let tokens = try await fixture.signUp().tokens
        #expect(try Self.claims(tokens)["risk"] == .string("low"))
        let refreshed = try await fixture.refresh(tokens.refreshToken)
        #expect(try Self.claims(refreshed)["risk"] == .string("low"))
        // A session that continues this one keeps them, and the account has none.
        let changed = try await fixture.changeOwn(refreshed, .init(displayName: "Ada"))
        #expect(try Self.claims(changed.tokens)["risk"] == .string("low"))
        fixture.functions.onEvent(.beforeSignIn, record: "null")
        #expect(try Self.claims(try await fixture.signIn().tokens)["risk"] == nil)
    }

    @Test(arguments: BlockingFunctionEvent.allCases)
    func accountThatTheFunctionDisablesIsStored(event: BlockingFunctionEvent) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate, .beforeSignIn)
        fixture.functions.onEvent(
            event, record: #"{"updateMask":"disabled,displayName","disabled":true,"displayName":"Eve"}"#)
        await expectRefusal(.accountDisabled) { _ = try await fixture.signUp() }
        let stored = try #require(
            try await fixture.store.accounts([.email("ada@example.com")], in: IdentityFixture.realm).first)
        #expect(stored.disabled && stored.displayName == "Eve")
        await expectRefusal(.accountDisabled) { _ = try await fixture.firstFactor() }
    }

    @Test func signInThatTheFunctionDisablesEndsSessions() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeSignIn)
        fixture.functions.onEvent(.beforeSignIn, record: #"{"updateMask":"disabled","disabled":true}"#)
        await expectRefusal(.accountDisabled) { _ = try await fixture.firstFactor() }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, made.account.id)))
        await expectRefusal(.accountDisabled) {
            _ = try await fixture.refresh(made.tokens.refreshToken)
        }
    }

    /// A function that refuses does what it is for: no error in the log.
    @Test(arguments: [400, 401, 403, 404, 429]) func intendedRefusalIsNoError(status: Int) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate)
        fixture.functions.onEvent { _ throws(HTTPClientError) in
            HTTPClientResponse(
                status: status, body: Data(#"{"error":{"message":"no","status":"PERMISSION_DENIED"}}"#.utf8))
        }
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.signUp() }
        #expect(fixture.log.count(of: "blocking-function.failed") == 0)
        #expect(fixture.log.count(of: "blocking-function.refused") == 1)
        #expect(try await fixture.store.accounts([.email("ada@example.com")], in: IdentityFixture.realm) == [])
    }

    @Test(arguments: [
        HTTPClientResponse(status: 403, body: Data("<html>Forbidden by the proxy</html>".utf8)),
        HTTPClientResponse(status: 403, body: Data(#"{"error":{"message":7}}"#.utf8)),
        HTTPClientResponse(status: 404),
        HTTPClientResponse(status: 500, body: Data(#"{"error":{"message":"no"}}"#.utf8)),
        HTTPClientResponse(status: 500, body: Data("oops".utf8)), HTTPClientResponse(status: 204),
        HTTPClientResponse(status: 302, headers: [("Location", "https://else.example/")]),
        HTTPClientResponse(status: 200, body: Data("not json".utf8)),
        HTTPClientResponse(status: 200, body: Data(#"{"userRecord":{"displayName":"no mask"}}"#.utf8)),
    ])
    func failureRefusesTheSignUp(response: HTTPClientResponse) async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate)
        fixture.functions.onEvent { _ throws(HTTPClientError) in response }
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.signUp() }
        #expect(try await fixture.store.accounts([.email("ada@example.com")], in: IdentityFixture.realm) == [])
        #expect(fixture.log.count(of: "blocking-function.failed") == 1)
    }

    @Test(arguments: [
        HTTPClientError.timedOut, .cannotResolve, .cannotConnect, .addressRefused, .tooLarge, .tls("bad"),
        .invalidRequest, .other(code: 1, "x"),
    ])
    func unreachableFunctionRefusesTheSignIn(error: HTTPClientError) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeSignIn)
        fixture.functions.onEvent { _ throws(HTTPClientError) in throw error }
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.firstFactor() }
        // The password was right: the attempt does not count.
        for _ in 0..<20 {
            await expectRefusal(.blockingFunctionError) { _ = try await fixture.firstFactor() }
        }
        fixture.functions.onEvent(.beforeSignIn, record: "null")
        _ = try await fixture.signIn()
    }

    @Test func claimsThatAreTooLongWithThoseOfTheAccountRefuse() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let half = String(repeating: "a", count: 600)
        _ = try await fixture.change(made.account.id, .init(customClaims: #"{"a":"\#(half)"}"#))
        try await fixture.registerFunctions(.beforeSignIn)
        fixture.functions.onEvent(
            .beforeSignIn, record: #"{"updateMask":"sessionClaims","sessionClaims":{"b":"\#(half)"}}"#)
        await expectRefusal(.blockingFunctionError) { _ = try await fixture.firstFactor() }
    }

    /// The caller has stopped waiting, so an account would be a surprise.
    @Test func lateResponseStoresNothing() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.registerFunctions(.beforeCreate)
        let clock = fixture.clock
        fixture.functions.onEvent { _ throws(HTTPClientError) in
            clock.advance(by: .seconds(6))
            return HTTPClientResponse(status: 200)
        }
        await expectRefusal(.deadlineExceeded) { _ = try await fixture.signUp() }
        #expect(try await fixture.store.accounts([.email("ada@example.com")], in: IdentityFixture.realm) == [])
    }

    /// The function evaluated another account than the one that would sign in now.
    @Test func accountThatChangesMeanwhileIsEvaluatedAgain() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeSignIn)
        let (functions, service, clock) = (fixture.functions, fixture.service, fixture.clock)
        functions.meanwhile { count in
            let change = Identity.UpdateAccount(
                realm: IdentityFixture.realm, accountID: made.account.id, changes: .init(displayName: "Ada \(count)"))
            guard count == 1 else { return }
            _ = try await service.handle(.updateAccount, BusCall(change, deadline: clock.now + .seconds(5)))
        }
        #expect(try await fixture.signIn().account.displayName == "Ada 1")
        #expect(functions.events.map { $0["user_record"]?["display_name"]?.text } == [nil, "Ada 1"])
    }

    @Test func accountThatChangesWithEveryCallIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeSignIn)
        let (functions, service, clock) = (fixture.functions, fixture.service, fixture.clock)
        functions.meanwhile { count in
            let change = Identity.UpdateAccount(
                realm: IdentityFixture.realm, accountID: made.account.id, changes: .init(displayName: "Ada \(count)"))
            _ = try await service.handle(.updateAccount, BusCall(change, deadline: clock.now + .seconds(5)))
        }
        await expectRefusal(.overloaded) { _ = try await fixture.firstFactor() }
        #expect(functions.calls.count == BlockingFunctionCaller.maximumCalls)
    }

    /// A password that was changed while the function ran no longer signs in.
    @Test func passwordThatChangesMeanwhileIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        try await fixture.registerFunctions(.beforeSignIn)
        let (service, clock) = (fixture.service, fixture.clock)
        fixture.functions.meanwhile { _ in
            let change = Identity.UpdateAccount(
                realm: IdentityFixture.realm, accountID: made.account.id,
                changes: .init(password: Secret("another-horse-9")))
            _ = try await service.handle(.updateAccount, BusCall(change, deadline: clock.now + .seconds(5)))
        }
        await expectRefusal(.invalidCredentials) { _ = try await fixture.firstFactor() }
    }
}

/// Expects a refusal with this code, whatever its message.
func expectRefusal(
    _ code: WireError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("was not refused", sourceLocation: sourceLocation)
    } catch {
        let found = (error as? ServiceError)?.code ?? (error as? ServiceError)?.code
        #expect(found == code, "\(error)", sourceLocation: sourceLocation)
    }
}
