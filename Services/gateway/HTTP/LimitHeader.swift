import Contracts
import HTTPServer

extension LimitName {
    /// The header field of a refusal: which limit was met.
    static let header = "X-Latchkey-Limit"
}

extension HTTPResponse {
    /// The limit that the response names.
    var limit: LimitName? {
        headers.first { $0.name == LimitName.header }.flatMap { LimitName(rawValue: $0.value) }
    }
}

extension RateLimitClass {
    /// The limit of requests of this class; nil for a class without one.
    var limitName: LimitName? {
        switch self {
        case .signIn: .signInRequests
        case .signUp: .signUpRequests
        case .refresh: .refreshRequests
        case .other: .otherRequests
        case .exempt: nil
        }
    }
}
