import Contracts
import UserFiles
import Vocabulary

/// Writes the users of a realm page by page.
struct UserExport: Sendable {
    struct Page: Sendable {
        var accounts: [Identity.ExportedAccount]
        var nextPageToken: String?
    }

    let includesHashes: Bool
    let format: UserFileFormat
    /// What identity does not have.
    var secrets: @Sendable (_ accounts: [Account]) async throws -> AccountSecrets = { _ in .init() }
    var retry = BusyRetry()
    let page: @Sendable (_ pageToken: String?) async throws -> Page
    let write: @Sendable (String) async throws -> Void
    let advanced: @Sendable (_ users: Int) -> Void

    /// - Returns: the writer, with its counts.
    /// - Throws: `UserTransferError`, and the errors of `page` and `write`.
    func run() async throws -> UserFileWriter {
        var writer = UserFileWriter(format, includesHashes: includesHashes)
        if !writer.head.isEmpty { try await write(writer.head) }
        var pageToken: String?
        repeat {
            let page = try await retry { try await self.page(pageToken) }
            let text = try writer.text(of: page.accounts, try await secrets(page.accounts.map(\.account)))
            if !text.isEmpty { try await write(text) }
            advanced(writer.accountCount)
            pageToken = page.nextPageToken
        } while pageToken != nil
        if !writer.tail.isEmpty { try await write(writer.tail) }
        return writer
    }
}
