import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The payload of a session cookie (tokens 5): that of the ID token, with another issuer, issue time and expiry.
enum SessionCookie {
    static let defaultLifetimeSeconds = Identity.CreateSessionCookie.lifetimeSeconds.upperBound

    static func issuer(of project: ProjectID) -> String { "https://session.firebase.google.com/\(project)" }

    /// - Throws: `invalidDuration`.
    static func lifetime(_ seconds: Int64?) throws(ServiceError) -> Int64 {
        let seconds = seconds ?? defaultLifetimeSeconds
        guard Identity.CreateSessionCookie.lifetimeSeconds.contains(seconds) else {
            throw ServiceError(.invalidDuration)
        }
        return seconds
    }

    /// - Parameter idToken: the payload of a token that was verified.
    static func payload(
        from idToken: [String: JSONValue], project: ProjectID, issuedAt: Timestamp, lifetimeSeconds: Int64
    ) throws -> Data {
        var claims = idToken
        claims["iss"] = .string(issuer(of: project))
        claims["iat"] = .integer(issuedAt.seconds)
        claims["exp"] = .integer((issuedAt + lifetimeSeconds).seconds)
        return try WireJSON.encode(claims)
    }
}
