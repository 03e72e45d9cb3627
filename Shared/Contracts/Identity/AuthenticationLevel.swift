/// How surely the user of a session was authenticated: `acr` of its ID tokens (OpenID Connect Core §2). In the order of
/// their strength.
package enum AuthenticationLevel: String, Codable, CaseIterable, Comparable, Sendable {
    case oneFactor = "urn:latchkey:1fa"
    case twoFactors = "urn:latchkey:2fa"
    /// A passkey that has verified the user (OpenID Connect EAP ACR Values).
    case phishingResistant = "phr"

    package static func < (left: Self, right: Self) -> Bool {
        let order = allCases
        return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
    }
}
