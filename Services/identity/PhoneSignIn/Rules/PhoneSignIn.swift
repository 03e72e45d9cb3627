import Contracts
import Vocabulary

/// Decides the effect of a phone number that was just verified (REST 2.8). It runs inside the transaction, on the
/// accounts as they are there.
struct PhoneSignIn: Sendable {
    typealias Intent = Identity.PhoneIntent

    var number: PhoneNumber
    var intent: Intent
    /// From the ID token of the request; nil for a request without one.
    var principal: Principal?
    /// The request has a proof from an earlier conflict instead of a code.
    var usesTemporaryProof: Bool
    var allowsSelfSignUp: Bool
    var now: Moment

    enum Decision: Equatable, Sendable {
        case open(NewSession)
        /// The number stays with the account that has it, and nothing changes. The caller may sign in to that account.
        case conflict(with: AccountID)
    }

    /// - Parameters:
    ///   - currentOwner: the account that has the number now.
    ///   - requestingAccount: the account of the ID token, as it is now.
    ///   - newAccount: becomes the account of a number that no account has.
    /// - Throws: `accountNotFound`, `accountDisabled`, `sessionExpired`, `recentSignInRequired`,
    ///   `unsupportedFirstFactor`, `phoneNumberExists`, `adminOnlyOperation`.
    func decide(
        currentOwner: StoredAccount?, requestingAccount: StoredAccount?, newAccount: StoredAccount
    ) throws(ServiceError) -> Decision {
        guard let principal else { return .open(try signIn(currentOwner, newAccount)) }
        guard let requestingAccount else { throw ServiceError(.accountNotFound) }
        try requestingAccount.requireActive(tokenIssuedAt: principal.issuedAt)
        switch intent {
        case .reauthenticate:
            // The ID token of the request names the account to sign in to. The number of another account does not sign
            // in.
            guard let currentOwner, currentOwner.account.id == requestingAccount.account.id else {
                throw ServiceError(.accountNotFound)
            }
            return .open(try signIn(currentOwner, newAccount))
        case .signUpOrIn, .update, .link:
            return try link(requestingAccount, currentOwner, principal)
        }
    }

    private func signIn(_ currentOwner: StoredAccount?, _ newAccount: StoredAccount) throws(ServiceError) -> NewSession
    {
        guard let currentOwner else {
            switch intent {
            case .reauthenticate: throw ServiceError(.accountNotFound)
            case .update, .link: throw ServiceError(.missingIDToken)
            case .signUpOrIn: break
            }
            guard allowsSelfSignUp else { throw ServiceError(.adminOnlyOperation) }
            var account = newAccount
            account.account.phoneNumber = number
            account.account.recordSignIn(at: now)
            return NewSession(account: account, before: nil, action: .accountCreated, operation: .phoneSignIn)
        }
        guard !currentOwner.account.disabled else { throw ServiceError(.accountDisabled) }
        // An administrator may have added the factor after the code was sent.
        try currentOwner.account.requirePhoneAllowedAsFirstFactor()
        var account = currentOwner
        account.account.recordSignIn(at: now)
        return NewSession(account: account, before: currentOwner, action: .signIn, operation: .phoneSignIn)
    }

    private func link(
        _ requestingAccount: StoredAccount, _ currentOwner: StoredAccount?, _ principal: Principal
    ) throws(ServiceError) -> Decision {
        try requestingAccount.account.requirePhoneAllowedAsFirstFactor()
        if let currentOwner, currentOwner.account.id != requestingAccount.account.id {
            guard !usesTemporaryProof else { throw ServiceError(.phoneNumberExists) }
            return .conflict(with: currentOwner.account.id)
        }
        try Self.checkAddition(of: number, to: requestingAccount, principal, at: now)
        let previous = requestingAccount.account.phoneNumber
        var account = requestingAccount
        account.account.phoneNumber = number
        account.account.recordSignIn(at: now)
        // An additional sign-in method ends no session (tokens 3). An anonymous session continues too.
        let action: AuditEntry.Action =
            switch previous {
            case nil: .phoneLinked
            case number: .signIn
            case _?: .phoneChanged
            }
        return .open(
            NewSession(
                account: account, before: requestingAccount, action: action,
                operation: previous == number ? .phoneReauthentication : .phoneAddition))
    }

    /// Checks that an account may receive a number.
    /// - Throws: `unsupportedFirstFactor`, `recentSignInRequired`.
    static func checkAddition(
        of number: PhoneNumber, to stored: StoredAccount, _ principal: Principal, at now: Moment
    ) throws(ServiceError) {
        try stored.account.requirePhoneAllowedAsFirstFactor()
        // The new session counts as a new sign-in (SM13).
        if stored.account.phoneNumber != number { try stored.requireRecentSignIn(of: principal, at: now) }
    }
}

extension Account {
    /// The number of an account with a phone as second factor does not sign in: one SIM card could be both factors.
    /// - Throws: `unsupportedFirstFactor`.
    func requirePhoneAllowedAsFirstFactor() throws(ServiceError) {
        guard !secondFactors.contains(where: \.isPhone) else { throw ServiceError(.unsupportedFirstFactor) }
    }
}

/// An opaque `temporaryProof` of 256 bits: its bearer has verified a number that another account has. It is valid for
/// that number, once.
struct TemporaryProof: OpaqueCredential {
    static let lifetime = Duration.seconds(3600)
    static let version: UInt8 = 3

    var secret: [UInt8]
}
