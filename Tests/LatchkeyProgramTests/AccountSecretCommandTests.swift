import CommandLineArguments
import SQLite
import ServiceRuntime
import Testing

@testable import LatchkeyProgram

extension ServicePrograms {
    /// For commands that start no service.
    static let none = ServicePrograms { preconditionFailure("\($0) was started") }
}

@Suite struct AccountSecretCommandTests {
    private struct ReadingCommand: AccountSecretCommand {
        static let declaration = CommandDeclaration("read", "read secrets")

        init(_ arguments: ParsedArguments, _ environment: Environment) {}

        func run(reading readers: AccountSecretReaders) async throws {
            let database = try SQLiteDatabase(.memory)
            _ = try await readers.publicKeys([], database)
            await database.close()
        }
    }

    private struct OtherCommand: Command {
        struct RunError: Error {}

        static let declaration = CommandDeclaration("other", "read nothing")

        init(_ arguments: ParsedArguments, _ environment: Environment) {}

        func run() throws { throw RunError() }
    }

    @Test func readersOfExecutableReachCommand() async throws {
        try await confirmation { read in
            let readers = AccountSecretReaders(
                factors: { _, _, _ in [] },
                publicKeys: { _, _ in
                    read()
                    return [:]
                })
            try await LatchkeyCommand.run(ReadingCommand(words: []), readers, .none)
            await #expect(throws: OtherCommand.RunError.self) {
                try await LatchkeyCommand.run(OtherCommand(words: []), readers, .none)
            }
        }
    }
}
