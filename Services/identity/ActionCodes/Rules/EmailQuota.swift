import Contracts
import Vocabulary

/// The number of e-mails that were requested or sent, or of wrong e-mail codes, in the current window. Requests for an address are counted before
/// any lookup, whether or not an account has the address, because an error must not reveal it (security rule EN7).
struct EmailQuota: Equatable, Sendable {
    var count: Int
    var windowBeganAt: Moment

    /// Codes of one purpose to one address.
    static let perAddress = 10
    /// Codes to one address that one client network may request without an ID token. Less than `perAddress`, so that no
    /// network exhausts the quota of an address for its owner.
    static let perAddressAndNetwork = 5
    /// Codes to addresses that no ID token proves, which one client network may request with and without ID tokens.
    static let perNetwork = 60
    /// Codes to unproven addresses that an account without a verified address may request.
    static let perUnverifiedAccount = 5
    /// Wrong e-mail codes from one client network, for all addresses.
    static let wrongCodesPerNetwork = 30
    /// Notices about sign-ins with a new device from a new network. Whoever has the password can cause them.
    static let signInNoticesPerAccount = 5
    static let addressWindow = Duration.seconds(60 * 60)
    /// The standard for all codes that users of a project requested and that were sent.
    static let perProject = 10_000

    /// The part of a project's quota that codes to unproven addresses may use. The rest is a reserve for verified
    /// addresses: whoever sends to addresses of others, from many networks, cannot keep users from a reset.
    static func unprovenPart(of perProject: Int) -> Int { perProject - perProject / 4 }

    static let projectWindow = Duration.seconds(24 * 60 * 60)

    static func empty(at now: Moment) -> EmailQuota { .init(count: 0, windowBeganAt: now) }

    /// When the quota permits the next one; nil if it does now.
    func isFull(_ limit: Int, within window: Duration, at now: Moment) -> Moment? {
        windowBeganAt.beginsWindow(of: window, containing: now) && count >= limit ? windowBeganAt + window : nil
    }

    /// Begins another window if this one has passed, or was begun by a clock that was ahead.
    mutating func beginWindowIfOver(_ window: Duration, at now: Moment) {
        if !windowBeganAt.beginsWindow(of: window, containing: now) { self = .empty(at: now) }
    }

    /// Counts one more.
    /// - Returns: when the quota permits the next one, if it does not now; then nothing was counted.
    mutating func reserve(_ limit: Int, within window: Duration, at now: Moment) -> Moment? {
        beginWindowIfOver(window, at: now)
        if let until = isFull(limit, within: window, at: now) { return until }
        count += 1
        return nil
    }
}
