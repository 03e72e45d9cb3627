import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The result of a reCAPTCHA verification ("siteverify").
enum RecaptchaResponse: Equatable, Sendable {
    case valid
    case invalid
    /// The token could not be verified because of the service or its configuration.
    case indeterminate(ServiceFailure)

    enum ServiceFailure: Equatable, Sendable {
        /// The body is malformed, or the HTTP status is not success.
        case unreadable
        /// `LATCHKEY_RECAPTCHA_SECRET` is invalid.
        case secretRefused
    }

    private struct Body: Decodable {
        var success: Bool
        var hostname: String?
        /// For score-based keys: 0 (program) to 1 (human).
        var score: Double?
        var errors: [String]?

        enum CodingKeys: String, CodingKey { case success, hostname, score, errors = "error-codes" }
    }

    /// - Parameters:
    ///   - body: of the response.
    ///   - status: the HTTP status.
    ///   - configuration: its authorized domains are the valid hosts of the token.
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
        // A token from a page of another host is not valid for this project.
        self = configuration.authorizes(host: body.hostname?.asciiLowercased ?? "") ? .valid : .invalid
    }

    private static func read(_ body: Data) -> Body? {
        // `try?`: any malformed body is `unreadable`.
        try? WireJSON.decode(Body.self, from: body)
    }
}

extension ProjectConfiguration.Recaptcha? {
    /// Scores up to this value are blocked: the highest that a rule blocks, else reCAPTCHA's suspicious threshold.
    fileprivate var blockedScore: Double {
        self?.managedRules?.filter { $0.action == .block }.compactMap(\.endScore).max() ?? 0.3
    }
}
