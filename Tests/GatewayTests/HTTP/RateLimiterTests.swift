import Contracts
import HTTPServer
import Testing

@testable import GatewayService

private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

@Suite struct RateLimiterTests {
    private let start = ContinuousClock().now

    private func limiter(capacity: Int = 100) -> RateLimiter {
        RateLimiter(limits: RateLimits(signIn: 6, signUp: 60, refresh: 0, other: 1200), capacity: capacity)
    }

    @Test func burstIsAdmittedThenRateApplies() throws {
        var limiter = limiter()
        let client = try address("192.0.2.1")
        for _ in 0..<6 { #expect(limiter.admit(client, as: .signIn, at: start) == .admitted) }
        #expect(limiter.admit(client, as: .signIn, at: start) == .refused(by: .signInRequests, retryAfterSeconds: 10))
        #expect(
            limiter.admit(client, as: .signIn, at: start + .seconds(9))
                == .refused(by: .signInRequests, retryAfterSeconds: 1))
        #expect(limiter.admit(client, as: .signIn, at: start + .seconds(10)) == .admitted)
        #expect(
            limiter.admit(client, as: .signIn, at: start + .seconds(10))
                == .refused(by: .signInRequests, retryAfterSeconds: 10))
    }

    @Test func unusedCapacityIsOneBurst() throws {
        var limiter = limiter()
        let client = try address("192.0.2.1")
        #expect(limiter.admit(client, as: .signIn, at: start) == .admitted)
        let later = start + .seconds(86_400)
        let admitted = (0..<20).count { _ in limiter.admit(client, as: .signIn, at: later) == .admitted }
        #expect(admitted == 6)
    }

    @Test func classesAreCountedSeparately() throws {
        var limiter = limiter()
        let client = try address("192.0.2.1")
        for _ in 0..<7 { _ = limiter.admit(client, as: .signIn, at: start) }
        #expect(limiter.admit(client, as: .signUp, at: start) == .admitted)
        #expect(limiter.admit(client, as: .other, at: start) == .admitted)
    }

    @Test(arguments: [RateLimitClass.refresh, .exempt])
    func classWithoutLimitIsUnlimited(kind: RateLimitClass) throws {
        var limiter = limiter()
        let client = try address("192.0.2.1")
        for _ in 0..<10_000 { #expect(limiter.admit(client, as: kind, at: start) == .admitted) }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
    ])
    func addressesOfOneNetworkShareLimit(first: String, second: String, share: Bool) throws {
        var limiter = limiter()
        for _ in 0..<6 { _ = limiter.admit(try address(first), as: .signIn, at: start) }
        #expect((limiter.admit(try address(second), as: .signIn, at: start) != .admitted) == share)
    }

    /// Security rule RL1: the holder of a /48 has 65,536 networks.
    @Test func siteHasFourTimesTheLimitOfNetwork() throws {
        var limiter = limiter()
        var admitted = 0
        for network in 1...50 {
            if limiter.admit(try address("2001:db8:1:\(network)::1"), as: .signIn, at: start) == .admitted {
                admitted += 1
            }
        }
        #expect(admitted == 6 * 4)
        #expect(
            limiter.admit(try address("2001:db8:1:99::1"), as: .signIn, at: start)
                == .refused(by: .signInRequests, retryAfterSeconds: 3))
        #expect(limiter.admit(try address("2001:db8:2:1::1"), as: .signIn, at: start) == .admitted)
        // A refused request took no token of its network.
        let later = start + .seconds(60)
        #expect(
            (0..<7).count { _ in
                limiter.admit((try? address("2001:db8:1:99::1")) ?? .loopback, as: .signIn, at: later) == .admitted
            } == 6)
    }

    /// Security rule RL8: a flood of addresses evicts idle entries and never exceeds the capacity.
    @Test func addressFloodKeepsLimiterBounded() throws {
        var limiter = limiter(capacity: 10)
        let client = try address("192.0.2.1")
        for _ in 0..<6 { _ = limiter.admit(client, as: .signIn, at: start) }
        for number in 0..<1000 {
            _ = limiter.admit(.v4(UInt32(number) + 1), as: .signIn, at: start)
            // A client that keeps calling keeps its bucket.
            #expect(limiter.admit(client, as: .signIn, at: start) != .admitted)
        }
    }

    @Test func clockStepBackKeepsLimit() throws {
        var limiter = limiter()
        let client = try address("192.0.2.1")
        for _ in 0..<6 { _ = limiter.admit(client, as: .signIn, at: start) }
        #expect(limiter.admit(client, as: .signIn, at: start - .seconds(60)) != .admitted)
    }
}
