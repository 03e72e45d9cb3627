import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// Verifies tokens with reCAPTCHA ("siteverify").
struct RecaptchaVerifier: Sendable {
    /// reCAPTCHA could not verify the token.
    enum VerificationFailure: Error, Equatable {
        case unreachable(HTTPClientError)
        case problem(RecaptchaResponse.ServiceFailure)
    }

    /// Longer tokens are invalid.
    private static let maximumTokenBytes = 8192

    private let client: HTTPClient
    private let url: String
    private let secret: Secret<String>

    init(_ settings: AppVerificationSettings.Recaptcha) {
        var limits = HTTPClient.Limits()
        limits.connectTime = min(.seconds(2), settings.totalTime)
        limits.totalTime = settings.totalTime
        limits.bodyBytes = 64 << 10
        client = HTTPClient(limits)
        url = settings.baseURL + "/recaptcha/api/siteverify"
        secret = settings.secret
    }

    /// - Parameter address: of the client; reCAPTCHA compares it.
    /// - Throws: `ServiceError(.captchaCheckFailed)`, `VerificationFailure`.
    func verify(_ token: String, _ configuration: ProjectConfiguration, address: String?) async throws {
        guard !token.isEmpty, token.utf8.count <= Self.maximumTokenBytes else {
            throw ServiceError(.captchaCheckFailed)
        }
        let items =
            [(name: "secret", value: secret.reveal()), ("response", token)] + (address.map { [("remoteip", $0)] } ?? [])
        let form = PercentEncoding.query(items)
        let response: HTTPClientResponse
        do {
            response = try await client.send(
                HTTPClientRequest(
                    .post, url, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Data(form.utf8)))
        } catch {
            throw VerificationFailure.unreachable(error)
        }
        switch RecaptchaResponse(response.body, status: response.status, for: configuration) {
        case .valid: return
        case .invalid: throw ServiceError(.captchaCheckFailed)
        case .indeterminate(let problem): throw VerificationFailure.problem(problem)
        }
    }
}
