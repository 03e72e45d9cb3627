import CommandLineArguments
import FoundationEssentials
import PasswordFilter
import ServiceRuntime

/// `latchkey password-filter LIST FILE`: creates a filter from a list of passwords, for `LATCHKEY_PASSWORD_FILTER`.
struct PasswordFilterCommand: Command {
    private static let list = Operand("LIST", completion: .file, "text file with one password on each line")
    private static let file = Operand("FILE", completion: .file, "the filter to write")

    static let declaration = CommandDeclaration(
        "password-filter", "create a filter of rejected passwords from a list",
        operands: [list, file], readsSettings: false)

    private let list: String
    private let file: String

    init(_ arguments: ParsedArguments, _ environment: Environment) {
        list = arguments[Self.list]
        file = arguments[Self.file]
    }

    func run() throws { try run { print($0) } }

    /// - Parameter printLine: receives one line of output.
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

    var messages: [String] {
        switch self {
        case .unreadable(let file): ["\(file) cannot be read. Name a text file with one password a line."]
        case .empty(let file): ["\(file) has no password in it. Write one a line."]
        case .unwritable(let file): ["\(file) cannot be written."]
        }
    }
}
