import Foundation

extension AuthErrorCode {
    /// Reads an error response of the server: `{"error":{"message":"CODE : detail", …}}`.
    init(serverResponse body: Data, status: Int, retryAfterSeconds: Int?) {
        // `try?`: a response without this shape, such as that of a proxy, has no code.
        guard let envelope = try? JSONDecoder().decode(ErrorEnvelope.self, from: body) else {
            self.init(status == 503 ? .networkError : .internalError)
            return
        }
        let reasons = envelope.error.errors?.compactMap(\.reason) ?? []
        let code: Code =
            if reasons.contains(where: { $0.hasPrefix("keyInvalid") }) || envelope.hasInvalidKey {
                .invalidAPIKey
            } else if reasons.contains("ipRefererBlocked") {
                .appNotAuthorized
            } else if status == 503 {
                .networkError
            } else {
                Code(serverCode: Self.parts(of: envelope.error.message).code)
            }
        self.init(code, serverMessage: envelope.error.message, retryAfterSeconds: retryAfterSeconds)
    }

    /// An error whose text the server sent, for example `INVALID_PHONE_NUMBER : Invalid format.`
    init(serverMessage message: String) {
        self.init(Code(serverCode: Self.parts(of: message).code), serverMessage: message, retryAfterSeconds: nil)
    }

    private init(_ code: Code, serverMessage message: String, retryAfterSeconds: Int?) {
        let (serverCode, detail) = Self.parts(of: message)
        var userInfo: [String: any Sendable] = [AuthErrorUserInfoServerCodeKey: serverCode]
        if !detail.isEmpty {
            userInfo[AuthErrorUserInfoServerDetailKey] = detail
            userInfo[NSLocalizedDescriptionKey] = detail
        }
        if let retryAfterSeconds { userInfo[AuthErrorUserInfoRetryAfterKey] = retryAfterSeconds }
        self.init(code, userInfo: userInfo)
    }

    /// The code ends at the first colon.
    package static func parts(of message: String) -> (code: String, detail: String) {
        let parts = message.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { $0.trimmingCharacters(in: .whitespaces) }
        return (texts.first ?? "", texts.dropFirst().first ?? "")
    }

    /// Whether the library signs the user out: the session cannot be used any more.
    var endsSession: Bool {
        switch code {
        case .userDisabled, .userNotFound, .invalidUserToken, .userTokenExpired: true
        default: false
        }
    }
}

/// The body of an error response.
package struct ErrorEnvelope: Decodable {
    package struct Content: Decodable {
        package var message: String
        package var status: String?
        package var errors: [Item]?
        package var details: [Item]?

        enum CodingKeys: CodingKey {
            case message, status, errors, details
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            message = try container.decode(String.self, forKey: .message)
            // `try?`: the message is enough.
            status = try? container.decode(String.self, forKey: .status)
            errors = try? container.decode([Item].self, forKey: .errors)
            details = try? container.decode([Item].self, forKey: .details)
        }
    }

    package struct Item: Decodable {
        package var reason: String?
    }

    package var error: Content

    package var hasInvalidKey: Bool { error.details?.contains { $0.reason == "API_KEY_INVALID" } ?? false }
}
