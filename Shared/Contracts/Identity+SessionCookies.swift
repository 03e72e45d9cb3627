package import Vocabulary

extension Identity {
    /// Makes a session cookie of an ID token whose sign-in is recent: the same claims, for longer, under keys of its own.
    /// Refusals: those of `ResolvePrincipal`, `invalidDuration`, `signInTooOld`, `overloaded`.
    package struct CreateSessionCookie: BusRequest {
        package static let operation = Identity.Operation.createSessionCookie
        package var realm: Realm
        package var idToken: Secret<String>?
        /// 300 to 1209600; absent: 14 days.
        package var lifetimeSeconds: Int64?

        package init(realm: Realm, idToken: Secret<String>?, lifetimeSeconds: Int64? = nil) {
            self.realm = realm
            self.idToken = idToken
            self.lifetimeSeconds = lifetimeSeconds
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var cookie: Secret<String>

            package init(cookie: Secret<String>) {
                self.cookie = cookie
            }
        }
    }
}
