import Contracts
import UserFiles
import Vocabulary

extension FuzzTarget {
    private static let fileAlgorithm = PasswordHashAlgorithm.digest(.sha256, rounds: 1, order: nil)

    /// A file has the same records, whatever the sizes of its pieces.
    static func readUserFile(_ input: [UInt8], _ format: UserFileFormat) throws {
        let whole = try? records(input, format, pieces: input.count)  // `try?`: most inputs are malformed.
        let bytewise = try? records(input, format, pieces: 1)
        try demand(whole == bytewise, "the records do not depend on the pieces")
    }

    private static func records(_ input: [UInt8], _ format: UserFileFormat, pieces: Int) throws -> [String] {
        var reader = UserFileReader(format, hashes: fileAlgorithm)
        var rest = input[...]
        var records: [UserFileRecord] = []
        while !rest.isEmpty {
            records += try reader.receive(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        records += try reader.finish()
        return records.map { record in
            switch record.content {
            case .success(let entry):
                "\(record.position) \(entry.account.id) \(entry.account.passwordHash?.bytes ?? [])"
            case .failure(let error): "\(record.position) \(error.message)"
            }
        }
    }

    static func readPasswordHash(_ text: String) throws {
        guard let hash = PasswordHashText(text) else { return }
        try demand(PasswordHashText(hash.text) == hash, "a hash survives being written")
    }

    static func readHashParameters(_ text: String) throws {
        guard let parameters = try? HashParameters(console: text),  // `try?`: most inputs are malformed.
            let algorithm = try? parameters.algorithm()
        else { return }
        try demand(
            try HashParameters(describing: algorithm)?.algorithm() == algorithm, "parameters survive being written")
    }
}
