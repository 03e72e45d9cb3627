/// `accounts:sessions`, an addition of Latchkey.
struct ListSessionsRequest: AuthRequest {
    static let path = "v1/accounts:sessions"
    static let repetition = Repetition.always

    var idToken: String
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var sessions: [SessionRecord]
    }
}

/// A session in the response of `accounts:sessions`.
struct SessionRecord: Decodable, Sendable {
    var sessionId: String
    var createdAt: String
    var lastUsedAt: String
    var signInProvider: String
    var secondFactor: String?
    var device: String?
    var network: String?
    var current: Bool?
}

/// `accounts:revokeSessions`, an addition of Latchkey.
struct EndSessionsRequest: AuthRequest {
    static let path = "v1/accounts:revokeSessions"
    static let repetition = Repetition.always
    typealias Response = EmptyResponse

    var idToken: String
    var sessionIds: [String]?
    var allOthers: Bool?
    var all: Bool?
    var tenantId: String?
}

/// `accounts:download`, an addition of Latchkey.
struct DownloadAccountRequest: AuthRequest {
    static let path = "v1/accounts:download"
    static let repetition = Repetition.always
    typealias Response = JSONObject.Value

    var idToken: String
    var tenantId: String?
}
