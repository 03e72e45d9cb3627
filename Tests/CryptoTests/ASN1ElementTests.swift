import Crypto
import TestSupport
import Testing

@Suite struct ASN1ElementTests {
    private static let nested = DERWriter.sequence(
        DERWriter.integer(300), DERWriter.element(0x0a, [2]), DERWriter.octetString([1, 2]),
        DERWriter.context(1, DERWriter.set(DERWriter.integer(2))), DERWriter.context(702, DERWriter.integer(0)),
        DERWriter.boolean(true))

    @Test func elementsAreParsed() throws {
        let element = try #require(ASN1Element(der: Self.nested))
        #expect(element.tag == .sequence && element.isConstructed)
        let children = try #require(element.children(maximum: 6))
        #expect(children.map(\.tag) == [.integer, .enumerated, .octetString, .context(1), .context(702), .other])
        #expect(children[0].unsignedValue == 300)
        #expect(children[1].unsignedValue == 2)
        #expect(children[2].content == [1, 2])
        #expect(children[2].children(maximum: 6) == nil)
        #expect(children[2].unsignedValue == nil)
        let set = try #require(children[3].children(maximum: 1)?.first)
        #expect(set.tag == .set)
        #expect(children[4].children(maximum: 1)?.first?.unsignedValue == 0)
    }

    @Test func longContentIsParsed() throws {
        let bytes = [UInt8](repeating: 7, count: 70_000)
        #expect(ASN1Element(der: DERWriter.octetString(bytes))?.content == bytes)
    }

    @Test func moreChildrenThanAllowedAreRefused() throws {
        #expect(try #require(ASN1Element(der: Self.nested)).children(maximum: 5) == nil)
    }

    @Test func everyPrefixIsRefused() {
        for count in 0..<Self.nested.count {
            #expect(ASN1Element(der: Array(Self.nested.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x80, 0, 0], [0x04, 0x84, 0xff, 0xff, 0xff, 0xff, 0], [0x04, 0xff],
            [0x04, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0x04, 1, 2, 3], [0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0],
        ] as [[UInt8]])
    func malformedElementIsRefused(der: [UInt8]) {
        #expect(ASN1Element(der: der) == nil)
    }

    @Test(arguments: [[2, 1, 0x80], [2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0], [2, 0], [4, 1, 1]] as [[UInt8]])
    func valueOutsideTheRangeIsRefused(der: [UInt8]) throws {
        #expect(try #require(ASN1Element(der: der)).unsignedValue == nil)
    }

    @Test func largestValueIsParsed() throws {
        let der: [UInt8] = [2, 8, 0x7f] + [UInt8](repeating: 0xff, count: 7)
        #expect(try #require(ASN1Element(der: der)).unsignedValue == Int.max)
    }
}
