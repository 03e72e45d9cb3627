import Crypto
package import SQL
import ServiceRuntime

/// What the notifier keeps cannot be used as it is. Starting again would find it the same.
package enum StoreFailure: ProgramFailure, Equatable {
    case database(SQLError)
    /// What is sealed in the database does not open.
    case anotherMasterKey(file: String)

    package var exitCode: Int32 { ExitCode.settings }

    package var sentences: [String] {
        switch self {
        case .database(let error):
            ["The database cannot be used: \(error)."]
        case .anotherMasterKey(let file):
            [
                "The database was sealed under another master key than that of \(file). Put the key file back from your "
                    + "backup, or let LATCHKEY_MASTER_KEY_FILE name the right one."
            ]
        }
    }

    /// Runs the steps that look at the store for the first time.
    /// - Throws: `StoreFailure` for what will not pass by itself, and everything else as it is.
    package static func named<Result>(
        masterKeyFile: String, _ open: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await open()
        } catch let error as SQLError where error.isLasting {
            throw StoreFailure.database(error)
        } catch CryptoError.notAuthentic {
            throw StoreFailure.anotherMasterKey(file: masterKeyFile)
        }
    }
}
