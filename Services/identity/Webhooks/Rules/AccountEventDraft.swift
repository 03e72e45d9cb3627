import Contracts
import Vocabulary

/// An event of an account, before it has an ID and a sequence number.
struct AccountEventDraft: Equatable, Sendable {
    var kind: AccountEvent.Kind
    var details = AccountEvent.Details()

    static let created = AccountEventDraft(kind: .created)
    static let deleted = AccountEventDraft(kind: .deleted)

    /// The event of a session that was just opened.
    /// - Returns: nil for a session that continues an earlier one, which has the time of that sign-in.
    static func signIn(_ session: Session) -> AccountEventDraft? {
        let authentication = session.authentication
        guard authentication.authenticatedAt == session.createdAt.timestamp else { return nil }
        return AccountEventDraft(
            kind: .signedIn,
            details: .init(
                provider: authentication.signInProvider, factor: authentication.secondFactor?.kind,
                factorID: authentication.secondFactor?.id))
    }

    /// The events of a change, in the order of the cases of `AccountEvent.Kind`. A change that the list does not
    /// contain, for example of the display name, has no event.
    static func changes(from before: Account, to after: Account) -> [AccountEventDraft] {
        var drafts: [AccountEventDraft] = []
        if before.hasPassword != after.hasPassword || before.passwordChangedAt != after.passwordChangedAt {
            drafts.append(.init(kind: .passwordChanged))
        }
        if before.email != after.email { drafts.append(.init(kind: .emailChanged)) }
        drafts += factors(of: after, missingIn: before).map { .init(kind: .factorAdded, details: $0) }
        drafts += factors(of: before, missingIn: after).map { .init(kind: .factorRemoved, details: $0) }
        drafts += after.links(addedTo: before).map {
            .init(kind: .providerLinked, details: .init(provider: $0.providerID))
        }
        drafts += before.links(addedTo: after).map {
            .init(kind: .providerUnlinked, details: .init(provider: $0.providerID))
        }
        switch (before.disabled, after.disabled) {
        case (false, true): drafts.append(.init(kind: .disabled))
        case (true, false): drafts.append(.init(kind: .enabled))
        case (true, true), (false, false): break
        }
        return drafts
    }

    private static func factors(of account: Account, missingIn other: Account) -> [AccountEvent.Details] {
        let known = Set(other.secondFactors.map(\.id))
        let secondFactors = account.secondFactors.filter { !known.contains($0.id) }.map {
            AccountEvent.Details(factor: $0.kind.method.rawValue, factorID: $0.id)
        }
        let passkeys = account.passkeys.filter { passkey in
            !other.passkeys.contains { $0.credentialID == passkey.credentialID }
        }
        return secondFactors + passkeys.map { _ in AccountEvent.Details(factor: AuthenticationContext.passkeyProvider) }
    }
}

extension AccountEvent {
    /// The sequence number that follows `last`: one more, or the Unix time in milliseconds if that is greater. Therefore
    /// a number that was deleted is not used again, as long as it is kept for longer than the clock is ever ahead.
    static func sequence(after last: Int64?, at now: Moment) -> Int64 {
        max(last.map { $0.addingSaturated(1) } ?? 0, now.milliseconds)
    }
}
