import Contracts
import Crypto
import SQL
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Passwords of other systems: how long refusals take, and whom they delay (security rules PW10 and PW11).
@Suite struct OldHashTests {
    /// The pauses of a hasher, on a clock that only they move.
    private final class Pauses: Sendable {
        let clock = ManualClock()
        private let durations = Mutex<[Duration]>([])
        var all: [Duration] { durations.withLock { $0 } }
        func pause(_ duration: Duration) {
            durations.withLock { $0.append(duration) }
            clock.advance(by: duration)
        }
    }

    private static let salt = OctetString([UInt8](repeating: 1, count: 16))
    private static let right = "the password of Ada"

    private static func hasher(
        threads: Int = 1, maximumWaiting: Int = 8, clock: ManualClock = ManualClock(),
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> PasswordHasher {
        PasswordHasher(
            threads: threads, maximumWaiting: maximumWaiting,
            parameters: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 32),
            pepper: .init(id: "pepper", key: [1, 2, 3]), now: { clock.now }, steadyNow: { clock.instant }, pause: pause,
            randomBytes: Random.bytes)
    }

    private static func imported(_ hasher: PasswordHasher, rounds: Int = 1) throws -> String {
        let salted = Array(right.utf8) + salt.bytes
        let hash = (0..<rounds).reduce(salted) { text, _ in HashFunction.sha256.digest(text) }
        return try hasher.record(
            of: ImportedPassword(
                algorithm: .digest(.sha256, rounds: rounds, order: .passwordAndSalt), salt: salt,
                hash: OctetString(hash)))
    }

    /// Unknown address, own hash and imported hash: every refusal waits until the same time, and no right answer waits.
    @Test(arguments: [Duration.zero, .milliseconds(375), .seconds(2)])
    func everyRefusalTakesTheTimeOfTheSlowestHash(time: Duration) async throws {
        let network = ClientNetwork("192.0.2.1")
        for (kind, isRight) in [
            ("unknown", false), ("own", false), ("own", true), ("imported", false), ("imported", true),
        ] {
            let pauses = Pauses()
            let hasher = Self.hasher(clock: pauses.clock, pause: pauses.pause)
            let deadline = pauses.clock.now + .seconds(60)
            let record: String? =
                switch kind {
                case "own": try await hasher.record(of: try #require(Password(Self.right)), by: deadline)
                case "imported": try Self.imported(hasher)
                default: nil
                }
            let comparison = try await hasher.compare(
                try #require(Password(isRight ? Self.right : "another password")), with: record,
                refusingAfter: .init(duration: time, network: network), by: deadline)
            #expect((comparison != .different) == isRight, "\(kind)")
            // The manual clock stands still during the comparison, so that the rest is all of it.
            #expect(pauses.all == (isRight || time == .zero ? [] : [time]), "\(kind) \(isRight)")
        }
    }

    /// Guesses that wait for the time of an old hash do not keep others from hashing, and those of one network delay another
    /// network by one.
    @Test func oldHashesDelayNoOtherPassword() async throws {
        let gate = Gate()
        // Two slots: the thread may still be ending one job when the next one begins.
        let hasher = Self.hasher(threads: 1, maximumWaiting: 1, pause: { _ in await gate.wait() })
        let deadline = ManualClock().now + .seconds(3600)
        let own = try await hasher.record(of: try #require(Password(Self.right)), by: deadline)
        func guess(_ password: String, _ record: String?, from address: String) async throws
            -> PasswordHasher.Comparison
        {
            try await hasher.withSlot {
                try await hasher.compare(
                    try #require(Password(password)), with: record,
                    refusingAfter: .init(duration: .seconds(1), network: ClientNetwork(address)), by: deadline)
            }
        }
        try await withThrowingTaskGroup { group in
            group.addTask { _ = try await guess("wrong", nil, from: "192.0.2.1") }
            await gate.untilWaiting()
            do {
                defer { gate.open() }
                try await hasher.withSlot {
                    // The slot of the guess is free again.
                    try hasher.requireFreeSlot()
                    #expect(try await guess(Self.right, own, from: "192.0.2.2") == .equal(replacement: nil))
                }
            }
            try await group.waitForAll()
        }
    }

    /// A gate that pauses wait at until it is opened.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var watchers: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())

        func wait() async {
            await withCheckedContinuation { continuation in
                let watchers: [CheckedContinuation<Void, Never>] = state.withLock { state in
                    if state.isOpen {
                        continuation.resume()
                    } else {
                        state.waiting.append(continuation)
                    }
                    defer { state.watchers = [] }
                    return state.watchers
                }
                for watcher in watchers { watcher.resume() }
            }
        }

        func untilWaiting() async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.waiting.isEmpty {
                        state.watchers.append(continuation)
                    } else {
                        continuation.resume()
                    }
                }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test func manyGuessesAtOnceAreRefused() async throws {
        let gate = Gate()
        let hasher = Self.hasher(threads: 1, maximumWaiting: 100, pause: { _ in await gate.wait() })
        let deadline = ManualClock().now + .seconds(3600)
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        _ = try await hasher.compare(
                            try #require(Password("wrong")), with: nil,
                            refusingAfter: .init(duration: .seconds(1), network: ClientNetwork("192.0.2.1")),
                            by: deadline)
                        return false
                    } catch let error as ServiceError where error == .overloaded {
                        return true
                    }
                }
            }
            var refused = 0
            for try await isRefused in group {
                refused += isRefused ? 1 : 0
                // A slot has at most half of its five seconds for one network.
                if refused == 38 { gate.open() }
            }
            return refused
        }
        #expect(refused == 38)
    }

    // MARK: Times

    @Test func timesAreMeasuredOncePerCost() async throws {
        let steps = Mutex(0)
        let start = ContinuousClock.now
        let clock = ManualClock()
        let hasher = PasswordHasher(
            threads: 1, maximumWaiting: 8,
            parameters: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 32),
            pepper: .init(id: "pepper", key: [1]), now: { clock.now },
            steadyNow: {
                // Each comparison reads the clock twice, and seems to take longer than the one before.
                let step = steps.withLock { steps -> Int in
                    steps += 1
                    return steps
                }
                return start + .milliseconds(step * step * 10)
            }, pause: { _ in }, randomBytes: Random.bytes)
        let one = try #require(try await hasher.oldHashMilliseconds(of: try Self.imported(hasher)))
        #expect(try await hasher.oldHashMilliseconds(of: try Self.imported(hasher)) == one)
        let other = try #require(try await hasher.oldHashMilliseconds(of: try Self.imported(hasher, rounds: 2)))
        #expect(one == 30 && other == 70)
        let own = try await hasher.record(
            of: try #require(Password(Self.right)), by: clock.now + .seconds(1))
        #expect(try await hasher.oldHashMilliseconds(of: own) == nil)
        let foreign = Self.hasher()
        // Another pepper has the same name, and does not open the record.
        #expect(try await foreign.oldHashMilliseconds(of: try Self.imported(hasher)) == 0)
    }

    @Test func refusalsHaveAMarginAndAMaximum() {
        for (milliseconds, expected) in [(nil, 0), (0, 0), (1, 1), (250, 375), (4000, 6000), (.max, 6000)]
            as [(Int64?, Int)]
        {
            #expect(
                OldHashTime(slowestMilliseconds: milliseconds, network: nil).duration == .milliseconds(expected))
        }
    }

    // MARK: Realms

    private static func importing(
        _ fixture: IdentityFixture, _ ids: [String], in realm: Realm = IdentityFixture.realm, rounds: Int = 1
    ) async throws {
        let hash = (0..<rounds).reduce(Array(right.utf8) + salt.bytes) { text, _ in HashFunction.sha256.digest(text) }
        let reply = try await fixture.send(
            Identity.ImportAccounts(
                realm: realm,
                accounts: ids.map { id in
                    .init(
                        id: AccountID(id), profile: .init(email: "\(id)@example.com"), passwordHash: OctetString(hash),
                        salt: salt)
                }, algorithm: .digest(.sha256, rounds: rounds, order: .passwordAndSalt), allowsOverwrite: true))
        #expect(reply.rejections.isEmpty)
    }

    private static func slowest(_ fixture: IdentityFixture, in realm: Realm = IdentityFixture.realm) async throws
        -> Int64?
    {
        try await fixture.store.conditions(
            of: .init(), trying: try #require(EmailAddress("nobody@example.com")), in: realm, at: fixture.clock.now
        ).slowestOldHash
    }

    /// An import stores the time, and the last sign-in with an imported password ends the waiting.
    @Test(arguments: StoreEngine.allCases)
    func realmHasTheTimeOfItsSlowestHash(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.signUp("own@example.com")
        #expect(try await Self.slowest(fixture) == nil)
        try await Self.importing(fixture, ["ada", "bob"])
        #expect(try #require(try await Self.slowest(fixture)) >= 1)
        let tenant = try await fixture.makeTenant()
        #expect(try await Self.slowest(fixture, in: tenant) == nil)
        _ = try await fixture.signIn("ada@example.com", Self.right)
        #expect(try await Self.slowest(fixture) != nil)
        _ = try await fixture.change(AccountID("bob"), .init(password: Secret("another password")))
        #expect(try await Self.slowest(fixture) == nil)
        _ = try await fixture.signIn("ada@example.com", Self.right)
    }

    /// Hashes of an earlier version have no time.
    @Test(arguments: StoreEngine.allCases)
    func storedHashesAreMeasured(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let tenant = try await fixture.makeTenant()
        try await Self.importing(fixture, (0..<450).map { "u\($0)" }.prefix(200).map(\.self))
        try await Self.importing(fixture, (200..<250).map { "u\($0)" })
        try await Self.importing(fixture, ["t"], in: tenant, rounds: 3)
        _ = try await fixture.signUp("own@example.com")
        try await fixture.store.write { transaction in
            try transaction.execute("UPDATE accounts SET imported_hash_ms = NULL")
        }
        #expect(try await Self.slowest(fixture) == nil)
        // 252 accounts: the last page is full.
        try await fixture.service.oldHashMeasurement.measureAll(accountsAtOnce: 7)
        #expect(try await Self.slowest(fixture) != nil)
        #expect(try await Self.slowest(fixture, in: tenant) != nil)
        #expect(try await fixture.store.unmeasuredHashes(after: nil, among: 1000).hashes.isEmpty)
        // A record that a sign-in has replaced meanwhile gets no time.
        let replaced = UnmeasuredHash(realm: IdentityFixture.realm, accountID: AccountID("u0"), record: "other")
        try await fixture.store.record([(replaced, 99_999)])
        #expect(try #require(try await Self.slowest(fixture)) < 99_999)
    }

    /// A network has a budget of time for wrong passwords, and right ones cost nothing.
    @Test func wrongPasswordsOfANetworkAreChargedByTime() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        try await Self.importing(fixture, ["ada"])
        try await fixture.store.write { transaction in
            try transaction.execute("UPDATE accounts SET imported_hash_ms = 4000")
        }
        func signIn(_ email: String, _ password: String, from address: String) async throws {
            _ = try await fixture.send(
                Identity.SignInWithPassword(
                    realm: IdentityFixture.realm, email: email, password: Secret(password),
                    client: .init(ipAddress: address)))
        }
        // 6 s each of 10 s.
        await #expect(throws: ServiceError(.invalidCredentials)) {
            try await signIn("nobody@example.com", "wrong", from: "192.0.2.1")
        }
        for email in ["nobody@example.com", "ada@example.com", "other@example.com"] {
            let error = await #expect(throws: ServiceError.self) {
                try await signIn(email, "wrong", from: "192.0.2.1")
            }
            #expect(error?.code == .tooManyAttempts && error?.limit == .importedPasswordTime)
        }
        // The refused attempts are not counted for the address, and another network has a budget of its own.
        for _ in 0..<3 {
            try await Self.importing(fixture, ["ada"])
            try await fixture.store.write { transaction in
                try transaction.execute("UPDATE accounts SET imported_hash_ms = 4000")
            }
            try await signIn("ada@example.com", Self.right, from: "192.0.2.2")
        }
    }

    // MARK: Costs

    @Test(arguments: [(12, 12, true), (13, 12, false), (13, 13, true), (14, 13, false), (14, 14, true), (10, 9, false)])
    func operatorConfirmsExpensiveBcrypt(cost: Int, maximum: Int, isAccepted: Bool) {
        let hash = Array("$2b$\(cost)$abcdefghijklmnopqrstuu5Lo0g67CiD3M4RpN1BmBb4Crp5w7dbK".utf8)
        let error = { () -> ServiceError? in
            do throws(ServiceError) {
                try PasswordHashAlgorithm.bcrypt.check(salt: [], hash: hash, maximumBcryptCost: maximum)
                return nil
            } catch { return error }
        }()
        #expect((error == nil) == isAccepted)
        if let error {
            #expect(
                error.code == .invalidPasswordHash && error.message?.contains("LATCHKEY_IMPORT_BCRYPT_COST") == true)
        }
    }

    @Test func costsDependOnWhatTakesTime() {
        let hash = [UInt8](repeating: 0, count: 32)
        func cost(_ algorithm: PasswordHashAlgorithm, _ bytes: [UInt8]? = nil) -> PasswordHashCost {
            PasswordHashCost(algorithm, hash: bytes ?? hash)
        }
        let key = { (text: String) in Secret(OctetString(Array(text.utf8))) }
        #expect(
            cost(.hmac(.md5, key: key("a"), order: nil)) == cost(.hmac(.md5, key: key("b"), order: .saltAndPassword)))
        #expect(cost(.pbkdf2(.sha256, rounds: 1)) != cost(.pbkdf2(.sha256, rounds: 2)))
        #expect(cost(.pbkdf2(.sha256, rounds: 1)) != cost(.pbkdf2(.sha512, rounds: 1)))
        #expect(cost(.pbkdf2(.sha256, rounds: 1)) != cost(.pbkdf2(.sha256, rounds: 1), hash + hash))
        func bcrypt(_ cost: Int) -> [UInt8] {
            Array("$2b$\(cost)$abcdefghijklmnopqrstuu5Lo0g67CiD3M4RpN1BmBb4Crp5w7dbK".utf8)
        }
        #expect(cost(.bcrypt, bcrypt(10)) != cost(.bcrypt, bcrypt(11)))
    }
}
