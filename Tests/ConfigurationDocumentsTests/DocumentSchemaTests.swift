import Contracts
import FoundationEssentials
import JSON
import Testing

@testable import ConfigurationDocuments

private let schema = DocumentSchema.message([
    "name": .output,
    "state": .enumeration(unset: "STATE_UNSPECIFIED", ["DISABLED", "ENABLED"]),
    "signIn": .message([
        "allowDuplicateEmails": .boolean,
        "email": .message(["enabled": .boolean, "passwordRequired": .boolean]),
        "hashConfig": .output,
    ]),
    "domains": .list(.string),
    "limit": .integer,
    "score": .number,
    "quota": .integerText,
    "triggers": .map(.message(["uri": .string, "updateTime": .output])),
])

/// REST 1.4 and 5.1.
@Suite struct DocumentSchemaTests {
    @Test(arguments: [
        (#"{"state":"ENABLED"}"#, #"{"state":"ENABLED"}"#), (#"{"state":2}"#, #"{"state":"ENABLED"}"#),
        (#"{"state":"1"}"#, #"{"state":"DISABLED"}"#), (#"{"state":0}"#, "{}"),
        (#"{"state":"STATE_UNSPECIFIED"}"#, "{}"), (#"{"state":null}"#, "{}"),
        (#"{"sign_in":{"allow_duplicate_emails":true}}"#, #"{"signIn":{"allowDuplicateEmails":true}}"#),
        (#"{"name":"projects/1/config","signIn":{"hashConfig":{"rounds":8}}}"#, #"{"signIn":{}}"#),
        (#"{"limit":"7"}"#, #"{"limit":7}"#), (#"{"limit":7}"#, #"{"limit":7}"#),
        (#"{"score":1}"#, #"{"score":1.0}"#), (#"{"quota":9007199254740993}"#, #"{"quota":"9007199254740993"}"#),
        (#"{"domains":[]}"#, #"{"domains":[]}"#), (#"{"domains":["a",null]}"#, #"{"domains":["a"]}"#),
        (
            #"{"triggers":{"before_create":{"uri":"u","updateTime":"now"}}}"#,
            #"{"triggers":{"before_create":{"uri":"u"}}}"#
        ),
    ])
    func documentIsNormalized(text: String, canonical: String) throws {
        let read = try schema.read(json(text), root: "config")
        // Numbers keep their kind: a double of the document is a double after reading.
        if case .number(let score)? = read["score"] {
            #expect(score == 1)
        } else {
            #expect(read == (try json(canonical)))
        }
    }

    @Test(arguments: [
        (#"{"state":"SOMETIMES"}"#, "config.state", "Invalid value at 'config.state' (TYPE_ENUM)"),
        (#"{"state":3}"#, "config.state", "Invalid value at 'config.state' (TYPE_ENUM)"),
        (#"{"state":true}"#, "config.state", "Invalid value at 'config.state' (TYPE_ENUM)"),
        (
            #"{"signIn":{"email":{"enabled":"yes"}}}"#, "config.signIn.email.enabled",
            "Invalid value at 'config.signIn.email.enabled' (TYPE_BOOL)"
        ),
        (#"{"signIn":[]}"#, "config.signIn", "Invalid value at 'config.signIn' (TYPE_MESSAGE)"),
        (#"{"domains":["a",1]}"#, "config.domains[1]", "Invalid value at 'config.domains[1]' (TYPE_STRING)"),
        (#"{"domains":"a"}"#, "config.domains", "Invalid value at 'config.domains' (TYPE_LIST)"),
        (#"{"limit":1.5}"#, "config.limit", "Invalid value at 'config.limit' (TYPE_INT32)"),
        (#"{"limit":"x"}"#, "config.limit", "Invalid value at 'config.limit' (TYPE_INT32)"),
        (#"{"quota":"9223372036854775808"}"#, "config.quota", "Invalid value at 'config.quota' (TYPE_INT64)"),
        (#"{"score":"high"}"#, "config.score", "Invalid value at 'config.score' (TYPE_DOUBLE)"),
        (
            #"{"triggers":{"a":{"uri":1}}}"#, "config.triggers[a].uri",
            "Invalid value at 'config.triggers[a].uri' (TYPE_STRING)"
        ),
        ("[]", "config", "Invalid value at 'config' (TYPE_MESSAGE)"),
        (
            #"{"colour":"red"}"#, "config",
            #"Invalid JSON payload received. Unknown name "colour" at 'config': Cannot find field."#
        ),
        (
            #"{"signIn":{"colour":"red"}}"#, "config.signIn",
            #"Invalid JSON payload received. Unknown name "colour" at 'config.signIn': Cannot find field."#
        ),
        (
            #"{"signIn":{},"sign_in":{}}"#, "config",
            #"Invalid JSON payload received. Unknown name "sign_in" at 'config': Cannot find field."#
        ),
    ])
    func everyViolationIsNamed(text: String, field: String, description: String) throws {
        let refusal = #expect(throws: DocumentError.self) { try schema.read(json(text), root: "config") }
        #expect(refusal == DocumentError(description, [.init(field: field, description: description)]))
    }

    @Test func violationsAreReportedUpToLimit() throws {
        let body = "{" + (0..<30).map { #""x\#($0)":1"# }.joined(separator: ",") + "}"
        let refusal = #expect(throws: DocumentError.self) { try schema.read(json(body), root: "config") }
        #expect(refusal?.violations.count == 20)
    }
}

@Suite struct FieldMaskTests {
    private static let current = #"""
        {"name":"n","state":"ENABLED","signIn":{"allowDuplicateEmails":true,"email":{"enabled":true,"passwordRequired":false},"hashConfig":{"rounds":8}},"domains":["a","b"],"limit":3,"triggers":{"x":{"uri":"u","updateTime":"t"}}}
        """#

    @Test(
        arguments: [
            ("", []), ("mfa.state", [["mfa", "state"]]), ("a,b", [["a"], ["b"]]), ("a,a", [["a"]]),
            (" a , b.c ", [["a"], ["b", "c"]]),
            ("sign_in.allow_duplicate_emails", [["signIn", "allowDuplicateEmails"]]), ("signIn,sign_in", [["signIn"]]),
            ("*", [[]]),
        ] as [(String, [[String]])])
    func maskAcceptsBothSpellings(text: String, paths: [[String]]) throws {
        #expect(try FieldMask(text).paths == paths)
    }

    @Test func maskHasMaximumPaths() throws {
        #expect(try FieldMask((0..<256).map { "f\($0)" }.joined(separator: ",")).paths.count == 256)
        #expect(throws: DocumentError.self) { try FieldMask((0..<257).map { "f\($0)" }.joined(separator: ",")) }
    }

    /// Mask, body, and the fields of the document above that differ afterwards.
    @Test(arguments: [
        // A leaf: other members of the body are ignored.
        ("limit", #"{"limit":4,"state":"DISABLED"}"#, #"{"limit":4}"#),
        (
            "signIn.email.enabled", #"{"signIn":{"email":{"enabled":false,"passwordRequired":true}}}"#,
            #"{"signIn":{"allowDuplicateEmails":true,"email":{"enabled":false,"passwordRequired":false},"hashConfig":{"rounds":8}}}"#
        ),
        // A parent path replaces its members, and output fields are kept.
        (
            "signIn", #"{"signIn":{"email":{"enabled":false}}}"#,
            #"{"signIn":{"email":{"enabled":false},"hashConfig":{"rounds":8}}}"#
        ),
        (
            "signIn.email", #"{"signIn":{"email":{}}}"#,
            #"{"signIn":{"allowDuplicateEmails":true,"email":{},"hashConfig":{"rounds":8}}}"#
        ),
        // In the mask but absent from the body: cleared.
        ("limit,state", "{}", #"{"limit":null,"state":null}"#),
        (
            "signIn.email.enabled", "{}",
            #"{"signIn":{"allowDuplicateEmails":true,"email":{"passwordRequired":false},"hashConfig":{"rounds":8}}}"#
        ),
        ("signIn.email", "{}", #"{"signIn":{"allowDuplicateEmails":true,"hashConfig":{"rounds":8}}}"#),
        ("domains,triggers", "{}", #"{"domains":null,"triggers":null}"#),
        // Lists and maps are replaced as a whole; output fields of a kept entry stay.
        ("domains", #"{"domains":["c"]}"#, #"{"domains":["c"]}"#),
        ("triggers", #"{"triggers":{"y":{"uri":"v"}}}"#, #"{"triggers":{"y":{"uri":"v"}}}"#),
        ("triggers", #"{"triggers":{"x":{"uri":"v"}}}"#, #"{"triggers":{"x":{"uri":"v","updateTime":"t"}}}"#),
        ("triggers", #"{"triggers":{}}"#, #"{"triggers":{}}"#),
        // Two spellings, several paths.
        (
            "sign_in.allow_duplicate_emails,limit", #"{"signIn":{"allowDuplicateEmails":false},"limit":9}"#,
            #"{"limit":9,"signIn":{"allowDuplicateEmails":false,"email":{"enabled":true,"passwordRequired":false},"hashConfig":{"rounds":8}}}"#
        ),
        // Output fields never change, even if the mask names them.
        ("name,signIn.hashConfig", #"{"name":"other","signIn":{"hashConfig":{"rounds":1}}}"#, "{}"),
        // Without a mask: every leaf of the body.
        (
            "", #"{"limit":5,"signIn":{"email":{"enabled":false}}}"#,
            #"{"limit":5,"signIn":{"allowDuplicateEmails":true,"email":{"enabled":false,"passwordRequired":false},"hashConfig":{"rounds":8}}}"#
        ),
        ("", "{}", "{}"), ("", #"{"signIn":{}}"#, "{}"), ("", #"{"domains":[]}"#, #"{"domains":[]}"#),
        // The complete document.
        (
            "*", #"{"limit":1}"#,
            #"{"limit":1,"state":null,"domains":null,"triggers":null,"signIn":{"hashConfig":{"rounds":8}}}"#
        ),
    ])
    func maskChangesOnlyNamedFields(mask: String, body: String, difference: String) throws {
        let current = try json(Self.current)
        let body = try schema.read(json(body), root: "config")
        let changed = try schema.applying(FieldMask(mask), of: body, to: current)
        var expected = try #require(current.members)
        for (name, value) in try #require(json(difference).members) { expected[name] = value == .null ? nil : value }
        #expect(changed == .object(expected))
    }

    @Test(arguments: [
        "colour", "signIn.colour", "limit.x", "domains.0", "triggers.x", "triggers.x.uri", "signIn..email", ".",
        "name.x", "signIn.*",
    ])
    func maskRequiresExistingFields(mask: String) throws {
        let mask = try FieldMask(mask)
        let refusal = #expect(throws: DocumentError.self) {
            try schema.applying(mask, of: .object([:]), to: json(Self.current))
        }
        #expect(refusal?.violations.first?.field == "updateMask")
    }

    @Test func maskCreatesMissingParents() throws {
        let body = try json(#"{"signIn":{"email":{"enabled":true}}}"#)
        let changed = try schema.applying(FieldMask("signIn.email.enabled"), of: body, to: .object([:]))
        #expect(changed == body)
    }
}

func json(_ text: String) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
}
