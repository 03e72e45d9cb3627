import Foundation
import LatchkeyAuth

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The access tokens of one credential.
final class AccessTokenSource: Sendable {
    /// A token is renewed this long before it expires.
    static let renewalMargin: TimeInterval = 300

    private struct AccessToken: Sendable {
        var text: String
        var expiresAt: Date
    }

    private let credential: AdminCredential
    private let transport: RetryingTransport
    private let current = Locked<AccessToken?>(nil)
    private let exchange = SharedCall<String>()

    init(_ credential: AdminCredential, transport: RetryingTransport) {
        self.credential = credential
        self.transport = transport
    }

    /// - Throws: `AdminError`, an error of the application's source or signer, `CancellationError`.
    func token() async throws -> String {
        switch credential.content {
        case .accessToken(let source): return try await source()
        case .emulator: return "owner"
        case .serviceAccount(let account, let sign):
            let now = transport.clock.now()
            if let token = current.withLock({ $0 }), now.addingTimeInterval(Self.renewalMargin) < token.expiresAt {
                return token.text
            }
            return try await exchange.task { try await self.exchangeAssertion(of: account, sign) }.value
        }
    }

    /// Forgets a token that the server does not accept any more.
    /// - Returns: whether another one can be had.
    func invalidate(_ token: String) -> Bool {
        switch credential.content {
        case .accessToken, .emulator: return false
        case .serviceAccount:
            current.withLock { current in
                if current?.text == token { current = nil }
            }
            return true
        }
    }

    /// RFC 7523 section 2.1.
    private func exchangeAssertion(of account: ServiceAccount, _ sign: ServiceAccount.Signer) async throws -> String {
        let assertion = try await account.assertion(at: transport.clock.now(), sign: sign)
        var request = URLRequest(url: account.tokenURL)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        // An assertion consists of characters that a form need not encode.
        request.httpBody = Data(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
        let (body, response) = try await transport.sendForAdministrator(request, repetition: .always)
        guard response.statusCode == 200 else {
            // `try?`: another shape, such as that of a proxy, has no code.
            let error = try? JSONDecoder().decode(TokenError.self, from: body)
            throw error.map { AdminError($0.code, $0.description, serverCode: $0.error) }
                ?? AdminError(serverResponse: body, status: response.statusCode, retryAfterSeconds: nil)
        }
        // `try?`: the error below is for any other shape.
        guard let token = try? JSONDecoder().decode(TokenResponse.self, from: body) else {
            throw AdminError(.internalError, "The token endpoint sent a response that this library cannot read.")
        }
        let lifetime = TimeInterval(min(max(token.expiresIn, 0), 86_400))
        let expiresAt = transport.clock.now().addingTimeInterval(lifetime)
        current.withLock { $0 = AccessToken(text: token.accessToken, expiresAt: expiresAt) }
        return token.accessToken
    }

    private struct TokenResponse: Decodable {
        var accessToken: String
        var expiresIn: Int

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case expiresIn = "expires_in"
        }
    }

    /// RFC 6749 section 5.2.
    private struct TokenError: Decodable {
        var error: String
        var description: String?

        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }

        var code: AdminError.Code { AdminError.serverCodes[error] ?? .invalidArgument }
    }
}

extension RetryingTransport {
    /// - Throws: `AdminError` if no attempt had a response; `CancellationError`.
    func sendForAdministrator(_ request: URLRequest, repetition: Repetition) async throws -> (Data, HTTPURLResponse) {
        do {
            return try await send(request, repetition: repetition)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            throw AdminError(.internalError, "The response is too long.")
        } catch let error as URLError {
            throw AdminError(.networkError, "The server cannot be reached (\(error.code.rawValue)).")
        }
    }
}
