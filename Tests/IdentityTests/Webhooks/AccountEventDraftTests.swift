import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct AccountEventDraftTests {
    private static let account = Account(
        id: AccountID("a"), realm: Realm(project: ProjectID("p")), email: EmailAddress("x@example.com"),
        hasPassword: true, passwordChangedAt: Moment(milliseconds: 1), validSince: Timestamp(seconds: 1),
        createdAt: Moment(milliseconds: 1))
    private static let factor = SecondFactor(
        id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 1))
    private static let link = ProviderLink(providerID: "google.com", providerAccountID: "1")

    private struct Change: Sendable {
        var apply: @Sendable (inout Account) -> Void
        var added: [AccountEventDraft]
        /// The event of the reverse change.
        var removed: [AccountEventDraft]
    }

    private static let changes: [Change] = [
        .init(apply: { $0.displayName = "Ada" }, added: [], removed: []),
        .init(apply: { $0.emailVerified = true }, added: [], removed: []),
        .init(apply: { $0.lastSignInAt = Moment(milliseconds: 9) }, added: [], removed: []),
        .init(
            apply: { $0.passwordChangedAt = Moment(milliseconds: 2) }, added: [.init(kind: .passwordChanged)],
            removed: [.init(kind: .passwordChanged)]),
        .init(
            apply: { $0.hasPassword = false }, added: [.init(kind: .passwordChanged)],
            removed: [.init(kind: .passwordChanged)]),
        .init(
            apply: { $0.email = nil }, added: [.init(kind: .emailChanged)], removed: [.init(kind: .emailChanged)]),
        .init(
            apply: { $0.secondFactors = [factor] },
            added: [.init(kind: .factorAdded, details: .init(factor: "totp", factorID: FactorID("f")))],
            removed: [.init(kind: .factorRemoved, details: .init(factor: "totp", factorID: FactorID("f")))]),
        .init(
            apply: { $0.providers = [link] },
            added: [.init(kind: .providerLinked, details: .init(provider: "google.com"))],
            removed: [.init(kind: .providerUnlinked, details: .init(provider: "google.com"))]),
        .init(apply: { $0.disabled = true }, added: [.init(kind: .disabled)], removed: [.init(kind: .enabled)]),
    ]

    @Test(arguments: changes.indices) func changeHasItsEvents(number: Int) {
        let change = Self.changes[number]
        var changed = Self.account
        change.apply(&changed)
        #expect(AccountEventDraft.changes(from: Self.account, to: changed) == change.added)
        #expect(AccountEventDraft.changes(from: changed, to: Self.account) == change.removed)
        #expect(AccountEventDraft.changes(from: changed, to: changed) == [])
    }

    @Test func changesOfOneRequestKeepTheirOrder() {
        var changed = Self.account
        changed.disabled = true
        changed.email = nil
        changed.hasPassword = false
        #expect(
            AccountEventDraft.changes(from: Self.account, to: changed).map(\.kind) == [
                .passwordChanged, .emailChanged, .disabled,
            ])
    }

    private static func session(authenticatedAt seconds: Int64) -> Session {
        Session.open(
            for: AccountID("a"), in: account.realm,
            authentication: AuthenticationContext(
                authenticatedAt: Timestamp(seconds: seconds), signInProvider: "password", secondFactor: .recoveryCode),
            at: Moment(milliseconds: 5_999), randomBytes: { .init(repeating: 1, count: $0) }
        ).0
    }

    @Test func sessionThatContinuesAnotherIsNoSignIn() {
        #expect(
            AccountEventDraft.signIn(Self.session(authenticatedAt: 5))
                == .init(kind: .signedIn, details: .init(provider: "password", factor: "recovery_code")))
        #expect(AccountEventDraft.signIn(Self.session(authenticatedAt: 4)) == nil)
    }

    /// A kind that a webhook can name, and that nothing causes, would never arrive.
    @Test func everyKindIsProduced() {
        var produced = Set(Self.changes.flatMap { $0.added + $0.removed }.map(\.kind))
        produced.formUnion([AccountEventDraft.created.kind, AccountEventDraft.deleted.kind])
        produced.formUnion([AccountEventDraft.signIn(Self.session(authenticatedAt: 5))].compactMap { $0?.kind })
        // Requested by an administrator: `WebhookHandlerTests` has its event.
        produced.insert(.test)
        #expect(produced == Set(AccountEvent.Kind.allCases))
    }

    @Test(
        arguments: [
            (nil, 1000, 1000), (999, 1000, 1000), (1000, 1000, 1001), (5000, 1000, 5001),
            (Int64.max, 1000, Int64.max),
        ] as [(Int64?, Int64, Int64)])
    func sequenceIncreasesAndFollowsTheClock(last: Int64?, now: Int64, next: Int64) {
        #expect(AccountEvent.sequence(after: last, at: Moment(milliseconds: now)) == next)
    }
}
