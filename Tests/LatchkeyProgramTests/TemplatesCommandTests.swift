import CommandLineArguments
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct TemplatesCommandTests {
    private func lines(_ files: [String]) -> (lines: [String], failure: TemplatesCommandError?) {
        var lines: [String] = []
        do {
            try TemplatesCheckCommand(words: files).run { lines.append($0) }
            return (lines, nil)
        } catch {
            return (lines, error as? TemplatesCommandError)
        }
    }

    @Test func shippedTemplatesAreValid() {
        let (lines, failure) = lines([])
        #expect(failure == nil)
        #expect(lines.count == 9)
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(" 18        ok") })
    }

    @Test func givenTemplatesAreChecked() throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("config.json")
        func write(_ template: String) throws {
            try Data(
                #"{"name":"projects/1/config","notification":{"sendEmail":{"resetPasswordTemplate":\#(template)}}}"#
                    .utf8
            )
            .write(to: URL(filePath: file))
        }
        try write(#"{"subject":"Hi %APP_NAME%","body":"%LINK%"}"#)
        #expect(lines([file]).failure == nil)
        #expect(lines([file]).lines.last == "own       1         ok  \(file)")
        try write(#"{"body":"%LINK% %NAME%"}"#)
        let broken = lines([file])
        #expect(broken.failure == .broken(1))
        #expect(broken.lines.last?.hasPrefix("own resetPassword: There is no placeholder %NAME%.") == true)
    }

    @Test func unreadableFileIsNamed() throws {
        #expect(lines(["/nowhere.json"]).failure == .unreadable("/nowhere.json"))
    }
}
