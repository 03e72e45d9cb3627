import Contracts
import Vocabulary

/// What a session may be used for.
enum SessionScope: String, Codable, Sendable {
    case full
    /// For an account that requires a second factor and has none: the session can only enroll one, verify the address
    /// and read the account.
    case enrollment
    /// For an account that is to be deleted: the session can only restore and read it.
    case restoration
}

/// Every operation that returns tokens.
enum SessionOperation: CaseIterable, Sendable {
    // Signing in, without a session before.
    case anonymousSignUp, customTokenSignIn
    case passwordSignUp, passwordSignIn, emailLinkSignIn, phoneSignIn, passkeySignIn, providerSignIn
    // Completing a pending sign-in.
    case secondFactorSignIn, recoveryCodeSignIn, rememberedDeviceSignIn
    // With a session that continues.
    case refresh, authorizationCode, profileUpdate, sessionCookie
    /// Password, address, or other sign-in methods.
    case credentialUpdate
    case passwordLink
    /// The account already has the address, number or identity.
    case emailLinkReauthentication, phoneReauthentication, providerReauthentication
    case emailLinkAddition, phoneAddition, providerLink
    case factorEnrollment, factorWithdrawal, passkeyEnrollment
    /// The account was to be deleted.
    case restoration
}

/// Decides what opens or renews a session. No other type decides it (REST 0, security rule MP6).
///
/// Rules: a first factor requires the second one if the account has a factor of a requested method. A session without
/// that factor is continued with the time of its sign-in, and cannot change the sign-in methods. Only the verification
/// of a factor changes the time of the sign-in. Where every account needs a second factor, an account without one gets
/// a session of scope `enrollment`, and sessions without one end. Anonymous users and custom tokens are not challenged. A
/// passkey that verified the user counts as both factors, another one as the first. A session of a remembered device is
/// complete, but it has not shown the factor: it is refused what needs one.
struct SessionPolicy: Equatable, Sendable {
    var requiresSecondFactor = false
    /// Enrolled factors of these methods are requested at sign-in.
    var requestedMethods: Set<SecondFactor.Method> = []
    /// A remembered device stands in for the second factor of a sign-in.
    var acceptsRememberedDevices = false

    enum Decision: Equatable, Sendable {
        case open(AuthenticationContext)
        case awaitSecondFactor
        case refuse(ServiceError)
    }

    /// One operation that is to return tokens.
    struct Request: Sendable {
        var operation: SessionOperation
        /// The account after the operation; for `factorEnrollment` before it.
        var stored: StoredAccount
        /// The authentication context of the session to open, signed in now.
        var authentication: AuthenticationContext
        /// The authentication context of the session that the request presents.
        var presented: AuthenticationContext?
        /// The account was anonymous before: the new credential is its first factor, verified now.
        var upgradesAnonymous = false
    }

    func decide(_ request: Request) -> Decision {
        switch request.operation {
        case .anonymousSignUp, .customTokenSignIn, .secondFactorSignIn, .recoveryCodeSignIn:
            return .open(request.authentication)
        case .rememberedDeviceSignIn:
            // Without a requested factor there is nothing that the device stands in for.
            return acceptsRememberedDevices && isAsked(request)
                ? .open(request.authentication) : .refuse(ServiceError(.secondFactorRequired))
        case .passwordSignUp, .passwordSignIn, .emailLinkSignIn, .phoneSignIn, .passkeySignIn, .providerSignIn:
            return isAsked(request) && !request.authentication.hasTwoFactors
                ? .awaitSecondFactor : open(request.authentication, request)
        // A session of an application, with the authentication context of the page's session.
        case .refresh, .authorizationCode:
            return refresh(request)
        case .restoration: return restore(request)
        case .profileUpdate, .sessionCookie, .credentialUpdate, .passwordLink, .emailLinkReauthentication,
            .phoneReauthentication, .providerReauthentication, .emailLinkAddition, .phoneAddition, .providerLink,
            .factorEnrollment, .factorWithdrawal, .passkeyEnrollment:
            guard let presented = request.presented else { return .refuse(ServiceError(.missingIDToken)) }
            return continueSession(presented, request)
        }
    }

    /// The permitted use of an ID token's session. A token of full scope that was issued before the project required a
    /// second factor counts as one for enrollment.
    func scope(of authentication: AuthenticationContext, _ stored: StoredAccount) -> SessionScope {
        switch authentication.scope {
        case .full: hasEnough(authentication, stored) ? .full : .enrollment
        case .enrollment: .enrollment
        case .restoration: .restoration
        }
    }

    /// The authentication context of a sign-in whose factors are verified. An account that is to be deleted is as disabled;
    /// where the user is on a page that offers to restore it, the session can do that (security rule MP10).
    /// - Parameter client: nil for a sign-in without a user.
    /// - Throws: `accountDisabled`.
    static func signedIn(
        _ authentication: AuthenticationContext, to account: Account, _ client: ClientContext?
    ) throws(ServiceError) -> AuthenticationContext {
        guard account.deletionDueAt != nil else { return authentication }
        guard client?.offersRestoration == true else { throw ServiceError(.accountDisabled) }
        var authentication = authentication
        authentication.scope = .restoration
        return authentication
    }

    /// A session that was opened without a factor of the account does nothing that cannot be undone, even if it is older
    /// than the factor (security rule TO11).
    /// - Throws: `secondFactorRequired`.
    func requireRequestedFactor(in presented: AuthenticationContext, of account: Account) throws(ServiceError) {
        guard requestedFactors(of: account).isEmpty || presented.hasTwoFactors else {
            throw ServiceError(.secondFactorRequired)
        }
    }

    /// A request without a session has shown no factor. Whoever knows only the password must not end the sessions of the
    /// account's owner.
    /// - Throws: `secondFactorRequired`.
    func requireNoRequestedFactor(of account: Account) throws(ServiceError) {
        guard requestedFactors(of: account).isEmpty else { throw ServiceError(.secondFactorRequired) }
    }

    /// The enrolled factors that are requested at sign-in.
    func requestedFactors(of account: Account) -> [SecondFactor] {
        account.secondFactors.filter { requestedMethods.contains($0.kind.method) }
    }

    // MARK: Details

    private func refresh(_ request: Request) -> Decision {
        guard let presented = request.presented else { return .refuse(ServiceError(.missingRefreshToken)) }
        switch presented.scope {
        // The account has enrolled a factor meanwhile.
        case .enrollment: return isAsked(request) ? .refuse(ServiceError(.sessionExpired)) : .open(presented)
        case .full:
            return hasEnough(presented, request.stored)
                ? .open(presented) : .refuse(ServiceError(.sessionExpired))
        // The account itself decides until when.
        case .restoration:
            return request.operation == .refresh ? .open(presented) : .refuse(ServiceError(.sessionExpired))
        }
    }

    /// Opens the session that the sign-in would have opened. The page has verified its factors.
    private func restore(_ request: Request) -> Decision {
        guard let presented = request.presented else { return .refuse(ServiceError(.missingIDToken)) }
        guard presented.scope == .restoration else { return .refuse(ServiceError(.sessionExpired)) }
        guard !isAsked(request) || presented.hasTwoFactors else {
            return .refuse(ServiceError(.secondFactorRequired))
        }
        var request = request
        request.authentication.signInID = presented.signInID
        request.authentication.scope = .full
        return open(continuing(presented, request), request)
    }

    private func continueSession(_ presented: AuthenticationContext, _ request: Request) -> Decision {
        guard presented.scope != .restoration else { return .refuse(ServiceError(.sessionExpired)) }
        // The client goes on with the new session in the place of the presented one.
        var request = request
        request.authentication.signInID = presented.signInID
        let isVerified = presented.hasTwoFactors
        let scope = scope(of: presented, request.stored)
        if request.operation == .factorEnrollment {
            // An added factor can sign in, so its enrollment requires a requested factor (SM13, TO11).
            return isAsked(request) && !isVerified
                ? .refuse(ServiceError(.secondFactorRequired)) : .open(request.authentication)
        }
        // An upgraded account is no longer anonymous, but the session had full scope at the request.
        guard scope == .full || request.upgradesAnonymous && presented.scope == .full else {
            return .refuse(ServiceError(.secondFactorRequired))
        }
        let lacksFactor = isAsked(request) && !isVerified
        switch request.operation {
        case .profileUpdate:
            return open(continuing(presented, request), request)
        case .sessionCookie:
            return lacksFactor && !isRemembered(presented)
                ? .refuse(ServiceError(.secondFactorRequired)) : open(continuing(presented, request), request)
        case .credentialUpdate, .passwordLink:
            return lacksFactor
                ? .refuse(ServiceError(.secondFactorRequired)) : open(continuing(presented, request), request)
        case .emailLinkAddition, .phoneAddition, .providerLink, .passkeyEnrollment:
            if lacksFactor { return .refuse(ServiceError(.secondFactorRequired)) }
            return open(
                request.upgradesAnonymous ? request.authentication : continuing(presented, request), request)
        case .emailLinkReauthentication, .phoneReauthentication, .providerReauthentication:
            if lacksFactor { return .awaitSecondFactor }
            // The factor of the session was not verified again.
            return open(isVerified ? continuing(presented, request) : request.authentication, request)
        case .factorWithdrawal:
            return isVerified
                ? open(continuing(presented, request), request) : .refuse(ServiceError(.secondFactorRequired))
        case .factorEnrollment, .anonymousSignUp, .customTokenSignIn, .passwordSignUp, .passwordSignIn,
            .emailLinkSignIn, .phoneSignIn, .passkeySignIn, .providerSignIn, .secondFactorSignIn, .recoveryCodeSignIn,
            .rememberedDeviceSignIn, .refresh, .authorizationCode, .restoration:
            return .refuse(ServiceError(.invalidIDToken))
        }
    }

    /// The authentication context of the session to open, with the time of the presented session. If the operation has
    /// voided earlier sessions, the time is that of the operation: an earlier one would be void at once.
    private func continuing(_ presented: AuthenticationContext, _ request: Request) -> AuthenticationContext {
        var authentication = request.authentication
        authentication.authenticatedAt = presented.authenticatedAt
        if request.stored.endsSessions {
            authentication.authenticatedAt = max(authentication.authenticatedAt, request.stored.account.validSince)
        }
        return authentication
    }

    /// Opens the session, with the scope that its account permits.
    private func open(_ authentication: AuthenticationContext, _ request: Request) -> Decision {
        guard !hasEnough(authentication, request.stored) else { return .open(authentication) }
        // Such a session could not enroll a factor.
        guard !FactorEnrollment.firstFactorsWithoutSecond.contains(authentication.signInProvider) else {
            return .refuse(ServiceError(.firstFactorNotEligible))
        }
        var authentication = authentication
        authentication.scope = .enrollment
        return .open(authentication)
    }

    /// At the console a passkey is asked for as an enrolled factor is: the password alone opens no session of an operator who
    /// has one, and adds no factor. `PasskeyEnrollment` itself decides about a further passkey.
    private func isAsked(_ request: Request) -> Bool {
        let account = request.stored.account
        return !requestedFactors(of: account).isEmpty
            || account.realm == .operators && !account.passkeys.isEmpty && request.operation != .passkeyEnrollment
    }

    /// Whether a session of full scope may have this authentication context.
    private func hasEnough(_ authentication: AuthenticationContext, _ stored: StoredAccount) -> Bool {
        !requiresSecondFactor || authentication.hasTwoFactors || isRemembered(authentication)
            || isUnchallenged(authentication.signInProvider, stored)
    }

    private func isRemembered(_ authentication: AuthenticationContext) -> Bool {
        acceptsRememberedDevices && authentication.isDeviceRemembered == true
    }

    private func isUnchallenged(_ provider: String, _ stored: StoredAccount) -> Bool {
        provider == AuthenticationContext.customProvider || stored.isAnonymousUser(of: provider)
    }
}

extension SessionPolicy {
    init(_ configuration: ProjectConfiguration) {
        self.init(
            requiresSecondFactor: configuration.requiresSecondFactor,
            requestedMethods: Set(
                SecondFactor.Method.allCases.filter { configuration.requiresSecondFactor(method: $0) }),
            acceptsRememberedDevices: configuration.rememberedDeviceDays > 0)
    }

    /// For operations that do not continue with a second factor.
    /// - Throws: the refusal of the policy; `secondFactorRequired` instead of a pending sign-in.
    func authenticationContext(for request: Request) throws(ServiceError) -> AuthenticationContext {
        switch decide(request) {
        case .open(let authentication): return authentication
        case .awaitSecondFactor: throw ServiceError(.secondFactorRequired)
        case .refuse(let error): throw error
        }
    }
}
