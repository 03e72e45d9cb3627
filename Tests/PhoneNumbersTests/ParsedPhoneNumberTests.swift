import PhoneNumbers
import TestSupport
import Testing
import Vocabulary

/// `phone-numbers.json`: the results of libphonenumber 9.0.43. Debian 12 has 8.12.57.
private struct Vectors: Decodable {
    struct Example: Decodable {
        var input: String
        var region: String
        var e164: String?
        var type: String
    }
    struct Refused: Decodable {
        struct Lenient: Decodable {
            var e164: String
            var possible: Bool
        }
        var input: String
        var why: String
        var lenientParse: Lenient?
    }
    var regionExamples: [Example]
    var edge: [Example]
    var refused: [Refused]

    static let file = Result { try VectorFile.load("phone-numbers.json", as: Vectors.self) }
}

@Suite struct ParsedPhoneNumberTests {
    /// Numbers for which Debian's metadata, which is older, gives other results. All of them are accepted. None of
    /// these differences makes a number a recipient of SMS or more expensive.
    private static let differences: [String: (region: String, kind: ParsedPhoneNumber.NumberType, why: String)] = [
        "+56600123456": ("CL", .unknown, "a range of fixed lines that was opened later"),
        "+4534412345": ("DK", .fixedLineOrMobile, "Denmark did not tell its ranges apart"),
        "+212528812345": ("EH", .fixedLine, "the range was counted to Western Sahara"),
        "+2342033123456": ("NG", .unknown, "a range of fixed lines that was opened later"),
    ]

    private static func kind(_ name: String) throws -> ParsedPhoneNumber.NumberType {
        switch name {
        case "FIXED_LINE": .fixedLine
        case "MOBILE": .mobile
        case "FIXED_LINE_OR_MOBILE": .fixedLineOrMobile
        case "TOLL_FREE": .tollFree
        case "PREMIUM_RATE": .premiumRate
        case "SHARED_COST": .sharedCost
        case "VOIP": .voip
        case "PERSONAL_NUMBER": .personal
        case "PAGER": .pager
        case "UAN": .universalAccess
        case "VOICEMAIL": .voicemail
        case "UNKNOWN": .unknown
        default: try #require(nil as ParsedPhoneNumber.NumberType?, "\(name) is no type")
        }
    }

    @Test func vectorsMatch() throws {
        let vectors = try Vectors.file.get()
        #expect(vectors.regionExamples.count > 400 && vectors.edge.count > 15)
        var differing: Set<String> = []
        for example in vectors.regionExamples + vectors.edge {
            let number = try #require(try? ParsedPhoneNumber(example.input), "\(example.input) is refused")
            #expect(number.number.rawValue == example.e164 ?? example.input)
            let said = (
                region: example.region == "001" ? nil : example.region as String?, kind: try Self.kind(example.type)
            )
            if let difference = Self.differences[example.input] {
                #expect((number.region, number.kind) == (difference.region, difference.kind), "\(example.input)")
                if (number.region, number.kind) != said { differing.insert(example.input) }
            } else {
                #expect((number.region, number.kind) == said, "\(example.input)")
            }
        }
        #expect(differing == Set(Self.differences.keys), "the library has caught up")
    }

    /// Numbers that the lenient library accepts because it ignores unknown text, and that this module rejects.
    private static let stricter: [String: String] = [
        "++16505550101": "two plus signs: nobody knows what was meant",
        "+16505550101;ext=2": "a message cannot be sent to an extension",
        "+16505550101\0": "a text with NUL is no text",
    ]

    @Test func invalidNumberIsRefused() throws {
        var stricter: Set<String> = []
        for row in try Vectors.file.get().refused {
            let number = try? ParsedPhoneNumber(row.input)
            if Self.stricter[row.input] != nil {
                #expect(number == nil, "\(row.why)")
                stricter.insert(row.input)
            } else if let lenient = row.lenientParse, lenient.possible {
                #expect(number?.number.rawValue == lenient.e164, "\(row.why)")
            } else {
                #expect(number == nil, "\(row.why)")
            }
        }
        #expect(stricter == Set(Self.stricter.keys))
    }

    @Test(arguments: [
        "+491711234567", " +49 171 1234567 ", "+49 (171) 123-45.67", "+49/171/1234567", "\u{FF0B}４９１７１１２３４５６７",
        "+٤٩١٧١١٢٣٤٥٦٧", "\u{202A}+49\u{00A0}171\u{2011}1234567\u{202C}", "+49\u{200B}1711234567", "TEL:+491711234567",
        "+49［171］1234567", "+49 171\t1234567\n", "＋४९१७११२३४५६७",
    ]) func numberHasOneCanonicalForm(text: String) throws {
        let number = try ParsedPhoneNumber(text)
        #expect(
            number == ParsedPhoneNumber(number: try #require(PhoneNumber("+491711234567")), region: "DE", kind: .mobile)
        )
        #expect(try ParsedPhoneNumber(number.number.rawValue) == number)
    }

    @Test(arguments: [
        ("", PhoneNumberError.malformed), ("call me", .malformed), ("12025550123", .malformed), ("+", .malformed),
        ("+1 abc", .malformed), ("+1650VANITY1", .malformed), ("0049 171 1234567", .malformed), ("tel:", .malformed),
        ("tel:tel:+16505550101", .malformed), ("16505550101+", .malformed), ("+1+6505550101", .malformed),
        ("+1650555010Ⅷ", .malformed), ("+1650555010½", .malformed), ("+999123456789", .malformed),
        ("+0123456789", .malformed), ("+1", .malformed), ("+12", .malformed), ("+15550101", .tooShort),
        ("+4917", .tooShort), ("+165055501012", .tooLong), ("+1234567890123456", .tooLong),
        ("+1" + String(repeating: " ", count: 128), .tooLong),
        ("+" + String(repeating: "1", count: 1_000_000), .tooLong),
    ]) func errorNamesDefect(text: String, fault: PhoneNumberError) {
        #expect(throws: fault) { try ParsedPhoneNumber(text) }
    }

    /// Countries that share a calling code are distinguished.
    @Test(arguments: [
        ("+12025550156", "US", ParsedPhoneNumber.NumberType.fixedLineOrMobile),
        ("+14165550123", "CA", .fixedLineOrMobile),
        ("+77011234567", "KZ", .mobile), ("+447624123456", "IM", .mobile), ("+441534123456", "JE", .fixedLine),
        ("+19005550100", "US", .premiumRate), ("+447012345678", "GB", .personal), ("+18005550123", "US", .tollFree),
    ]) func regionAndTypeAreDetermined(text: String, region: String, kind: ParsedPhoneNumber.NumberType) throws {
        let number = try ParsedPhoneNumber(text)
        #expect((number.region, number.kind) == (region, kind))
    }

    @Test(arguments: ["+979123456789", "+881612345678", "+870773111632", "+882161234567", "+80012345678"])
    func nonGeographicNumberHasNoRegion(text: String) throws {
        #expect(try ParsedPhoneNumber(text).region == nil)
    }

    /// The length is valid, and the library knows no such number.
    @Test func unassignedNumberIsAcceptedAsUnknown() throws {
        let number = try ParsedPhoneNumber("+19995550123")
        #expect((number.region, number.kind) == ("US", .unknown))
    }

    @Test func renumberedCountryIsSupported() throws {
        #expect(try ParsedPhoneNumber("+229 01 95 12 34 56").kind == .mobile)
        #expect(throws: PhoneNumberError.self) { try ParsedPhoneNumber("+229 02 95 12 34 56") }
        #expect(throws: PhoneNumberError.self) { try ParsedPhoneNumber("+229 01 95 12 34 56 7") }
    }

    /// A trunk prefix must not follow a country calling code, but users often write it there.
    @Test func trunkPrefixIsRemovedOnce() throws {
        #expect(try ParsedPhoneNumber("+44 (0)20 7946 0000").number.rawValue == "+442079460000")
        #expect(throws: PhoneNumberError.malformed) { try ParsedPhoneNumber("+95 0099555547") }
    }

    /// Any text gives a result, and an accepted number gives the same result again.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func randomTextDoesNotTrap(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("+0123456789  -().;xtel:１９٣\u{200B}\0\u{FFFD}é".unicodeScalars)
        for _ in 0..<50 {
            var text = Bool.random(using: &random) ? "+" : ""
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            guard let number = try? ParsedPhoneNumber(text) else { continue }
            #expect(try ParsedPhoneNumber(number.number.rawValue) == number, "\(text)")
        }
    }

    /// The library's only instance serves all threads.
    @Test func parallelCallsShareOneInstance() async throws {
        let examples = try Vectors.file.get().regionExamples.map(\.input)
        await withTaskGroup { group in
            for start in 0..<8 {
                group.addTask {
                    for index in examples.indices {
                        let text = examples[(index + start * 60) % examples.count]
                        #expect((try? ParsedPhoneNumber(text)) != nil, "\(text)")
                    }
                }
            }
        }
    }
}
