import Contracts
import Vocabulary

/// Decides what stands in the way of a sign-in of an account.
struct SignInCircumstances: Sendable {
    var account: Account
    /// Of the realm of the account.
    var configuration: ProjectConfiguration
    var isRealmDisabled: Bool
    /// Of the budget that unknown clients share.
    var attempts: SignInAttempts

    func obstacles(at now: Moment) -> [Identity.SignInObstacle] {
        var found: [Identity.SignInObstacle] = []
        if account.disabled { found.append(.init(.accountDisabled)) }
        if let dueAt = account.deletionDueAt { found.append(.init(.deletionScheduled, until: dueAt)) }
        if isRealmDisabled { found.append(.init(.tenantDisabled)) }
        let refused = methods.filter { !permits($0) }
        if methods.isEmpty {
            found.append(.init(.noMethod))
        } else if refused.count == methods.count {
            found.append(.init(.noPermittedMethod))
        }
        if account.hasPassword, let until = attempts.blockedUntil,
            until.endsWindow(ofAtMost: SignInAttempts.memory, at: now)
        {
            found.append(.init(.tooManyAttempts, until: until))
        }
        if configuration.requiresSecondFactor, account.secondFactors.isEmpty {
            let needsAddress = account.email != nil && !account.emailVerified
            found.append(.init(needsAddress ? .unverifiedAddress : .missingSecondFactor))
        }
        if refused.count < methods.count { found += refused.map { .init(.methodNotPermitted, method: $0) } }
        return found
    }

    /// Those that the account has.
    private var methods: [Identity.SignInObstacle.Method] {
        Identity.SignInObstacle.Method.allCases.filter { method in
            switch method {
            case .password: account.hasPassword
            case .emailLink: account.emailLinkSignIn
            case .phone: account.phoneNumber != nil
            case .passkey: !account.passkeys.isEmpty
            case .provider: !account.providers.isEmpty
            }
        }
    }

    /// Federation decides which providers it offers.
    private func permits(_ method: Identity.SignInObstacle.Method) -> Bool {
        switch method {
        case .password: configuration.allowsPasswordSignIn
        case .emailLink: configuration.allowsEmailLinkSignIn || configuration.allowsEmailCodes
        case .phone: configuration.allowsPhoneSignIn
        case .passkey: configuration.passkeyConfig.allowsPasskeys
        case .provider: true
        }
    }
}
