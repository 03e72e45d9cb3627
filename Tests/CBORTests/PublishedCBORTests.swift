import CBOR
import Foundation
import TestSupport
import Testing

/// The cases of `cbor.json` in `LATCHKEY_PUBLIC_VECTORS`.
@Suite(.enabled(if: PublicVectors.folder != nil, "\(PublicVectors.missing)"))
struct PublishedCBORTests {
    private struct File: Decodable {
        struct Example: Decodable {
            let hex: String
            let roundtrip: Bool
            let diagnostic: String?
        }

        struct Refused: Decodable {
            let why: String
            let hex: String
        }

        struct Depth: Decodable {
            let hexRepeat: String
            let count: Int
            let then: String
        }

        let appendixA: [Example]
        let notWellFormed: [Refused]
        let wellFormedButRefusedInCtap2Canonical: [Refused]
        let depth: Depth
    }

    private let file: File

    init() throws {
        let folder = try #require(PublicVectors.folder)
        file = try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appending(path: "cbor.json")))
    }

    private func decode(_ hex: String, _ order: CBORDecoder.KeyOrder) throws -> CBORValue {
        try CBORDecoder(keyOrder: order).decode(try #require([UInt8](hex: hex)))
    }

    /// Tags, simple values without a meaning and lengths that are not definite or not the shortest are not supported.
    @Test func examplesAreDecodedIfTheirFormIsSupported() throws {
        for example in file.appendixA {
            let first = try #require([UInt8](hex: example.hex)?.first)
            let isTagged = first >> 5 == 6
            let isSimple = example.diagnostic?.hasPrefix("simple") == true
            // Those that are not written as they are read: long floats, and indefinite lengths.
            let isIndefinite = !example.roundtrip && first >> 5 != 7
            if isTagged || isIndefinite || isSimple {
                #expect(throws: CBORError.self, "\(example.hex)") { try decode(example.hex, .canonical) }
            } else {
                #expect(throws: Never.self, "\(example.hex)") { try decode(example.hex, .canonical) }
            }
        }
    }

    @Test func malformedItemsAreRejected() throws {
        for item in file.notWellFormed {
            #expect(throws: CBORError.self, "\(item.why)") { try decode(item.hex, .any) }
        }
    }

    @Test func itemsInAnotherThanTheCanonicalFormAreRejected() throws {
        for item in file.wellFormedButRefusedInCtap2Canonical {
            #expect(throws: CBORError.self, "\(item.why)") { try decode(item.hex, .canonical) }
        }
    }

    @Test func depthDoesNotExhaustTheStack() throws {
        let depth = file.depth
        let bytes = try #require([UInt8](hex: depth.hexRepeat + depth.then))
        let nested = [UInt8](repeating: bytes[0], count: depth.count) + [bytes[1]]
        #expect(throws: CBORError.tooDeep) { try CBORDecoder().decode(nested) }
    }
}
