import Contracts
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SigningKeyScheduleTests {
    static let schedule = SigningKeySchedule(purpose: .idToken)
    static let day: Int64 = 24 * 60 * 60

    @Test func firstKeyIsActiveAtOnce() {
        #expect(Self.schedule.dueActivation([], at: .init(seconds: 77)) == .init(seconds: 77))
    }

    @Test(
        arguments: [(29 * day - 1, nil), (29 * day, 30 * day), (30 * day, 31 * day), (300 * day, 301 * day)]
            as [(Int64, Int64?)])
    func nextKeyIsCreatedOneDayAhead(now: Int64, activation: Int64?) {
        let due = Self.schedule.dueActivation([.init(seconds: 0)], at: .init(seconds: now))
        #expect(due?.seconds == activation)
    }

    @Test func noKeyIsDueWhileNextOneIsPending() {
        let keys = [Timestamp(seconds: 0), Timestamp(seconds: 30 * Self.day)]
        #expect(Self.schedule.dueActivation(keys, at: .init(seconds: 30 * Self.day - 1)) == nil)
    }

    /// Simulates two years of rotation and a client that caches the documents for as long as they allow. The client
    /// knows the key of every token, and every token is verifiable until it expires.
    @Test(arguments: Identity.ListSigningKeys.Purpose.allCases)
    func everyTokenIsVerifiableThroughStaleCache(purpose: Identity.ListSigningKeys.Purpose) throws {
        let schedule = SigningKeySchedule(purpose: purpose)
        let lifetime: Int64 = purpose == .idToken ? IDTokenClaims.lifetimeSeconds : 14 * Self.day
        var activations: [Timestamp] = []
        let step = 3600
        var history: [(now: Int64, published: Range<Int>)] = []
        for hour in 0..<(730 * 24) {
            let now = Int64(hour * step)
            let time = Timestamp(seconds: now)
            if let due = schedule.dueActivation(activations, at: time) { activations.append(due) }
            history.append((now, schedule.publishedIndices(activations, at: time)))
            let active: Int = try #require(schedule.activeIndex(activations, at: time))
            let cachedAt = max(0, history.count - 1 - SigningKeySchedule.documentMaximumAgeSeconds / step)
            #expect(hour == 0 || history[cachedAt].published.contains(active))
        }
        for (place, entry) in history.enumerated() {
            let active: Int = try #require(schedule.activeIndex(activations, at: Timestamp(seconds: entry.now)))
            let end = min(history.count - 1, place + Int(lifetime) / step)
            #expect(history[end].published.contains(active))
        }
    }
}
