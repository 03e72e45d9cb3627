import Contracts
import Testing
import UserFiles
import Vocabulary

/// The CSV of `firebase auth:export`.
@Suite struct CSVUserTests {
    private static func line(_ columns: [Int: String], count: Int = 28) -> String {
        (0..<count).map { columns[$0] ?? "" }.joined(separator: ",") + ",\n"
    }

    /// The exporter quotes fields with a comma, and doubles only the quotes of the custom claims.
    @Test(arguments: [1, 5, 4096]) func everyColumnIsRead(pieces: Int) throws {
        let text =
            Self.line([
                0: "ada", 1: "ada@example.com", 2: "true", 3: "+/8=", 4: "AA==", 5: "\"Lovelace, \"Ada\" K.\"",
                6: "https://example.com/a.png", 7: "g-1", 8: "ada@gmail.com", 9: "Ada G", 10: "https://g", 11: "f-1",
                15: "t-1", 19: "h-1", 23: "1500000000000", 24: "1500000000001", 25: "+12025550170", 26: "true",
                27: #""{""a"":""x\"y"",""b"":[1,2]}""#,
            ]).replacing("\n", with: "\r\n") + Self.line([0: "bob", 26: "false"])
        let records = try UserFileReaderTests.read(text, .csv, pieces: pieces)
        #expect(records.map(\.position.number) == [1, 2])
        #expect(records.last?.position.byteOffset == text.utf8.count - Self.line([0: "bob", 26: "false"]).utf8.count)
        let entries = try records.map { try $0.content.get() }
        #expect(
            entries == [
                UserFileEntry(
                    account: .init(
                        id: AccountID("ada"),
                        profile: .init(
                            email: "ada@example.com", emailVerified: true, displayName: "Lovelace, \"Ada\" K.",
                            photoURL: "https://example.com/a.png", phoneNumber: "+12025550170", disabled: true,
                            customClaims: #"{"a":"x\"y","b":[1,2]}"#,
                            createdAt: Moment(milliseconds: 1_500_000_000_000),
                            lastSignInAt: Moment(milliseconds: 1_500_000_000_001)),
                        links: [
                            ProviderLink(
                                providerID: "google.com", providerAccountID: "g-1", email: "ada@gmail.com",
                                displayName: "Ada G", photoURL: "https://g"),
                            ProviderLink(providerID: "facebook.com", providerAccountID: "f-1"),
                            ProviderLink(providerID: "twitter.com", providerAccountID: "t-1"),
                            ProviderLink(providerID: "github.com", providerAccountID: "h-1"),
                        ], passwordHash: OctetString([0xfb, 0xff]), salt: OctetString([0]))),
                UserFileEntry(account: .init(id: AccountID("bob"), profile: .init(disabled: false))),
            ])
    }

    @Test func olderFilesHaveFewerColumns() throws {
        let records = try UserFileReaderTests.read(Self.line([0: "a", 25: "+12025550170"], count: 26), .csv)
        #expect(try records.first?.content.get().account.profile.phoneNumber == "+12025550170")
    }

    @Test(
        arguments: [
            ("a,b\n", "the record has 2 columns instead of 29"),
            (line([0: "a", 2: "yes"]), "emailVerified is not true or false"),
            (line([0: "a", 23: "now"]), "createdAt is not a number"),
            (line([0: "a"], count: 29), "the record has 30 columns instead of 29"),
            (line([0: "a"]).replacing(",\n", with: ",x\n"), "column 29 is not empty"),
        ])
    func malformedColumnIsNamed(text: String, reason: String) throws {
        let record = try #require(try UserFileReaderTests.read(text, .csv).first)
        guard case .failure(let error) = record.content else {
            Issue.record("accepted")
            return
        }
        #expect(error.message == reason)
    }

    @Test func bytesMustBeUTF8() throws {
        var reader = UserFileReader(.csv, hashes: nil)
        let records = try reader.receive([0xff] + Array(Self.line([1: "x"]).utf8))
        guard case .failure(let error)? = records.first?.content else {
            Issue.record("accepted")
            return
        }
        #expect(error.message == "column 1 is not UTF-8")
    }

    @Test func cutFileIsRecognized() throws {
        let whole = Self.line([0: "ada"]) + Self.line([0: "bob", 5: "\"B, ob\"", 27: "\"{}\""])
        let second = Self.line([0: "ada"]).utf8.count
        for length in (second + 1)..<(whole.utf8.count - 1) {
            var reader = UserFileReader(.csv, hashes: nil)
            #expect(try reader.receive(whole.utf8.prefix(length)).count == 1)
            #expect(throws: UserFileError.truncated(.init(number: 2, byteOffset: second))) { try reader.finish() }
        }
        // Only the line end is missing.
        #expect(try UserFileReaderTests.read(String(whole.dropLast()), .csv).count == 2)
    }
}
