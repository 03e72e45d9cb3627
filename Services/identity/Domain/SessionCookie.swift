import Contracts
import FoundationEssentials
import Vocabulary

/// A session cookie (tokens reference 5): the claims of an ID token under an issuer, keys and a lifetime of its own.
enum SessionCookie {
    static let lifetimeSeconds: ClosedRange<Int64> = 300...1_209_600
    static let defaultLifetimeSeconds: Int64 = 1_209_600

    static func issuer(of project: ProjectID) -> String { "https://session.firebase.google.com/\(project)" }

    /// - Parameter idToken: the payload of an ID token whose signature has been checked.
    static func payload(
        from idToken: Data, project: ProjectID, issuedAt: Timestamp, lifetimeSeconds: Int64
    ) throws -> Data {
        var claims = try WireJSON.decodeUnchecked([String: JSONValue].self, from: idToken)
        claims["iss"] = .string(issuer(of: project))
        claims["iat"] = .integer(issuedAt.seconds)
        claims["exp"] = .integer(issuedAt.seconds + lifetimeSeconds)
        return try WireJSON.encode(claims)
    }
}
