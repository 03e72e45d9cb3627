import Contracts
import Crypto
import JSON
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Password attempts of unknown clients against the sign-in of the owner (security rules RL2 and RL3).
@Suite(.serialized) struct KnownClientTests {
    private static let home = ClientContext(ipAddress: "192.0.2.10")
    private static let unknownClient = ClientContext(ipAddress: "198.51.100.1")

    private static func signIn(
        _ fixture: IdentityFixture, _ password: String, _ client: ClientContext, email: String = "ada@example.com"
    ) async throws -> TokenSet {
        let reply = try await fixture.send(
            Identity.SignInWithPassword(
                realm: IdentityFixture.realm, email: email, password: Secret(password), client: client))
        return try #require(reply.tokens)
    }

    private static func signUp(_ fixture: IdentityFixture, _ client: ClientContext) async throws -> TokenSet {
        try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                client: client)
        ).tokens
    }

    /// Fails sign-ins until unknown clients are locked out of the address for a quarter of an hour.
    private static func exhaustAttempts(
        _ fixture: IdentityFixture, _ client: ClientContext, email: String = "ada@example.com"
    ) async throws {
        var verified = 0
        while verified < SignInAttempts.attemptsUntilLocked {
            do {
                _ = try await signIn(fixture, "guess-\(verified)", client, email: email)
            } catch let error as ServiceError where error.code == .tooManyAttempts {
                let until = try #require(error.retryTime)
                fixture.clock.advance(by: .milliseconds(until.milliseconds - fixture.clock.now.milliseconds))
            } catch {
                verified += 1
            }
        }
    }

    private static func isLimited(_ body: () async throws -> TokenSet) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch let error as ServiceError where error.code == .tooManyAttempts {
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func knownDeviceSignsInWhileUnknownClientsAreLocked(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let token = try #require(try await Self.signUp(fixture, Self.home).deviceToken)
        try await Self.exhaustAttempts(fixture, Self.unknownClient)
        let right = "correct-horse-9"
        let elsewhere = ClientContext(ipAddress: "203.0.113.5")
        #expect(await Self.isLimited { try await Self.signIn(fixture, right, Self.unknownClient) })
        #expect(await Self.isLimited { try await Self.signIn(fixture, right, elsewhere) })
        #expect(await Self.isLimited { try await Self.signIn(fixture, right, .init()) })
        // From the known network, and from any network with a device token.
        _ = try await Self.signIn(fixture, right, Self.home)
        var device = elsewhere
        device.deviceTokens = [Secret("junk"), token]
        let tokens = try await Self.signIn(fixture, right, device)
        #expect(tokens.deviceToken?.reveal().prefix(12) == token.reveal().prefix(12))
        // The owner's sign-in does not change the lock of unknown clients, but makes its network known.
        #expect(await Self.isLimited { try await Self.signIn(fixture, right, Self.unknownClient) })
        _ = try await Self.signIn(fixture, right, elsewhere)
    }

    @Test func deviceTokenOfAnotherAccountIsIgnored() async throws {
        let fixture = try await IdentityFixture()
        _ = try await Self.signUp(fixture, Self.home)
        let eve = try await fixture.signUp("eve@example.com")
        try await Self.exhaustAttempts(fixture, Self.unknownClient)
        var client = Self.unknownClient
        client.deviceTokens = [try #require(eve.tokens.deviceToken)]
        #expect(await Self.isLimited { try await Self.signIn(fixture, "correct-horse-9", client) })
    }

    @Test func refreshKeepsDevice() async throws {
        let fixture = try await IdentityFixture()
        let tokens = try await Self.signUp(fixture, Self.home)
        fixture.clock.advance(by: .seconds(10))
        let refreshed = try await fixture.refresh(tokens.refreshToken)
        let device = try [tokens, refreshed].map { set in
            let id = try IDTokenIssuer.payload(of: set.idToken.reveal())["user_id"]
            guard case .string(let account)? = id else { throw ServiceError(.invalidIDToken) }
            return DeviceToken(
                try #require(set.deviceToken).reveal(), of: AccountID(account), in: IdentityFixture.realm,
                at: fixture.clock.now.timestamp, key: fixture.store.deviceKey)?.device
        }
        #expect(device[0] != nil && device[0] == device[1])
    }

    @Test func failuresOfDeviceCountInItsOwnBudget() async throws {
        let fixture = try await IdentityFixture()
        var device = Self.unknownClient
        device.deviceTokens = [try #require(try await Self.signUp(fixture, Self.home).deviceToken)]
        for _ in 1...5 {
            await #expect(throws: ServiceError(.invalidCredentials)) {
                try await Self.signIn(fixture, "wrong", device)
            }
        }
        #expect(await Self.isLimited { try await Self.signIn(fixture, "correct-horse-9", device) })
        // The budget of unknown clients is unchanged.
        _ = try await Self.signIn(fixture, "correct-horse-9", Self.unknownClient)
    }

    /// An error must not reveal to a caller in the owner's network whether an account exists.
    @Test func sharedNetworkGetsSameRefusalForAnyEmail() async throws {
        let fixture = try await IdentityFixture()
        _ = try await Self.signUp(fixture, Self.home)
        var errorsByEmail: [[String]] = []
        for email in ["ada@example.com", "nobody@example.com"] {
            let began = fixture.clock.now
            try await Self.exhaustAttempts(fixture, Self.unknownClient, email: email)
            var errors: [String] = []
            for _ in 1...8 {
                do {
                    _ = try await Self.signIn(fixture, "wrong", Self.home, email: email)
                } catch let error as ServiceError where error.code == .tooManyAttempts {
                    let until = try #require(error.retryTime)
                    errors.append("\(until.milliseconds - began.milliseconds)")
                } catch {
                    errors.append("\(error)")
                }
            }
            errorsByEmail.append(errors)
        }
        #expect(errorsByEmail[0] == errorsByEmail[1])
    }

    @Test(arguments: StoreEngine.allCases)
    func networksAreKnownForNinetyDays(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let account = try await fixture.signUp().account
        let email = try #require(account.email)
        func origin(_ address: String) async throws -> AttemptClient {
            try await fixture.store.conditions(
                of: .init(ipAddress: address), trying: email, in: IdentityFixture.realm, at: fixture.clock.now
            ).origin.client
        }
        for number in 0...KnownClient.maximumPerAccount {
            for _ in 1...2 {
                try await fixture.store.record(
                    .init(ipAddress: "192.0.2.\(number)"), of: account.id, in: IdentityFixture.realm,
                    at: fixture.clock.now)
            }
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(try await origin("192.0.2.0") == .unknown)
        #expect(try await origin("192.0.2.1") == .network(isKnown: true))
        #expect(try await origin("::ffff:192.0.2.16") == .network(isKnown: true))
        try await fixture.store.record(
            .init(ipAddress: "192.0.2.7"), of: AccountID("gone"), in: IdentityFixture.realm, at: fixture.clock.now)
        fixture.clock.advance(by: KnownClient.lifetime)
        #expect(try await origin("192.0.2.16") == .unknown)
    }

    /// Two processes on one database share the counters and verify each other's tokens.
    @Test(arguments: StoreEngine.shared)
    func processesShareCountersAndDeviceTokens(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine, name: "identity")
        let keys = try ReloadingMasterKeyRing(.variable(.init(.random())))
        let first = try await IdentityStore(try await place.open(), keys: keys)
        let second = try await IdentityStore(try await place.open(), keys: keys)
        #expect(first.deviceKey == second.deviceKey)
        let clock = ManualClock()
        let email = try #require(EmailAddress("ada@example.com"))
        let refusal = AuditEntry(
            at: clock.now, realm: IdentityFixture.realm, action: .signIn, outcome: .rateLimited, actor: .anonymous,
            traceID: "test")
        for store in [first, second, first, second, first] {
            _ = try await store.reserveAttempt(
                email, in: IdentityFixture.realm, from: .unknown, at: clock.now, audit: refusal)
        }
        for store in [first, second] {
            await #expect(throws: ServiceError.limited(by: .passwordAttempts, until: clock.now + .seconds(2))) {
                try await store.reserveAttempt(
                    email, in: IdentityFixture.realm, from: .unknown, at: clock.now, audit: refusal)
            }
        }
    }

    @Test func parallelFailuresOfUnknownClientDoNotLockOwner() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 500)
        _ = try await Self.signUp(fixture, Self.home)
        let (verified, owner) = await withTaskGroup { group in
            for guess in 0..<200 {
                group.addTask {
                    do {
                        _ = try await Self.signIn(fixture, "guess-\(guess)", Self.unknownClient)
                        return (1, 0)
                    } catch {
                        return (error as? ServiceError == ServiceError(.invalidCredentials) ? 1 : 0, 0)
                    }
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    // `try?`: counted below.
                    ((try? await Self.signIn(fixture, "correct-horse-9", Self.home)) == nil) ? (0, 0) : (0, 1)
                }
            }
            return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        // Five, and five more after each successful sign-in of the owner, which clears an open budget.
        #expect(verified <= 25 && owner == 4)
    }
}

extension ServiceError {
    fileprivate var retryTime: Moment? { if case .at(let time) = retry { time } else { nil } }
}
