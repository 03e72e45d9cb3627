import Foundation
import SMTPClient
import TestSupport
import Testing

/// One header field results in exactly one header field.
@Suite struct EmailHeaderTests {
    @Test(arguments: [
        ("Reset your password", "Reset your password"), ("", ""), (" padded ", "=?UTF-8?B?IHBhZGRlZCA=?="),
        ("Zurücksetzen", "=?UTF-8?B?WnVyw7xja3NldHplbg==?="),
        ("=?UTF-8?B?eA==?=", "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?="),
    ])
    func textIsPlainWherePossible(text: String, value: String) {
        #expect(EmailHeader("Subject", text: text).value == value)
    }

    /// Security rule HT14: no name and no subject results in another header field, and decoding returns the text
    /// without its control characters.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func textCannotEndItsHeader(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "\r\nBcc: x@example.com", "\n", "\r", "\u{0}", "\u{85}", "\u{2028}", "ü", "日本語", "👩‍👩‍👧", "é", " ", "=?", "?=",
            "\"",
            "<a@b.c>", ",", "plain", "\t", "\u{7f}", "\u{1b}[31m", "مرحبا", String(repeating: "long ", count: 30),
        ]
        let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
        let header = EmailHeader("Subject", text: text)
        let lines = header.line.components(separatedBy: "\r\n")
        for line in lines.dropFirst() { #expect(line.hasPrefix(" ")) }
        for line in lines {
            #expect(line.utf8.count <= 90)
            #expect(line.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        }
        let cleaned = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        #expect(decoded(header.value) == cleaned)
    }

    private func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Decodes RFC 2047 as a mail client does.
    private func decoded(_ value: String) -> String {
        guard value.hasPrefix("=?UTF-8?B?") else { return value }
        return value.components(separatedBy: "\r\n ").map { word in
            let base64 = word.dropFirst("=?UTF-8?B?".count).dropLast(2)
            return Data(base64Encoded: String(base64)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
        }.joined()
    }
}
