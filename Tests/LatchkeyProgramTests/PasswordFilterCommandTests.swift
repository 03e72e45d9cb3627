import CommandLineArguments
import Foundation
import PasswordFilter
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct PasswordFilterCommandTests {
    @Test func filterIsBuiltFromList() throws {
        let directory = try TemporaryDirectory()
        let (list, file) = (directory.appending("list"), directory.appending("passwords.filter"))
        try Data("hunter2-hunter2\nLetMeInPlease\n".utf8).write(to: URL(filePath: list))
        var lines: [String] = []
        try PasswordFilterCommand(words: [list, file]).run { lines.append($0) }
        #expect(lines == ["wrote \(file), 30 bytes; set LATCHKEY_PASSWORD_FILTER to it"])
        let written = try Data(contentsOf: URL(filePath: file))
        let filter = try #require(PasswordFilter(written))
        #expect(filter.contains("letmeinplease") && !filter.contains("something else"))
    }

    @Test func errorsAreReported() throws {
        let directory = try TemporaryDirectory()
        let (list, file) = (directory.appending("list"), directory.appending("passwords.filter"))
        #expect(throws: UsageError.self) { try PasswordFilterCommand(words: [list]) }
        #expect(throws: PasswordFilterFailure.unreadable(list)) {
            try PasswordFilterCommand(words: [list, file]).run { _ in }
        }
        try Data("\n".utf8).write(to: URL(filePath: list))
        #expect(throws: PasswordFilterFailure.empty(list)) {
            try PasswordFilterCommand(words: [list, file]).run { _ in }
        }
        try Data("x".utf8).write(to: URL(filePath: list))
        let nowhere = directory.appending("no/such/folder")
        #expect(throws: PasswordFilterFailure.unwritable(nowhere)) {
            try PasswordFilterCommand(words: [list, nowhere]).run { _ in }
        }
    }
}
