/// A requirement that a refused password does not meet. A page says it in its own language.
package enum UnmetPasswordRequirement: Hashable, Codable, Sendable {
    /// In code points.
    case atLeast(characters: Int)
    /// In code points.
    case atMost(characters: Int)
    case lowercase, uppercase, numeric, nonAlphanumeric
    /// The password is one that attackers guess early (security rule PW9).
    case hardToGuess
}
