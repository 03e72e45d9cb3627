internal import FoundationEssentials
internal import PasswordFilter
internal import ServiceRuntime

/// `latchkey password-filter LIST FILE`: creates a filter from a list of passwords, for `LATCHKEY_PASSWORD_FILTER`.
struct PasswordFilterCommand: Sendable {
    private let list: String
    private let file: String

    /// - Throws: `UsageError`.
    init(_ arguments: [String]) throws(UsageError) {
        guard arguments.count == 2, let list = arguments.first, let file = arguments.last else {
            throw UsageError("`latchkey password-filter` needs a list of passwords and the file to write.")
        }
        self.list = list
        self.file = file
    }

    /// - Parameter show: receives one line of output.
    /// - Throws: `PasswordFilterFailure`.
    func run(_ printLine: (String) -> Void) throws {
        let passwords: Data
        do {
            passwords = try Data(contentsOf: URL(filePath: list), options: .mappedIfSafe)
        } catch {
            throw PasswordFilterFailure.unreadable(list)
        }
        guard let filter = PasswordFilter.make(from: passwords) else { throw PasswordFilterFailure.empty(list) }
        do {
            // Atomically, because a process may be reading the former file.
            try filter.write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw PasswordFilterFailure.unwritable(file)
        }
        printLine("wrote \(file), \(filter.count) bytes; set LATCHKEY_PASSWORD_FILTER to it")
    }
}

/// Why `latchkey password-filter` failed.
enum PasswordFilterFailure: ExitError, Equatable {
    case unreadable(String)
    case empty(String)
    case unwritable(String)

    var exitCode: Int32 { ExitCode.failure }

    var messages: [String] {
        switch self {
        case .unreadable(let file): ["\(file) cannot be read. Name a text file with one password a line."]
        case .empty(let file): ["\(file) has no password in it. Write one a line."]
        case .unwritable(let file): ["\(file) cannot be written."]
        }
    }
}
