import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Asks reCAPTCHA what it thinks of a token ("siteverify").
struct RecaptchaJudge: Sendable {
    /// Nobody could tell.
    enum Unanswered: Error, Equatable {
        case unreachable(HTTPClientError)
        case problem(RecaptchaAnswer.Problem)
    }

    /// Longer ones are none.
    private static let maximumTokenBytes = 8192

    private let client: HTTPClient
    private let url: String
    private let secret: Secret<String>

    init(_ settings: AppCheckSettings.Recaptcha) {
        var limits = HTTPClient.Limits()
        limits.connectTime = min(.seconds(2), settings.totalTime)
        limits.totalTime = settings.totalTime
        limits.bodyBytes = 64 << 10
        client = HTTPClient(limits)
        url = settings.baseURL + "/recaptcha/api/siteverify"
        secret = settings.secret
    }

    /// - Parameter address: of the client, which reCAPTCHA then compares.
    /// - Throws: `SMSError.captchaCheckFailed`, `Unanswered`.
    func judge(_ token: String, _ configuration: ProjectConfiguration, address: String?) async throws {
        guard !token.isEmpty, token.utf8.count <= Self.maximumTokenBytes else { throw SMSError.captchaCheckFailed }
        let items = [("secret", secret.reveal()), ("response", token)] + (address.map { [("remoteip", $0)] } ?? [])
        let form = items.map { "\($0.0)=\(WebURL.encoded($0.1))" }.joined(separator: "&")
        let response: HTTPClientResponse
        do {
            response = try await client.send(
                HTTPClientRequest(
                    .post, url, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Data(form.utf8)))
        } catch {
            throw Unanswered.unreachable(error)
        }
        switch RecaptchaAnswer(response.body, status: response.status, for: configuration) {
        case .genuine: return
        case .refused: throw SMSError.captchaCheckFailed
        case .unknown(let problem): throw Unanswered.problem(problem)
        }
    }
}
