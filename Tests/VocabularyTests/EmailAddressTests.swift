import Foundation
import Testing
import Vocabulary

@Suite struct EmailAddressTests {
    @Test(arguments: [
        "a@b.c", "someone@example.com", "some.one+tag@mail.example.com", "!#$%&'*+-/=?^_`{|}~@example.com",
        "1@1.example", "grüße@example.com", "用户@例子.中国", "a@xn--bcher-kva.example", "a@a-b.example",
    ])
    func validAddressIsAccepted(text: String) throws {
        #expect(try #require(EmailAddress(text)).rawValue == text)
    }

    @Test(arguments: [
        "", "@", "a", "a@", "@b.c", "a@b", "a@@b.c", "a@b@c.d", "a b@c.d", " a@b.c", "a@b.c ", "a@b .c", ".a@b.c",
        "a.@b.c",
        "a..b@c.d", "a@.b.c", "a@b.c.", "a@b..c", "a@-b.c", "a@b-.c", "a@b_c.d", "\"a b\"@c.d", "a(c)@b.c", "a,b@c.d",
        "a;b@c.d", "a:b@c.d", "a<b@c.d", "a>b@c.d", "a[b@c.d", "a]b@c.d", "a\\b@c.d", "a@[192.0.2.1]", "a\n@b.c",
        "a\r\nBcc: x@y.z@b.c", "a\u{0}@b.c", "a\u{7f}@b.c", "a\u{a0}@b.c", "a\u{200b}@b.c", "a\u{2028}@b.c",
        "a\u{202e}@b.c",
        "a@b\u{200b}.c", "a@b!.c", "a@\u{301}example.com", "\u{301}a@example.com", "a@b.\u{301}c", "a@\u{20e3}b.c",
        "a@\u{903}b.c", "a@\u{1f3fb}b.c", "a@\u{ff9e}b.c", "a.\u{301}b@c.d",
    ])
    func invalidAddressIsRejected(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test func lengthsFollowRFC5321() {
        let local = String(repeating: "a", count: 64)
        #expect(EmailAddress(local + "@example.com") != nil)
        #expect(EmailAddress("a" + local + "@example.com") == nil)
        let label = String(repeating: "b", count: 63)
        #expect(EmailAddress("a@\(label).example") != nil)
        #expect(EmailAddress("a@b\(label).example") == nil)
        let domain = [label, label, String(repeating: "c", count: 59), "d"].joined(separator: ".")
        let longest = String(repeating: "a", count: 254 - 1 - domain.utf8.count) + "@" + domain
        #expect(longest.utf8.count == 254)
        #expect(EmailAddress(longest) != nil)
        #expect(EmailAddress("a" + longest) == nil)
    }

    @Test(arguments: [
        ("Some.One@EXAMPLE.Com", "some.one@example.com", "some.one"), ("ADA@example.com", "ada@example.com", "ada"),
        ("GRÜSSE@example.com", "grÜsse@example.com", "grÜsse"), ("a@BÜCHER.Example", "a@bÜcher.example", "a"),
    ])
    func asciiLettersAreLowercased(text: String, stored: String, localPart: String) throws {
        let address = try #require(EmailAddress(text))
        #expect(address.rawValue == stored && address.folded == stored && address.localPart == localPart)
        #expect(address == EmailAddress(stored))
    }

    /// A scalar that forms one Swift character with the adjacent `@` is still a separate part.
    @Test(arguments: [
        ("a@b.c", "a", "b.c"), ("\u{d4e}@b.c", "\u{d4e}", "b.c"), ("grüße@例子.中国", "grüße", "例子.中国"),
        ("e\u{301}@e\u{301}.c", "e\u{301}", "e\u{301}.c"),
    ])
    func partsSplitAtAtSign(text: String, localPart: String, domain: String) throws {
        let address = try #require(EmailAddress(text))
        #expect(Array(address.localPart.utf8) == Array(localPart.utf8))
        #expect(Array(address.domain.utf8) == Array(domain.utf8))
    }

    /// Security rule JS7: letters that Unicode folds to ASCII letters belong to other addresses.
    @Test(arguments: [
        ("K@example.com", "\u{212a}@example.com"), ("s@example.com", "ſ@example.com"),
        ("i@example.com", "ı@example.com"),
        ("i@example.com", "İ@example.com"), ("ss@example.com", "ß@example.com"),
    ])
    func foldingChangesOnlyASCII(one: String, other: String) throws {
        #expect(try #require(EmailAddress(one)).folded != #require(EmailAddress(other)).folded)
    }

    @Test func jsonFormIsString() throws {
        let address = try #require(EmailAddress("a@b.c"))
        #expect(try JSONEncoder().encode([address]) == Data(#"["a@b.c"]"#.utf8))
        #expect(try JSONDecoder().decode([EmailAddress].self, from: Data(#"["A@B.c"]"#.utf8)) == [address])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EmailAddress].self, from: Data(#"["a"]"#.utf8))
        }
    }
}
