import Contracts
import Vocabulary

/// When a signing key begins to sign, when it stops, and how long it stays published (security rule TK1).
///
/// A key is published a day before its first use, so that every cache of the key documents contains it by then. It
/// stays published until the last token that it signed has expired.
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

    /// No key is created further ahead of its first use. Twice as much, since a clock may be corrected in between.
    static let maximumAheadSeconds = 2 * publishedAheadSeconds

    /// Whether a key was created while the clock was ahead: its first use is later than that of any other key.
    static func isMisdated(_ activation: Timestamp, at now: Timestamp) -> Bool {
        activation > now + maximumAheadSeconds
    }

    /// - Parameter activations: when each existing key begins to sign. Misdated ones delay no other.
    /// - Returns: when a key that must be created now begins to sign, or nil when none is due.
    func dueActivation(_ activations: [Timestamp], at now: Timestamp) -> Timestamp? {
        guard let newest = activations.filter({ !Self.isMisdated($0, at: now) }).max() else { return now }
        let next = newest + Self.activeSeconds
        guard now >= next - Self.publishedAheadSeconds else { return nil }
        // After a long downtime the old key signs until caches can have the new one.
        return max(next, now + Self.publishedAheadSeconds)
    }

    /// The index of the signing key, of keys sorted by activation: the last active one. If the clock was set back
    /// before all of them, it is the first, because clients already have it.
    func activeIndex(_ activations: [Timestamp], at now: Timestamp) -> Int? {
        activations.lastIndex { $0 <= now } ?? activations.indices.first
    }

    /// The published keys, of keys sorted by activation: all except those whose successor has signed long enough for
    /// all their tokens to have expired.
    func publishedIndices(_ activations: [Timestamp], at now: Timestamp) -> Range<Int> {
        let firstAlive = activations.indices.first { index in
            let successor = index + 1
            return successor == activations.endIndex || now < activations[successor] + publishedAfterSeconds
        }
        return (firstAlive ?? activations.endIndex)..<activations.endIndex
    }
}
