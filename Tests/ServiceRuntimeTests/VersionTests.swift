import Foundation
import ServiceRuntime
import Testing

/// One version number, which differs between releases.
@Suite struct VersionTests {
    private struct Changelog {
        /// The released versions, the newest first.
        var releases: [[Int]] = []
        var hasUnreleasedChanges = false

        init() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md")
            var isUnreleased = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let heading = line.wholeMatch(of: /## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d/) {
                    releases.append(VersionTests.numbers(String(heading.1)))
                    isUnreleased = false
                } else if line.hasPrefix("## ") {
                    #expect(line == "## [Unreleased]" && releases.isEmpty)
                    isUnreleased = true
                } else if isUnreleased, line.hasPrefix("- ") {
                    hasUnreleasedChanges = true
                }
            }
        }
    }

    private static func numbers(_ version: String) -> [Int] { version.split(separator: ".").compactMap { Int($0) } }

    @Test func versionIsThatOfTheChangelog() throws {
        let changelog = try Changelog()
        let newest = try #require(changelog.releases.first)
        let version = Self.numbers(Program.version)
        #expect(version.count == 3)
        if changelog.hasUnreleasedChanges {
            #expect(newest.lexicographicallyPrecedes(version), "changes after a release need a new version")
        } else {
            #expect(newest == version)
        }
    }

    @Test func everyReleaseHasAVersionOfItsOwn() throws {
        let releases = try Changelog().releases
        for (newer, older) in zip(releases, releases.dropFirst()) { #expect(older.lexicographicallyPrecedes(newer)) }
    }
}
