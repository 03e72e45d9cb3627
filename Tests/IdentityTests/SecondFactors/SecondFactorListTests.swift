import Contracts
import Testing
import Vocabulary

@testable import IdentityService

/// `mfa.enrollments` of REST 2.12.
@Suite struct SecondFactorListTests {
    static let now = Moment(milliseconds: 1_700_000_000_000)
    static let before = Moment(milliseconds: 1_600_000_000_000)
    static let phone = SecondFactor(
        id: FactorID("phone"), kind: .phone(PhoneNumber("+12025550101")!), displayName: "old", enrolledAt: before)
    static let totp = SecondFactor(id: FactorID("totp"), kind: .totp, displayName: "app", enrolledAt: before)

    static func replace(_ entries: [Identity.FactorEntry]) throws(ServiceError) -> [SecondFactor] {
        try SecondFactorList.replacing([phone, totp], by: entries, at: now)
    }

    static func phones(_ count: Int) -> [Identity.FactorEntry] {
        (0..<count).map { .init(id: FactorID("\($0)"), kind: .phone(number: "+1202555014\($0)")) }
    }

    @Test func unlistedFactorIsRemoved() throws {
        #expect(try Self.replace([]) == [])
        #expect(try Self.replace([.init(id: FactorID("totp"), kind: .totp)]) == [Self.totp])
    }

    @Test func totpFactorIsKeptByID() throws {
        #expect(try Self.replace([.init(id: FactorID("totp"))]) == [Self.totp])
        var renamed = Self.totp
        renamed.displayName = "new"
        #expect(try Self.replace([.init(id: FactorID("totp"), kind: .totp, displayName: "new")]) == [renamed])
    }

    @Test func keptPhoneKeepsTimeAndTakesGivenName() throws {
        let kept = try Self.replace([.init(id: FactorID("phone"), kind: .phone(number: "+12025550101"))])
        #expect(kept.map(\.enrolledAt) == [Self.before] && kept.map(\.displayName) == [nil])
        let moved = try Self.replace([.init(id: FactorID("phone"), kind: .phone(number: "+12025550102"))])
        #expect(moved.map(\.enrolledAt) == [Self.now])
    }

    @Test func newFactorsKeepRequestOrder() throws {
        let made = try Self.replace(Self.phones(5).reversed())
        #expect(made.map(\.id.rawValue) == ["4", "3", "2", "1", "0"])
        #expect(made.map(\.enrolledAt) == made.map(\.enrolledAt).sorted() && Set(made.map(\.enrolledAt)).count == 5)
    }

    @Test func duplicateNumberIsOneFactor() throws {
        let made = try Self.replace([
            .init(id: FactorID("a"), kind: .phone(number: "+12025550101")),
            .init(id: FactorID("b"), kind: .phone(number: "+12025550101")),
        ])
        #expect(made.map(\.id.rawValue) == ["a"])
    }

    @Test(
        arguments: [
            ([.init(id: FactorID("a"), kind: .phone(number: "nonsense"))], ServiceError(.invalidFactorPhoneNumber)),
            ([.init(id: FactorID("a"))], ServiceError(.invalidFactorPhoneNumber)),
            ([.init(id: FactorID("phone"))], ServiceError(.invalidFactorPhoneNumber)),
            ([.init(id: FactorID("a"), kind: .totp)], ServiceError(.unsupportedSecondFactor)),
            ([.init(id: FactorID("phone"), kind: .totp)], ServiceError(.unsupportedSecondFactor)),
            ([.init(kind: .phone(number: "+12025550101"))], ServiceError(.invalidFactorID)),
            ([.init(id: FactorID(""), kind: .phone(number: "+12025550101"))], ServiceError(.invalidFactorID)),
            ([.init(id: FactorID("a\n"), kind: .phone(number: "+12025550101"))], ServiceError(.invalidFactorID)),
            (
                [.init(id: FactorID(String(repeating: "x", count: 129)), kind: .phone(number: "+12025550101"))],
                ServiceError(.invalidFactorID)
            ),
            (
                [
                    .init(id: FactorID("a"), kind: .phone(number: "+12025550101")),
                    .init(id: FactorID("a"), kind: .phone(number: "+12025550102")),
                ], ServiceError(.factorIDExists)
            ),
            (phones(6), ServiceError(.tooManyFactors)),
            (phones(5) + [.init(id: FactorID("totp"))], ServiceError(.tooManyFactors)),
            (
                [
                    .init(
                        id: FactorID("a"), kind: .phone(number: "+12025550101"), enrolledAt: Moment(milliseconds: -1))
                ], .timeOutOfRange
            ),
        ] as [([Identity.FactorEntry], ServiceError)])
    func invalidEntryIsRefused(entries: [Identity.FactorEntry], error: ServiceError) {
        #expect(throws: error) { try Self.replace(entries) }
    }

    // MARK: On an account

    static func account(_ factors: [SecondFactor] = []) -> StoredAccount {
        var stored = StoredAccountTests.account()
        stored.account.secondFactors = factors
        return stored
    }

    static func apply(_ changes: Identity.AccountChanges, to stored: StoredAccount) throws -> StoredAccount {
        var stored = stored
        try stored.apply(changes, passwordRecord: nil, at: StoredAccountTests.later)
        return stored
    }

    @Test func factorRemovalEndsSessionsAndAdditionDoesNot() throws {
        let added = try Self.apply(.init(secondFactors: Self.phones(2)), to: Self.account())
        #expect(added.account.secondFactors.count == 2 && !added.endsSessions)
        let one = Self.phones(1)
        #expect(try Self.apply(.init(secondFactors: one), to: Self.account(added.account.secondFactors)).endsSessions)
        #expect(try Self.apply(.init(secondFactors: []), to: Self.account([Self.totp])).endsSessions)
        let moved = [Identity.FactorEntry(id: FactorID("phone"), kind: .phone(number: "+12025550199"))]
        #expect(try Self.apply(.init(secondFactors: moved), to: Self.account([Self.phone])).endsSessions)
    }

    @Test func factorRequiresVerifiedEmail() throws {
        var unverified = Self.account()
        unverified.account.emailVerified = false
        #expect(throws: ServiceError(.unverifiedEmail)) {
            try Self.apply(.init(secondFactors: Self.phones(1)), to: unverified)
        }
        _ = try Self.apply(.init(emailVerified: true, secondFactors: Self.phones(1)), to: unverified)
        _ = try Self.apply(.init(secondFactors: []), to: unverified)
    }

    /// As in production, an administrator's factor is accepted beside a number. A number beside a factor could never sign in.
    @Test func factorIsAcceptedBesideNumberAndNumberBesideFactorIsNot() throws {
        #expect(throws: ServiceError(.unsupportedFirstFactor)) {
            try Self.apply(.init(phoneNumber: "+12025550150"), to: Self.account([Self.phone]))
        }
        _ = try Self.apply(.init(phoneNumber: "+12025550150", secondFactors: Self.phones(1)), to: Self.account())
        _ = try Self.apply(.init(phoneNumber: "+12025550150"), to: Self.account([Self.totp]))
        var known = Self.account()
        known.account.phoneNumber = PhoneNumber("+12025550150")
        let both = try Self.apply(.init(secondFactors: Self.phones(1)), to: known)
        #expect(both.account.phoneNumber == known.account.phoneNumber && both.account.secondFactors.count == 1)
        // Other changes of such an account are not refused.
        _ = try Self.apply(.init(displayName: "Ada"), to: both)
        _ = try Self.apply(.init(secondFactors: []), to: known)
        _ = try Self.apply(.init(secondFactors: Self.phones(1), removals: [.phoneNumber]), to: known)
        _ = try Self.apply(.init(phoneNumber: "+12025550150", secondFactors: []), to: Self.account([Self.phone]))
    }

    /// A blocking function may mark an account verified that has no address.
    @Test func factorRequiresAnAddress() throws {
        var stored = Self.account()
        stored.account.email = nil
        stored.account.emailVerified = true
        #expect(throws: ServiceError(.unverifiedEmail)) {
            try Self.apply(.init(secondFactors: Self.phones(1)), to: stored)
        }
    }
}
