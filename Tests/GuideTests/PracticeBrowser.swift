import Foundation
import HTTPClient
import LatchkeyAuth
import TestSupport
import Vocabulary

/// A browser whose user signs in at the practice provider.
final class PracticeBrowser: AuthUIDelegate {
    private let http = HTTPClient()
    private let subject: String
    private let email: String

    /// - Parameters:
    ///   - subject: the ID of the user at the provider.
    ///   - email: an address that the provider has verified.
    init(subject: String, email: String) {
        self.subject = subject
        self.email = email
    }

    func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
        let start = try await http.send(.init(.get, url.absoluteString))
        // Cookies without their attributes.
        let cookies = start.headers.filter { $0.name.lowercased() == "set-cookie" }
            .map { String($0.value.prefix { $0 != ";" }) }.joined(separator: "; ")
        let practice = try location(of: start)
        let state = URLComponents(string: practice)?.queryItems?.first { $0.name == "state" }?.value
        let form = [("state", state ?? ""), ("subject", subject), ("email", email), ("verified", "1"), ("name", "Ada")]
            .map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        let chosen = try await http.send(
            .init(
                .post, practice,
                headers: [("Cookie", cookies), ("Content-Type", "application/x-www-form-urlencoded")],
                body: Data(form.utf8)))
        let finished = try await http.send(.init(.get, location(of: chosen), headers: [("Cookie", cookies)]))
        return URL(string: try location(of: finished))
    }

    private func location(of response: HTTPClientResponse) throws -> String {
        guard let location = response.header("Location") else { throw RunningMesh.Failure(response.summary) }
        return location
    }
}
