/// `accounts:verifyIosClient` (REST 2.15): sends a push with a secret to the device.
struct VerifyIosClientRequest: AuthRequest {
    static let path = "v1/accounts:verifyIosClient"
    static let repetition = Repetition.ifNotReceived

    /// Upper-case hexadecimal digits.
    var appToken: String
    var isSandbox: Bool

    struct Response: Decodable, Sendable {
        /// If the server names none that can be read.
        static let defaultTimeoutSeconds = 5
        static let maximumTimeoutSeconds = 60

        var receipt: String
        /// Seconds, as text.
        var suggestedTimeout: String?

        /// How long the device waits for the push.
        var timeout: Duration {
            let seconds = suggestedTimeout.flatMap { Int($0) } ?? Self.defaultTimeoutSeconds
            return .seconds(min(max(seconds, 0), Self.maximumTimeoutSeconds))
        }
    }
}

/// `accounts:revokeToken` (REST 3.7).
struct RevokeTokenRequest: AuthRequest {
    static let path = "v2/accounts:revokeToken"
    static let repetition = Repetition.ifNotReceived
    typealias Response = EmptyResponse

    var providerId = "apple.com"
    var tokenType = "CODE"
    /// The authorization code.
    var token: String
    var idToken: String
    var tenantId: String?
}
