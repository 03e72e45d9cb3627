package import Vocabulary

/// Why a service refuses a request, named by its code. It is the only error that a service throws for its caller, and
/// the one that `BusClient` throws for the errors of other processes. Between them it is a `WireError`.
package struct ServiceError: Error, Hashable, Sendable {
    /// When the same request can succeed.
    package enum Retry: Hashable, Sendable {
        case at(Moment)
        case afterSeconds(Int)
    }

    package var code: WireError.Code
    /// For operators and for the detail text of some responses; never a secret.
    package var message: String?
    package var retry: Retry?
    /// The limit that was met: see `limited(by:until:)`.
    package var limit: LimitName?
    /// The unmet requirements of a refused password; empty for other errors.
    package var unmetPasswordRequirements: [UnmetPasswordRequirement]

    package init(
        _ code: WireError.Code, _ message: String? = nil, retry: Retry? = nil,
        unmetPasswordRequirements: [UnmetPasswordRequirement] = []
    ) {
        self.code = code
        self.message = message
        self.retry = retry
        self.unmetPasswordRequirements = unmetPasswordRequirements
    }

    /// The error of another process.
    package init(_ error: WireError) {
        self.init(
            error.code, error.message, retry: error.retryAfterSeconds.map(Retry.afterSeconds),
            unmetPasswordRequirements: error.unmetPasswordRequirements ?? [])
        limit = error.limit
    }

    /// The wait of a received error. Nil for a point in time, which only the process that decides it has.
    package var retryAfterSeconds: Int? {
        guard case .afterSeconds(let seconds) = retry else { return nil }
        return seconds
    }

    /// Whether a process decided against the request, as opposed to a call that failed and may have taken effect.
    package var isRefusal: Bool {
        ![.unavailable, .overloaded, .requestBlocked, .deadlineExceeded, .internal].contains(code)
    }

    package static let limitOutOfRange = ServiceError(.invalidRequest, "A limit or an offset is out of range.")
    /// A bounded queue of the service is full.
    package static let overloaded = ServiceError(.overloaded, retry: .afterSeconds(1))
}

extension WireError {
    /// - Parameter now: the time from which `retryAfterSeconds` is counted, rounded up.
    package init(_ error: ServiceError, now: Moment) {
        let retryAfterSeconds: Int? =
            switch error.retry {
            case .at(let time): time.secondsToWait(from: now)
            case .afterSeconds(let seconds): seconds
            case nil: nil
            }
        self.init(
            error.code, error.message, retryAfterSeconds: retryAfterSeconds, limit: error.limit,
            unmetPasswordRequirements: error.unmetPasswordRequirements.isEmpty ? nil : error.unmetPasswordRequirements)
    }
}
