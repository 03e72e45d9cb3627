import Contracts
import Vocabulary

/// The classification of a client that attempts a password for an address.
enum AttemptClient: Hashable, Sendable {
    case unknown
    /// It comes from a network from which accounts of the realm have signed in.
    /// - isKnown: also the account of this address.
    case network(isKnown: Bool)
    /// It presents a device token of the account.
    case device
}

/// The budgets of wrong passwords, or of wrong e-mail codes, for one address (security rule RL1 to RL3; OWASP "device cookies"). Unknown clients
/// share one. A client that has signed in before has its own, which unknown clients cannot exhaust.
///
/// A network is weaker evidence than a device token, because unknown users may share it. The error must not reveal to
/// them whether an account exists. So each address has its own budget for such a network, with or without an account.
/// While the shared budget is closed, a wrong password from that network is refused like every attempt of an unknown
/// client.
struct AttemptBudgets: Equatable, Sendable {
    enum Budget: CaseIterable, Sendable {
        /// The budget of the address, for all unknown clients.
        case shared
        /// The budget of this client.
        case own
        /// The budget of the address, for all attempts that the shared budget did not cover: a limit without delays.
        case trusted
    }

    /// How a counted attempt is evaluated.
    enum Decision: Equatable, Sendable {
        /// A wrong password gets its own error.
        case evaluated
        /// A wrong password gets the same error as an attempt above the limit.
        case evaluatedAsLimited(until: Moment)
        /// Refused for any password, after the time of a comparison.
        case refused(until: Moment)
    }

    struct Reservation: Equatable, Sendable {
        var decision: Decision
        /// The budgets in which the attempt was counted.
        var charged: [Budget]
    }

    var shared = SignInAttempts.none
    var own = SignInAttempts.none
    var trusted = SignInAttempts.none

    /// Consecutive attempts beyond the shared budget, of all known clients together. With the maximum of the shared
    /// budget their sum is 100.
    static let maximumTrusted = 40

    subscript(budget: Budget) -> SignInAttempts {
        get {
            switch budget {
            case .shared: shared
            case .own: own
            case .trusted: trusted
            }
        }
        set {
            switch budget {
            case .shared: shared = newValue
            case .own: own = newValue
            case .trusted: trusted = newValue
            }
        }
    }

    /// Counts an attempt in the budgets of its client.
    /// - Parameter limit: the name of the refusal.
    /// - Throws: `tooManyAttempts`; then nothing was counted.
    mutating func reserve(
        for client: AttemptClient, at now: Moment, limit: LimitName = .passwordAttempts
    ) throws(ServiceError) -> Reservation {
        let hasTrust = trusted.count < Self.maximumTrusted
        switch client {
        case .unknown:
            try shared.reserve(at: now, limit: limit)
            return .init(decision: .evaluated, charged: [.shared])
        case .device:
            guard hasTrust else { return try reserve(for: .unknown, at: now, limit: limit) }
            try own.reserve(at: now, limit: limit)
            trusted.count += 1
            return .init(decision: .evaluated, charged: [.own, .trusted])
        case .network(let isKnown):
            try own.reserve(at: now, limit: limit)
            do throws(ServiceError) {
                try shared.reserve(at: now, limit: limit)
                return .init(decision: .evaluated, charged: [.own, .shared])
            } catch {
                let until = shared.blockedUntil ?? now
                guard isKnown && hasTrust else { return .init(decision: .refused(until: until), charged: [.own]) }
                trusted.count += 1
                return .init(decision: .evaluatedAsLimited(until: until), charged: [.own, .trusted])
            }
        }
    }
}
