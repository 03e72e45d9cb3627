import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct AttemptBudgetsTests {
    static let start = Moment(milliseconds: 1_700_000_000_000)

    static let cases: [(AttemptClient, AttemptBudgets.Decision?, [AttemptBudgets.Budget])] = {
        let until = start + SignInAttempts.lockWindow
        return [
            (.unknown, nil, []),
            (.device, .evaluated, [.own, .trusted]),
            (.network(isKnown: true), .evaluatedAsLimited(until: until), [.own, .trusted]),
            (.network(isKnown: false), .refused(until: until), [.own]),
        ]
    }()

    @Test(arguments: cases)
    func unknownClientsUseOnlySharedBudget(
        client: AttemptClient, decision: AttemptBudgets.Decision?, charged: [AttemptBudgets.Budget]
    ) throws {
        var budgets = AttemptBudgets()
        budgets.shared = SignInAttempts(count: 20, blockedUntil: Self.start + SignInAttempts.lockWindow)
        let before = budgets
        guard let decision else {
            #expect(throws: ServiceError.limited(by: .passwordAttempts, until: Self.start + SignInAttempts.lockWindow))
            {
                try budgets.reserve(for: client, at: Self.start)
            }
            #expect(budgets == before)
            return
        }
        let reservation = try budgets.reserve(for: client, at: Self.start)
        #expect(reservation == .init(decision: decision, charged: charged))
        for budget in AttemptBudgets.Budget.allCases {
            #expect(budgets[budget].count == before[budget].count + (charged.contains(budget) ? 1 : 0))
        }
    }

    @Test(arguments: [AttemptClient.device, .network(isKnown: true), .network(isKnown: false)])
    func knownClientHasSameAttemptsAsUnknownClient(client: AttemptClient) throws {
        var budgets = AttemptBudgets()
        for _ in 1...5 { _ = try budgets.reserve(for: client, at: Self.start) }
        #expect(throws: ServiceError.limited(by: .passwordAttempts, until: Self.start + .seconds(2))) {
            try budgets.reserve(for: client, at: Self.start)
        }
    }

    /// Holds for any number of clients of every kind and for any delays between attempts.
    @Test func attemptsAreLimitedToOneHundred() throws {
        var budgets = AttemptBudgets()
        var evaluated = 0
        var now = Self.start
        for _ in 1...500 {
            // Each client has another device or another network.
            for client in [AttemptClient.device, .network(isKnown: true), .unknown] {
                budgets.own = .none
                // `try?`: after an error the next client tries.
                guard let reservation = try? budgets.reserve(for: client, at: now) else { continue }
                switch reservation.decision {
                case .evaluated, .evaluatedAsLimited: evaluated += 1
                case .refused: break
                }
            }
            now = now + .seconds(15 * 60)
            if evaluated >= 100 { break }
        }
        #expect(evaluated == 100)
        budgets.own = .none
        #expect(throws: ServiceError.self) { try budgets.reserve(for: .device, at: now) }
        #expect(throws: ServiceError.self) { try budgets.reserve(for: .unknown, at: now) }
    }
}

@Suite struct DeviceTokenTests {
    static let key = [UInt8](repeating: 7, count: 32)
    static let now = Timestamp(seconds: 1_700_000_000)
    static let realm = Realm(project: ProjectID("demo"))
    static let ada = AccountID("ada")

    static func token(session: UInt8 = 1, at time: Timestamp = now) -> DeviceToken {
        DeviceToken(
            of: ada, in: realm, session: SessionID(bytes: [UInt8](repeating: session, count: 16)), at: time, key: key)
    }

    @Test func tokenIsBoundToAccountAndRealm() {
        let token = Self.token()
        #expect(DeviceToken(token.text, of: Self.ada, in: Self.realm, at: Self.now, key: Self.key) == token)
        let tenant = Realm(project: Self.realm.project, tenant: TenantID("t"))
        #expect(DeviceToken(token.text, of: AccountID("eve"), in: Self.realm, at: Self.now, key: Self.key) == nil)
        #expect(DeviceToken(token.text, of: Self.ada, in: tenant, at: Self.now, key: Self.key) == nil)
        #expect(
            DeviceToken(token.text, of: Self.ada, in: Self.realm, at: Self.now, key: [UInt8](repeating: 8, count: 32))
                == nil)
    }

    @Test func refreshedTokenNamesSameDevice() {
        let later = Self.now + 3600
        #expect(Self.token().device == Self.token(at: later).device)
        #expect(Self.token().device != Self.token(session: 2).device)
        #expect(Self.token().text.prefix(12) == Self.token(session: 2, at: later).text.prefix(12))
    }

    @Test func tokenExpiresAfterFourHundredDays() {
        let token = Self.token()
        let end = Self.now + DeviceToken.lifetimeSeconds
        #expect(DeviceToken(token.text, of: Self.ada, in: Self.realm, at: end + -1, key: Self.key) != nil)
        #expect(DeviceToken(token.text, of: Self.ada, in: Self.realm, at: end, key: Self.key) == nil)
    }

    @Test func modifiedTokenIsRejected() {
        let text = Array(Self.token().text.utf8)
        for position in text.indices {
            var altered = text
            altered[position] = altered[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let other = String(decoding: altered, as: UTF8.self)
            #expect(DeviceToken(other, of: Self.ada, in: Self.realm, at: Self.now, key: Self.key) == nil)
        }
        for other in ["", "x", String(repeating: "_", count: 87), String(repeating: "A", count: 4096), "\u{301}"] {
            #expect(DeviceToken(other, of: Self.ada, in: Self.realm, at: Self.now, key: Self.key) == nil)
        }
    }
}
