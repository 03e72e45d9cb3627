import Contracts
import Vocabulary

/// A second factor that the owner of an account wants to enroll. It is checked in the order of REST 3.1: before a code
/// is sent or a secret is created, and again in the transaction that adds the factor.
struct FactorEnrollment: Sendable {
    var factor: Identity.EnrollableFactor
    var principal: Principal
    /// The authentication of the session of the request.
    var authentication: AuthenticationContext

    /// Maximum per account.
    static let maximumTOTPFactors = 1

    /// Accounts that sign in with these providers have no second factor.
    static let firstFactorsWithoutSecond: Set = [
        "anonymous", "phone", "custom", Federation.SupportedProvider.gameCenter.rawValue,
    ]

    /// Checks that this session may enroll factors.
    func checkSession(_ stored: StoredAccount) throws(ServiceError) {
        try stored.requireActive(tokenIssuedAt: principal.issuedAt)
        guard !Self.firstFactorsWithoutSecond.contains(authentication.signInProvider) else {
            throw ServiceError(.firstFactorNotEligible)
        }
        guard stored.account.hasVerifiedEmail else { throw ServiceError(.unverifiedEmail) }
    }

    /// Checks that the list has room for the factor, and that the session may add it.
    func checkList(of stored: StoredAccount, _ policy: SessionPolicy) throws(ServiceError) -> SecondFactor.Kind {
        let account = stored.account
        let kind: SecondFactor.Kind
        switch factor {
        case .phone(let number):
            // A number with which the account signs in is no second factor.
            guard account.phoneNumber == nil else { throw ServiceError(.unsupportedFirstFactor) }
            guard let number else { throw ServiceError(.invalidPhoneNumber) }
            kind = .phone(number)
            guard !account.secondFactors.contains(where: { $0.kind == kind }) else { throw ServiceError(.factorExists) }
        case .totp: kind = .totp
        }
        guard account.secondFactors.count < SecondFactorList.limit else { throw ServiceError(.tooManyFactors) }
        switch factor {
        case .phone: break  // Only the limit of the list applies.
        case .totp:
            let count = account.secondFactors.count { $0.kind == .totp }
            guard count < Self.maximumTOTPFactors else { throw ServiceError(.tooManyTOTPFactors) }
        }
        _ = try policy.authenticationContext(
            for: .init(
                operation: .factorEnrollment, stored: stored, authentication: authentication, presented: authentication)
        )
        return kind
    }

    /// Adds the factor. The caller has verified it.
    /// - Returns: the factor in the list; a factor that is enrolled already stays as it was.
    func apply(
        to stored: inout StoredAccount, id: FactorID, displayName: String?, at now: Moment, _ policy: SessionPolicy
    ) throws(ServiceError) -> SecondFactor {
        try checkSession(stored)
        if let listed = stored.account.secondFactors.first(where: { $0.id == id }) {
            guard Identity.EnrollableFactor(listed.kind) == factor else { throw ServiceError(.factorIDExists) }
            return listed
        }
        guard id.isAcceptable else { throw ServiceError(.invalidFactorID) }
        let kind = try checkList(of: stored, policy)
        let name = try SecondFactorList.checkedName(displayName)
        let enrolled = SecondFactor(id: id, kind: kind, displayName: name, enrolledAt: now)
        stored.account.secondFactors.append(enrolled)
        switch factor {
        case .phone: stored.endEarlierSessions(at: now)
        // Other devices stay signed in (tokens 3).
        case .totp: break
        }
        return enrolled
    }

    /// The authentication context of the session after the enrollment.
    func authenticationContext(with factor: SecondFactor, after stored: StoredAccount, at now: Moment)
        -> AuthenticationContext
    {
        var authentication = authentication
        authentication.authenticatedAt = max(now.timestamp, stored.account.validSince)
        authentication.secondFactor = .init(factor)
        authentication.scope = .full
        return authentication
    }
}

/// The withdrawal of a second factor by its owner (REST 3.3).
struct FactorWithdrawal: Sendable {
    var factorID: FactorID
    var principal: Principal
    /// The authentication of the session of the request.
    var authentication: AuthenticationContext
    var now: Moment

    /// Removes the factor, and ends every earlier session.
    /// - Throws: `accountDisabled`, `sessionExpired`, `factorNotFound`, `recentSignInRequired`, `secondFactorRequired`
    ///   for a session that was opened without a factor (TO11).
    func apply(to stored: inout StoredAccount) throws(ServiceError) -> SecondFactor {
        try stored.requireActive(tokenIssuedAt: principal.issuedAt)
        guard let position = stored.account.secondFactors.firstIndex(where: { $0.id == factorID }) else {
            throw ServiceError(.factorNotFound)
        }
        try principal.requireRecentSignIn(at: now)
        guard authentication.hasTwoFactors else { throw ServiceError(.secondFactorRequired) }
        let factor = stored.account.secondFactors.remove(at: position)
        stored.endEarlierSessions(at: now)
        return factor
    }

    /// The authentication context of the session after the withdrawal.
    /// - Returns: nil if the session ends, because it was opened with this factor and others remain.
    /// - Throws: what the policy refuses with.
    func authenticationContext(after stored: StoredAccount, _ policy: SessionPolicy) throws(ServiceError)
        -> AuthenticationContext?
    {
        var next = authentication
        if stored.account.secondFactors.isEmpty {
            next.secondFactor = nil
        } else if authentication.secondFactor?.id == factorID {
            return nil
        }
        return try policy.authenticationContext(
            for: .init(operation: .factorWithdrawal, stored: stored, authentication: next, presented: authentication))
    }
}

extension SecondFactor {
    /// Describes the factor without secrets.
    var hint: String {
        switch kind {
        case .phone(let number): number.masked
        // A notice has limited space.
        case .totp: displayName.map { String($0.unicodeScalars.prefix(100)) } ?? "TOTP"
        }
    }
}
