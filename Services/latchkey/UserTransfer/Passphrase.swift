import CommandLineArguments
import Glibc
import ServiceRuntime
import UserFiles
import Vocabulary

/// The passphrase of a sealed file.
enum Passphrase {
    static let option = CommandOption(
        "passphrase-file", value: "FILE", completion: .file,
        "file with the passphrase of the sealed file; without it the command asks on the terminal")

    /// - Parameters:
    ///   - path: nil to ask on the terminal.
    ///   - isNew: whether it is asked for twice, and must be long.
    /// - Throws: `SecretFileError`, `UserTransferError`; `UsageError` without a file and a terminal.
    static func read(_ path: String?, isNew: Bool) throws -> Secret<String> {
        let text: String
        if let path {
            let content = try SecretFile.read(path, setting: "--\(option.name)").reveal()
            text = String(content.split(whereSeparator: \.isNewline).first ?? "")
            guard !text.isEmpty else { throw SecretFileError.empty(path, setting: "--\(option.name)") }
        } else {
            text = try ask("Passphrase of the sealed file: ")
            guard try !isNew || ask("The same passphrase again: ") == text else {
                throw UserTransferError.passphrasesDiffer
            }
        }
        guard !isNew || text.count >= SealedFile.minimumPassphraseLength else {
            throw UserTransferError.passphraseTooShort
        }
        return Secret(text)
    }

    /// Without showing what is typed.
    private static func ask(_ question: String) throws(UsageError) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw UsageError("Without a terminal, --\(option.name) names a file with the passphrase.")
        }
        close(terminal)
        guard let typed = getpass(question) else { throw UsageError("The terminal gave no passphrase.") }
        defer { explicit_bzero(typed, strlen(typed)) }
        return String(cString: typed)
    }
}
