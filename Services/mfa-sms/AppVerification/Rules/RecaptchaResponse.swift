import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// What reCAPTCHA says of a token (its "siteverify").
enum RecaptchaResponse: Equatable, Sendable {
    case valid
    case invalid
    /// The service, or how we are known to it, is at fault: nobody can tell.
    case indeterminate(ServiceFailure)

    enum ServiceFailure: Equatable, Sendable {
        /// No JSON with what it has to say, or no success of HTTP.
        case unreadable
        /// `LATCHKEY_RECAPTCHA_SECRET` is not one.
        case secretRefused
    }

    private struct Body: Decodable {
        var success: Bool
        var hostname: String?
        /// Of keys that judge silently, 0 (a program) to 1.
        var score: Double?
        var errors: [String]?

        enum CodingKeys: String, CodingKey { case success, hostname, score, errors = "error-codes" }
    }

    /// - Parameters:
    ///   - body: of the answer.
    ///   - status: of HTTP.
    ///   - configuration: its domains are where the token may have been made.
    init(_ body: Data, status: Int, for configuration: ProjectConfiguration) {
        guard status == 200, let body = Self.read(body) else {
            self = .indeterminate(.unreadable)
            return
        }
        guard body.success else {
            let faults = ["missing-input-secret", "invalid-input-secret", "invalid-keys"]
            self = body.errors?.contains(where: faults.contains) == true ? .indeterminate(.secretRefused) : .invalid
            return
        }
        if let score = body.score, score <= configuration.recaptchaConfig.blockedScore {
            self = .invalid
            return
        }
        // A token that was made on somebody else's page says nothing of ours.
        self = configuration.authorizes(host: body.hostname?.asciiLowercased ?? "") ? .valid : .invalid
    }

    private static func read(_ body: Data) -> Body? {
        // `try?`: what cannot be read is `unreadable`, whatever is wrong with it.
        try? WireJSON.decode(Body.self, from: body)
    }
}

extension ProjectConfiguration.Recaptcha? {
    /// Scores up to this one are those of programs: the highest that a rule blocks, else what reCAPTCHA calls suspicious.
    fileprivate var blockedScore: Double {
        self?.managedRules?.filter { $0.action == .block }.compactMap(\.endScore).max() ?? 0.3
    }
}
