import Contracts

/// The only map from `NotifierError` to wire codes.
extension WireError {
    init(_ error: NotifierError) {
        switch error {
        case .invalidRequest(let reason): self.init(.invalidRequest, reason)
        case .invalidTemplate(let fault): self.init(.invalidEmailTemplate, fault.description)
        case .devModeOnly: self.init(.operationNotAllowed, "There is an inbox in development mode only.")
        case .idempotencyKeyReused: self.init(Code.idempotencyKeyReused)
        case .channelNotConfigured(let channel):
            self.init(.unavailable, "Nothing is set up that delivers \(channel.rawValue).")
        case .invalidReceiptSignature: self.init(.invalidRequest, "The signature is of no configured provider.")
        case .webhookNotFound: self.init(Code.webhookNotFound)
        }
    }
}
