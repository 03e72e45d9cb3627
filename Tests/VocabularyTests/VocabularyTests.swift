import Foundation
import Testing
import Vocabulary

@Suite struct PhoneNumberTests {
    @Test(arguments: ["+1234567", "+41791234567", "+123456789012345"]) func validNumberIsAccepted(text: String) throws {
        #expect(try #require(PhoneNumber(text)).rawValue == text)
    }

    @Test(arguments: [
        "", "+", "41791234567", "+0791234567", "+123456", "+1234567890123456", "+41 79 123 45 67", "+4179123456a",
        "+４１７９１２３４５６７", "++4179123456", "+4179123456\n", "00417912345",
    ])
    func invalidNumberIsRejected(text: String) {
        #expect(PhoneNumber(text) == nil)
    }

    @Test func jsonFormIsString() throws {
        let number = try #require(PhoneNumber("+41791234567"))
        #expect(try JSONEncoder().encode([number]) == Data(#"["+41791234567"]"#.utf8))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PhoneNumber].self, from: Data(#"["0791234567"]"#.utf8))
        }
    }
}

@Suite struct SecretTests {
    @Test func secretIsNeverPrinted() {
        let secret = Secret("hunter2")
        for text in ["\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])"] {
            #expect(!text.contains("hunter2"))
        }
        var dumped = ""
        dump((secret, ["password": secret]), to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.reveal() == "hunter2")
    }

    @Test func jsonFormIsBareValue() throws {
        #expect(try JSONEncoder().encode([Secret("a")]) == Data(#"["a"]"#.utf8))
        #expect(try JSONDecoder().decode([Secret<String>].self, from: Data(#"["a"]"#.utf8)) == [Secret("a")])
    }
}

@Suite struct TimeTests {
    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (1_700_000_000_999, 1_700_000_000)] as [(Int64, Int64)])
    func momentBelongsToItsSecond(milliseconds: Int64, seconds: Int64) {
        #expect(Moment(milliseconds: milliseconds).timestamp == Timestamp(seconds: seconds))
    }

    @Test func durationsAreAddedInMilliseconds() {
        let moment = Moment(milliseconds: 1000)
        #expect(moment + .seconds(2) == Moment(milliseconds: 3000))
        #expect(moment + .milliseconds(1) == Moment(milliseconds: 1001))
        #expect(moment + .microseconds(999) == moment)
        #expect(moment + .milliseconds(-1500) == Moment(milliseconds: -500))
        #expect(Timestamp(seconds: 1) + 60 == Timestamp(seconds: 61))
    }

    @Test func timesSaturateAtBounds() {
        let (first, last) = (Timestamp(seconds: .min), Timestamp(seconds: .max))
        #expect(last + 1 == last && last + .max == last && first + -1 == first && first + .min == first)
        #expect(first - 1 == first && first - .max == first && last - .min == last)
        let (earliest, latest) = (Moment(milliseconds: .min), Moment(milliseconds: .max))
        #expect(latest + .seconds(1) == latest && earliest - .seconds(1) == earliest)
        #expect(Moment(milliseconds: 0) + .seconds(Int64.max) == latest)
        #expect(Moment(milliseconds: 0) + .seconds(Int64.min) == earliest)
        #expect(
            Moment(last) == latest && Moment(first) == earliest && Moment(Timestamp(seconds: 2)).milliseconds == 2000)
        #expect(latest.milliseconds(since: earliest) == .max && earliest.milliseconds(since: latest) == .min)
        // The range ends within a second, which counts as a whole one.
        #expect(latest.secondsToWait(from: earliest) == Int(Int64.max / 1000) + 1)
    }

    @Test(arguments: [(0, 0, 1), (1, 0, 1), (1000, 0, 1), (1001, 0, 2), (0, 5000, 1)] as [(Int64, Int64, Int)])
    func retryDelayIsAtLeastOneWholeSecond(until: Int64, now: Int64, seconds: Int) {
        #expect(Moment(milliseconds: until).secondsToWait(from: Moment(milliseconds: now)) == seconds)
    }

    @Test(
        arguments: [(0, 0), (999, 0), (1000, 1000), (3_599_999, 3_599_000), (.max, Int64.max / 1000 * 1000)]
            as [(Int64, Int64)])
    func windowStartsAtItsMultiple(milliseconds: Int64, start: Int64) {
        #expect(Moment(milliseconds: milliseconds).windowStart(of: .seconds(1)) == Moment(milliseconds: start))
    }

    @Test func uuidHasVersionAndVariantOfRandomOnes() {
        #expect(RandomUUID.text(of: [UInt8](repeating: 0, count: 16)) == "00000000-0000-4000-8000-000000000000")
        #expect(RandomUUID.text(of: [UInt8](repeating: 255, count: 16)) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    @Test func timesAreOrdered() {
        #expect(Moment(milliseconds: 1) < Moment(milliseconds: 2))
        #expect(Timestamp(seconds: -1) < Timestamp(seconds: 0))
    }

    @Test func jsonFormIsInteger() throws {
        #expect(try JSONEncoder().encode([Moment(milliseconds: 5)]) == Data("[5]".utf8))
        #expect(try JSONEncoder().encode([Timestamp(seconds: 5)]) == Data("[5]".utf8))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Moment].self, from: Data("[1.5]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data("[\"1\"]".utf8)) }
    }
}

@Suite struct IdentifierTests {
    @Test func identifierIsBareString() throws {
        let id = AccountID("a")
        #expect("\(id)" == "a")
        #expect(try JSONEncoder().encode([id]) == Data(#"["a"]"#.utf8))
        #expect(try JSONDecoder().decode([AccountID].self, from: Data(#"["a"]"#.utf8)) == [id])
        #expect(AccountID("a") < AccountID("b"))
    }

    @Test func realmIsProjectOrTenant() throws {
        let project = Realm(project: ProjectID("p"))
        let tenant = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        #expect(project != tenant)
        #expect(try JSONEncoder().encode(project) == Data(#"{"project":"p"}"#.utf8))
        #expect(try JSONDecoder().decode(Realm.self, from: JSONEncoder().encode(tenant)) == tenant)
    }
}
