import Contracts
import Vocabulary

/// When a signing key begins to sign, when it stops, and how long it stays published (security rule TK1).
///
/// A key is published a day before its first use, so that every cache of the key documents knows it by then, and stays
/// published until the last token it signed is dead.
struct SigningKeySchedule: Equatable, Sendable {
    var purpose: Identity.ListSigningKeys.Purpose

    static let activeSeconds: Int64 = 30 * 24 * 60 * 60
    static let publishedAheadSeconds: Int64 = 24 * 60 * 60
    /// How long a client may cache the key documents; far less than keys are published ahead.
    static let documentMaximumAgeSeconds = 6 * 60 * 60

    /// After its last use: two days for ID tokens of an hour, 16 for session cookies that live up to 14.
    var publishedAfterSeconds: Int64 {
        switch purpose {
        case .idToken: 2 * 24 * 60 * 60
        case .sessionCookie: 16 * 24 * 60 * 60
        }
    }

    /// No key is made further ahead of its first use. Twice as much, since a clock may be corrected in between.
    static let maximumAheadSeconds = 2 * publishedAheadSeconds

    /// Whether a key was made while the clock was ahead: it would begin to sign later than any key is made ahead.
    static func isMisdated(_ activation: Timestamp, at now: Timestamp) -> Bool {
        activation > now + maximumAheadSeconds
    }

    /// - Parameter activations: when each existing key begins to sign. Misdated ones delay no other.
    /// - Returns: when a key that must be made now shall begin to sign, or nil when none is due.
    func dueActivation(_ activations: [Timestamp], at now: Timestamp) -> Timestamp? {
        guard let newest = activations.filter({ !Self.isMisdated($0, at: now) }).max() else { return now }
        let next = newest + Self.activeSeconds
        guard now >= next - Self.publishedAheadSeconds else { return nil }
        // After a long standstill the old key goes on until caches can have seen the new one.
        return max(next, now + Self.publishedAheadSeconds)
    }

    /// Of keys sorted by activation, which one signs: the last whose time has come. If the clock was set back behind all
    /// of them it is the first: its time had come once, so clients know it.
    func activeIndex(_ activations: [Timestamp], at now: Timestamp) -> Int? {
        activations.lastIndex { $0 <= now } ?? activations.indices.first
    }

    /// Of keys sorted by activation, which are published: all but those whose successor has signed for so long that
    /// nothing of theirs can be alive.
    func publishedIndices(_ activations: [Timestamp], at now: Timestamp) -> Range<Int> {
        let firstAlive = activations.indices.first { index in
            let successor = index + 1
            return successor == activations.endIndex || now < activations[successor] + publishedAfterSeconds
        }
        return (firstAlive ?? activations.endIndex)..<activations.endIndex
    }
}
