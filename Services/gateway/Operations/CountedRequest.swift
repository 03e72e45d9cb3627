import Contracts
import ServiceRuntime
import Vocabulary

/// A request whose result is counted for the overview of the console: sign-ups, sign-ins and second factors. `Call.send`
/// counts it, for REST and for the pages.
protocol CountedRequest: BusRequest {
    var project: ProjectID { get }
    /// What counts for a result; the same for every error.
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter]
}

extension ActivityCounts {
    /// Operators who sign in to the console are not counted, and no project that does not exist: strangers can name any, and
    /// their entries would take the place of others.
    func count<Request: CountedRequest>(_ request: Request, _ result: Result<Request.Reply, ServiceError>) {
        guard request.project != .operators else { return }
        if case .failure(let error) = result, error.code == .projectNotFound { return }
        for counter in request.counters(after: result) { count(counter, in: request.project) }
    }
}

extension Result where Failure == ServiceError {
    fileprivate var outcome: ActivityCounter.Outcome {
        switch self {
        case .success: .accepted
        case .failure(let error): error.isRefusal ? .refused : .failed
        }
    }
}

/// A first factor, which may create an account.
private func firstFactor(
    _ method: ActivityCounter.SignInMethod, _ outcome: ActivityCounter.Outcome, isNewAccount: Bool = false
) -> [ActivityCounter] {
    [.signIn(method, outcome)] + (isNewAccount ? [.signUp(method)] : [])
}

// MARK: - First factors

extension Identity.SignUp: CountedRequest {
    var project: ProjectID { realm.project }

    /// A refused one is no sign-up, and one with an ID token changes an account.
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        guard linkIDToken == nil, result.outcome == .accepted else { return [] }
        return [.signUp(email.nilIfEmpty == nil ? .anonymous : .password)]
    }
}

extension Identity.SignInWithPassword: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        firstFactor(.password, result.outcome)
    }
}

extension Identity.SignInWithCustomToken: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        firstFactor(.customToken, result.outcome, isNewAccount: (try? result.get())?.isNewAccount ?? false)
    }
}

extension Identity.SignInWithEmailLink: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        guard linkIDToken == nil else { return [] }
        return firstFactor(.emailLink, result.outcome, isNewAccount: (try? result.get())?.isNewAccount ?? false)
    }
}

extension Identity.SignInWithEmailCode: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        guard linkIDToken == nil else { return [] }
        return firstFactor(.emailCode, result.outcome, isNewAccount: (try? result.get())?.isNewAccount ?? false)
    }
}

extension Result<Identity.PhoneSignInReply, ServiceError> {
    /// A number that another account has is a refusal.
    fileprivate var phoneCounters: [ActivityCounter] {
        let reply = try? get()
        return firstFactor(
            .phone, reply?.conflict == nil ? outcome : .refused, isNewAccount: reply?.session?.isNewAccount ?? false)
    }
}

extension MFASMS.FinishPhoneSignIn: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        idToken == nil ? result.phoneCounters : []
    }
}

extension Identity.SignInWithTemporaryProof: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        idToken == nil ? result.phoneCounters : []
    }
}

extension Passkey.FinishSignIn: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        firstFactor(.passkey, result.outcome)
    }
}

extension Result where Failure == ServiceError {
    /// A sign-in that needs another one first, or that conflicts, is a refusal.
    fileprivate func providerCounters(_ reply: Identity.ProviderSignInReply?) -> [ActivityCounter] {
        let isRefused = reply.map { $0.session == nil && $0.pending == nil } ?? false
        return firstFactor(
            .provider, isRefused ? .refused : outcome, isNewAccount: reply?.session?.isNewAccount ?? false)
    }
}

extension Federation.SignIn: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        linkIDToken == nil ? result.providerCounters((try? result.get())?.signIn) : []
    }
}

extension Federation.SignInWithGameCenter: CountedRequest {
    var project: ProjectID { realm.project }

    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        linkIDToken == nil ? result.providerCounters(try? result.get()) : []
    }
}

// MARK: - Second factors

extension MFATOTP.FinishSignIn: CountedRequest {
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        [.secondFactor(.totp, result.outcome)]
    }
}

extension MFASMS.FinishSignIn: CountedRequest {
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        [.secondFactor(.sms, result.outcome)]
    }
}

extension Identity.SignInWithRecoveryCode: CountedRequest {
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        [.secondFactor(.recoveryCode, result.outcome)]
    }
}

extension Identity.SignInWithRememberedDevice: CountedRequest {
    /// A device that is not remembered is asked for another factor.
    func counters(after result: Result<Reply, ServiceError>) -> [ActivityCounter] {
        result.outcome == .accepted ? [.secondFactor(.rememberedDevice, .accepted)] : []
    }
}
