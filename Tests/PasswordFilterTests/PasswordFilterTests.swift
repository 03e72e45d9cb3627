import Foundation
import PasswordFilter
import TestSupport
import Testing

@Suite struct PasswordFilterTests {
    @Test func filterContainsItsPasswords() throws {
        let list = Data("First-Password\nsecond\r\n\n dritte ä\nlast".utf8)
        let made = try #require(PasswordFilter.make(from: list))
        let filter = try #require(PasswordFilter(made))
        for password in ["first-password", "second", " dritte ä", "last"] { #expect(filter.contains(password)) }
        for password in ["", "First-Password", "second\r", "third", "dritte ä"] { #expect(!filter.contains(password)) }
    }

    @Test func filterHasFewFalsePositives() throws {
        let list = Data((0..<10_000).map { "password number \($0)\n" }.joined().utf8)
        let made = try #require(PasswordFilter.make(from: list))
        let filter = try #require(PasswordFilter(made))
        #expect((0..<10_000).allSatisfy { filter.contains("password number \($0)") })
        // One in 100,000 is expected.
        #expect((0..<100_000).count { filter.contains("another number \($0)") } < 20)
    }

    @Test func shippedFilterContainsCommonPasswords() {
        for password in [
            "123456", "password", "1qaz2wsx", "iloveyou", "sunshine", "trustno1", "qwertyuiop", "congratulations",
            "correcthorsebatterystaple",
        ] { #expect(PasswordFilter.standard.contains(password), "\(password)") }
        #expect(!PasswordFilter.standard.contains("correct horse battery staple"))
        // Fifteen random lower-case letters.
        var random = SeededRandom(seed: 17)
        let found = (0..<100_000).count { _ in
            let letters = (0..<15).map { _ in UInt8.random(in: 0x61...0x7a, using: &random) }
            return PasswordFilter.standard.contains(String(decoding: letters, as: UTF8.self))
        }
        #expect(found < 20)
    }

    @Test func malformedFilterIsRejected() throws {
        let good = try #require(PasswordFilter.make(from: Data("password".utf8)))
        #expect(PasswordFilter(good) != nil)
        #expect(PasswordFilter(Data([0]) + good) == nil)
        // The indices of a slice do not start at zero.
        #expect(PasswordFilter((Data([0]) + good).dropFirst())?.contains("password") == true)
        for count in 0..<good.count { #expect(PasswordFilter(good.prefix(count)) == nil) }
        #expect(PasswordFilter(good + [0]) == nil)
        for index in 0..<24 {
            var altered = good
            altered[index] ^= 0x80
            #expect(PasswordFilter(altered) == nil)
        }
        #expect(PasswordFilter.make(from: Data("\n\n".utf8)) == nil)
        #expect(PasswordFilter.make(from: Data()) == nil)
    }
}
