import Contracts
import Vocabulary

/// What the script of the result page sends to the application, and where (REST 7.1, result channel).
struct SignInDelivery: Encodable, Equatable, Sendable {
    enum Channel: String, Encodable, Sendable {
        /// To the frame of the JavaScript library in the window that opened this one.
        case frame
        /// In the storage of the session; the frame of the library finds it after the redirect.
        case storage
        /// To the window that opened this one.
        case opener
        /// In the fragment of the redirect.
        case fragment
    }

    /// `authEvent` of the JavaScript library.
    struct Event: Encodable, Equatable, Sendable {
        struct Failure: Encodable, Equatable, Sendable {
            var code: String
            var message: String

            init(_ failure: SignInFailure) {
                code = failure.rawValue
                message = failure.message
            }
        }
        var type: String
        var eventId: String?
        var urlResponse: String?
        var sessionId: String?
        var postBody: String?
        var tenantId: String?
        var error: Failure?

        // The library expects every member.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            try container.encode(eventId, forKey: .eventId)
            try container.encode(urlResponse, forKey: .urlResponse)
            try container.encode(sessionId, forKey: .sessionId)
            try container.encode(postBody, forKey: .postBody)
            try container.encode(tenantId, forKey: .tenantId)
            try container.encode(error, forKey: .error)
        }

        private enum CodingKeys: String, CodingKey {
            case type, eventId, urlResponse, sessionId, postBody, tenantId, error
        }
    }

    /// The argument of `OAuthCredential.fromJSON`.
    struct Credential: Encodable, Equatable, Sendable {
        var providerId: String
        var signInMethod: String
        var pendingToken: String
    }

    /// The result of `/__/auth/signin`.
    struct CredentialMessage: Encodable, Equatable, Sendable {
        var type = "latchkey:credential"
        var state: String
        var credential: Credential?
        var error: Event.Failure?
    }

    var channel: Channel
    /// The page of the application.
    var redirectURL: String
    /// Its origin: the only recipient of a message.
    var targetOrigin: String
    var storageKey: String
    var event: Event?
    var message: CredentialMessage?
    /// The script returns to the application at once; otherwise the user reads the error first.
    var returnsAtOnce: Bool

    init(
        _ result: SignInResult, channel: ReturnChannel, storageKey: String, tenantID: String?, redirectURL: WebURL
    ) {
        self.storageKey = storageKey
        self.redirectURL = redirectURL.text
        targetOrigin = "\(redirectURL.isSecure ? "https" : "http")://\(redirectURL.authority)"
        returnsAtOnce = result.failure == nil || result.failure == .canceled
        switch channel {
        case .javaScript(let authType, let eventID, _, _):
            self.channel = authType.isPopup ? .frame : .storage
            event = Self.event(result, authType, eventID, tenantID)
        case .credential(let mode, _, let state):
            switch mode {
            case .popup: self.channel = .opener
            case .redirect: self.channel = .fragment
            }
            message = Self.message(result, state)
        // A native application gets a redirect.
        case .nativeApp: self.channel = .fragment
        }
    }

    private static func event(
        _ result: SignInResult, _ authType: JavaScriptAuthType, _ eventID: String?, _ tenantID: String?
    ) -> Event {
        var event = Event(type: authType.rawValue, eventId: eventID, tenantId: tenantID)
        switch result {
        case .response(let response):
            event.urlResponse = response.form.isForm ? response.requestURL : response.url
            event.postBody = response.form.isForm ? response.form.text : nil
            event.sessionId = response.sessionID
        case .failure(let failure): event.error = .init(failure)
        case .credential: event.error = .init(.internal)
        }
        return event
    }

    private static func message(_ result: SignInResult, _ state: String) -> CredentialMessage {
        switch result {
        case .credential(let reply):
            CredentialMessage(
                state: state,
                credential: Credential(
                    providerId: reply.providerID, signInMethod: reply.providerID,
                    pendingToken: reply.pendingToken.reveal()))
        case .failure(let failure): CredentialMessage(state: state, error: .init(failure))
        case .response: CredentialMessage(state: state, error: .init(.internal))
        }
    }
}
