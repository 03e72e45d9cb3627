import FoundationEssentials
import Testing

@testable import JSON

@Suite struct JSONUnknownNameTests {
    private struct Inner: Decodable {
        var value: Int?
        var texts: [String: String]?
    }
    private struct Outer: Decodable {
        var firstName: String?
        var inner: Inner?
        var list: [Inner]?
        var anything: JSONValue?
    }
    /// Decodes one object as two types.
    private struct Both: Decodable {
        struct Other: Decodable { var extra: String? }
        var outer: Outer
        var other: Other

        init(from decoder: any Decoder) throws {
            outer = try Outer(from: decoder)
            other = try Other(from: decoder)
        }
    }

    private func unknown<Value: Decodable>(
        _ type: Value.Type, _ text: String, _ names: WireJSON.KeySpelling = .camelOrSnakeCase
    ) throws -> [String] {
        try JSONDocument(text.utf8).decodeFindingUnknownNames(type, names: names).unknownNames.map { unknown in
            (unknown.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue } + [unknown.name])
                .joined(separator: ".")
        }
    }

    @Test(
        arguments: [
            ("{}", []), (#"{"firstName":"a","inner":{"value":1}}"#, []), (#"{"first_name":"a"}"#, []),
            (#"{"firstName":null,"inner":null}"#, []), (#"{"colour":"red"}"#, ["colour"]),
            (#"{"inner":{"x":1,"value":2,"y":{"value":3}},"z":1}"#, ["inner.x", "inner.y", "z"]),
            (#"{"list":[{"value":1},{"x":{}}]}"#, ["list.[1].x"]),
            // The names of a dictionary and of a free value are data.
            (#"{"inner":{"texts":{"any":"a","first_name":"b"}},"anything":{"x":{"y":1}}}"#, []),
            // The second spelling of a name is not read.
            (#"{"firstName":"a","first_name":"b"}"#, ["first_name"]),
            (#"{"first_name":"a","firstName":"b"}"#, ["firstName"]),
            (#"{"extra":"a"}"#, ["extra"]),
        ] as [(String, [String])])
    func membersThatNoTypeDeclaresAreFound(text: String, names: [String]) throws {
        #expect(try unknown(Outer.self, text) == names)
    }

    @Test func namesOfSeveralTypesAreUnited() throws {
        #expect(try unknown(Both.self, #"{"firstName":"a","extra":"b","inner":{"z":1},"x":1}"#) == ["inner.z", "x"])
    }

    @Test func declaredSpellingIsExact() throws {
        #expect(try unknown(Outer.self, #"{"first_name":"a"}"#, .asDeclared) == ["first_name"])
    }

    @Test func valueIsTheSameAsWithoutTheSearch() throws {
        let document = try JSONDocument(#"{"firstName":"a","x":1,"list":[{"value":1},{"value":2}]}"#.utf8)
        let (value, _) = try document.decodeFindingUnknownNames(Outer.self)
        #expect(value.firstName == "a" && value.list?.map(\.value) == [1, 2])
        #expect(throws: DecodingError.self) {
            try JSONDocument(#"{"firstName":1,"x":1}"#.utf8).decodeFindingUnknownNames(Outer.self)
        }
    }
}
