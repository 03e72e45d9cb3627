import Testing

@testable import MasterKey

struct MasterKeyRingTests {
    private static let first = MasterKey.named("1a2b3c4d")
    private static let second = MasterKey.named("9f8e7d6c", byte: 0x11)

    /// The file of the first release, and every format with two keys.
    @Test(
        arguments: [
            (first.text, ["1a2b3c4d"]),
            (first.text + "\n", ["1a2b3c4d"]),
            ("\n\t " + first.text + " \r\n", ["1a2b3c4d"]),
            (first.text.uppercased(), ["1a2b3c4d"]),
            (first.text + "\n" + second.text + "\n", ["1a2b3c4d", "9f8e7d6c"]),
            (second.text + " " + first.text, ["9f8e7d6c", "1a2b3c4d"]),
            (second.text + "\n\n\n" + first.text, ["9f8e7d6c", "1a2b3c4d"]),
        ] as [(String, [String])])
    func firstKeyIsCurrent(text: String, ids: [String]) throws {
        let ring = try MasterKeyRing(text: text)
        #expect(ring.ids == ids)
        #expect(ring.current.id == ids[0])
        #expect(try MasterKeyRing(text: ring.text).ids == ids)
    }

    @Test(
        arguments: [
            ("", .malformed(entry: 1)),
            (" \n", .malformed(entry: 1)),
            ("no key", .malformed(entry: 1)),
            (String(first.text.dropLast()), .malformed(entry: 1)),
            (first.text + "0", .malformed(entry: 1)),
            (String(first.text.dropFirst(2)), .malformed(entry: 1)),
            (first.text.replacing(":", with: "-"), .malformed(entry: 1)),
            (first.text + second.text, .malformed(entry: 1)),
            ("x" + first.text.dropFirst(), .malformed(entry: 1)),
            (first.text + "," + second.text, .malformed(entry: 1)),
            (first.text + "\n# the old one\n" + second.text, .malformed(entry: 2)),
            (first.text + "\n" + second.text + "0\n", .malformed(entry: 2)),
            (first.text + "\n" + first.text, .repeated(id: "1a2b3c4d")),
            (first.text + "\n" + MasterKey.named("1a2b3c4d", byte: 9).text, .repeated(id: "1a2b3c4d")),
        ] as [(String, MasterKeyRingError)])
    func malformedRingIsExplained(text: String, fault: MasterKeyRingError) {
        #expect(throws: fault) { try MasterKeyRing(text: text) }
    }

    @Test func ringIsLimitedToSixteenKeys() throws {
        let keys = (0..<17).map { _ in MasterKey.random().text }
        #expect(try MasterKeyRing(text: keys.dropLast().joined(separator: "\n")).all.count == 16)
        #expect(throws: MasterKeyRingError.tooMany) { try MasterKeyRing(text: keys.joined(separator: "\n")) }
    }

    @Test func newKeyPrecedesOthers() {
        let ring = MasterKeyRing(Self.first).rotated(to: Self.second)
        #expect(ring.ids == ["9f8e7d6c", "1a2b3c4d"])
        #expect(ring["1a2b3c4d"]?.text == Self.first.text)
        #expect(ring["00000000"] == nil)
    }

    @Test func keysAreNeverPrinted() {
        let ring = MasterKeyRing(Self.first, former: [Self.second])
        var dumped = "\(ring) \(Self.first)"
        dump(ring, to: &dumped)
        #expect(!dumped.contains("0707"))
        #expect(!dumped.contains("1111"))
        #expect(dumped.contains("1a2b3c4d"))
    }
}
