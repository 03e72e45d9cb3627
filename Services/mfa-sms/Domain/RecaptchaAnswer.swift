import Contracts
import FoundationEssentials

/// What reCAPTCHA says of a token (its "siteverify").
enum RecaptchaAnswer: Equatable, Sendable {
    case genuine
    case refused
    /// The service, or how we are known to it, is at fault: nobody can tell.
    case unknown(Problem)

    enum Problem: Equatable, Sendable {
        /// No JSON with what it has to say, or no success of HTTP.
        case unreadable
        /// `LATCHKEY_RECAPTCHA_SECRET` is not one.
        case secretRefused
    }

    private struct Body: Decodable {
        var success: Bool
        var hostname: String?
        var errors: [String]?

        enum CodingKeys: String, CodingKey { case success, hostname, errors = "error-codes" }
    }

    /// - Parameters:
    ///   - body: of the answer.
    ///   - status: of HTTP.
    ///   - configuration: its domains are where the token may have been made.
    init(_ body: Data, status: Int, for configuration: ProjectConfiguration) {
        guard status == 200, let body = Self.read(body) else {
            self = .unknown(.unreadable)
            return
        }
        guard body.success else {
            let faults = ["missing-input-secret", "invalid-input-secret", "invalid-keys"]
            self = body.errors?.contains(where: faults.contains) == true ? .unknown(.secretRefused) : .refused
            return
        }
        // A token that was made on somebody else's page says nothing of ours.
        self = configuration.authorizes(host: body.hostname?.lowercased() ?? "") ? .genuine : .refused
    }

    private static func read(_ body: Data) -> Body? {
        // `try?`: what cannot be read is `unreadable`, whatever is wrong with it.
        try? WireJSON.decode(Body.self, from: body)
    }
}
