import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SessionTests {
    static let start = Moment(milliseconds: 1_700_000_000_000)

    static func opened(random: inout SeededRandom) -> (Session, RefreshToken) {
        Session.open(
            for: AccountID("ada"), in: Realm(project: ProjectID("demo")),
            authentication: AuthenticationContext(authenticatedAt: start.timestamp, signInProvider: "password"),
            at: start,
            randomBytes: { random.bytes($0) })
    }

    @Test func tokenRoundTrips() {
        var random = SeededRandom(seed: 1)
        let (_, token) = Self.opened(random: &random)
        #expect(RefreshToken(token.text) == token)
        #expect(token.text.utf8.count == 71)
    }

    /// So that neighbors in the index were opened at one time.
    @Test func idsAreInTheOrderOfTime() {
        let times: [Int64] = [-1, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 281_474_976_710_655]
        let ids = times.map { SessionID(at: Moment(milliseconds: $0), randomBytes: Random.bytes) }
        #expect(ids.map(\.bytes.count) == times.map { _ in SessionID.byteCount })
        for (one, next) in zip(ids, ids.dropFirst()) {
            #expect(one.bytes.prefix(6).lexicographicallyPrecedes(next.bytes.prefix(6)))
        }
        #expect(Set(ids.map { Array($0.bytes.suffix(10)) }).count == ids.count)
    }

    @Test func endedSessionForgetsItsClient() {
        var random = SeededRandom(seed: 4)
        var (session, first) = Self.opened(random: &random)
        session.clientAddress = "192.0.2.7"
        session.device = "Firefox (Linux)"
        guard
            case .successor(let second, rotated: true) = session.redeem(first, at: Self.start, salt: random.bytes(32)),
            case .successor = session.redeem(second, at: Self.start, salt: random.bytes(32))
        else {
            Issue.record("a token was refused")
            return
        }
        #expect(session.clientAddress == "192.0.2.7" && session.device == "Firefox (Linux)")
        #expect(session.redeem(first, at: Self.start, salt: random.bytes(32)) == .replayed)
        #expect(session.clientAddress == nil && session.device == nil)
    }

    @Test(arguments: ["", "made-up", "AAAA", String(repeating: "A", count: 72), "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"])
    func malformedTextIsNoToken(text: String) {
        #expect(RefreshToken(text) == nil)
    }

    @Test func eachRedemptionReturnsSuccessor() {
        var random = SeededRandom(seed: 2)
        var (session, token) = Self.opened(random: &random)
        var seen: Set<String> = [token.text]
        for _ in 0..<5 {
            guard
                case .successor(let next, rotated: true) = session.redeem(token, at: Self.start, salt: random.bytes(32))
            else {
                Issue.record("the newest token was refused")
                return
            }
            #expect(seen.insert(next.text).inserted)
            token = next
        }
    }

    /// After the grace period, the token can only be a copy: its owner would have retried earlier.
    @Test(arguments: [0, 1, 3600, 86_400]) func redeemedTokenIsAcceptedWithinGrace(seconds: Int) {
        var random = SeededRandom(seed: 5)
        var (session, first) = Self.opened(random: &random)
        guard
            case .successor(let second, rotated: true) = session.redeem(first, at: Self.start, salt: random.bytes(32))
        else {
            Issue.record("the first token was refused")
            return
        }
        let (grace, salt) = (Duration.seconds(seconds), random.bytes(32))
        var copy = session
        #expect(
            copy.redeem(first, at: Self.start + grace, salt: salt, grace: grace) == .successor(second, rotated: false))
        let late = Self.start + grace + .milliseconds(1)
        #expect(copy.redeem(first, at: late, salt: salt, grace: grace) == .replayed)
        #expect(copy.redeem(second, at: late, salt: salt, grace: grace) == .expired)
        // The newest token has no such limit.
        guard case .successor(_, rotated: true) = session.redeem(second, at: late, salt: salt, grace: grace) else {
            Issue.record("the newest token was refused")
            return
        }
        #expect(session.redeem(first, at: late, salt: salt, grace: grace) == .replayed)
    }

    @Test func predecessorOfUnusedTokenReturnsSameSuccessor() {
        var random = SeededRandom(seed: 3)
        var (session, first) = Self.opened(random: &random)
        let rotated = session.redeem(first, at: Self.start, salt: random.bytes(32))
        guard case .successor(let second, rotated: true) = rotated else {
            Issue.record("the first token was refused")
            return
        }
        let after = session
        for seconds in [0, 1, 3600] {
            let later = Self.start + .seconds(seconds)
            #expect(session.redeem(first, at: later, salt: random.bytes(32)) == .successor(second, rotated: false))
        }
        #expect(session == after)
    }

    /// Security rule TK6.
    @Test func replayedTokenEndsSession() {
        var random = SeededRandom(seed: 4)
        var (session, first) = Self.opened(random: &random)
        var token = first
        for _ in 0..<2 {
            guard case .successor(let next, _) = session.redeem(token, at: Self.start, salt: random.bytes(32)) else {
                return
            }
            token = next
        }
        #expect(session.redeem(first, at: Self.start, salt: random.bytes(32)) == .replayed)
        #expect(session.redeem(token, at: Self.start, salt: random.bytes(32)) == .expired)
    }

    /// Bytes 17 to 20 are the generation. A caller with a token can construct one of any generation.
    @Test func tokenOfLastGenerationIsUnknown() throws {
        var random = SeededRandom(seed: 6)
        var (session, token) = Self.opened(random: &random)
        var bytes = try #require(Base64URL.decode(token.text))
        bytes.replaceSubrange(17..<21, with: [0xff, 0xff, 0xff, 0xff])
        token = try #require(RefreshToken(Base64URL.encode(bytes)))
        #expect(session.redeem(token, at: Self.start, salt: random.bytes(32)) == .unknown)
        #expect(session.endedAt == nil)
        session.generation = .max
        #expect(session.redeem(token, at: Self.start, salt: random.bytes(32)) != .expired)
    }

    /// Security rule TK5.
    @Test(arguments: 0..<RefreshToken.secretBytes)
    func flippedBitMakesTokenUnknown(byte: Int) {
        var random = SeededRandom(seed: 5)
        var (session, token) = Self.opened(random: &random)
        let before = session
        token.secret[byte] ^= 0x10
        #expect(session.redeem(token, at: Self.start, salt: random.bytes(32)) == .unknown)
        token.generation += 1
        #expect(session.redeem(token, at: Self.start, salt: random.bytes(32)) == .unknown)
        #expect(session == before)
    }

    /// Security rule TK7.
    @Test(arguments: [
        (Session.idleLifetime, false), (Session.idleLifetime - .seconds(1), true),
    ])
    func sessionExpiresAfterIdleLifetime(idle: Duration, isGood: Bool) {
        var random = SeededRandom(seed: 6)
        var (session, token) = Self.opened(random: &random)
        let redemption = session.redeem(token, at: Self.start + idle, salt: random.bytes(32))
        #expect((redemption == .expired) == !isGood)
    }

    /// Security rule TK7.
    @Test func sessionExpiresAfterAbsoluteLifetime() {
        var random = SeededRandom(seed: 7)
        var (session, token) = Self.opened(random: &random)
        var now = Self.start
        while now + .seconds(86_400 * 30) < Self.start + Session.absoluteLifetime {
            now = now + .seconds(86_400 * 30)
            guard case .successor(let next, _) = session.redeem(token, at: now, salt: random.bytes(32)) else {
                Issue.record("refused before its time")
                return
            }
            token = next
        }
        #expect(
            session.redeem(token, at: Self.start + Session.absoluteLifetime, salt: random.bytes(32)) == .expired)
    }

    /// Tokens in random order: at most one token can rotate the family, and redeemed tokens stay redeemed.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func redeemedTokenNeverRotatesFamily(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (session, first) = Self.opened(random: &random)
        var family = [first]
        for _ in 0..<40 {
            let place = Int(random.next() % UInt64(family.count))
            let redemption = session.redeem(family[place], at: Self.start, salt: random.bytes(32))
            switch place {
            case family.count - 1:
                guard case .successor(let next, rotated: true) = redemption else {
                    Issue.record("the newest token was refused: \(redemption)")
                    return
                }
                family.append(next)
            case family.count - 2:
                #expect(redemption == .successor(family[place + 1], rotated: false))
            default:
                #expect(redemption == .replayed)
                #expect(session.redeem(family.last!, at: Self.start, salt: random.bytes(32)) == .expired)
                return
            }
        }
    }
}
