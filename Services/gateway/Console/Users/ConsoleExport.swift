import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import UserFiles
import Vocabulary

/// Files of users, as `latchkey users export` writes them.
extension ConsolePages {
    static let exportRoutes: [ConsoleRoute] = [
        .get(projectPattern("users/export"), .project, role: .support) { visit in visit.view.exportPage() },
        .get(projectPattern("users/export/profiles"), .project, role: .support, exportProfiles),
        .get(projectPattern("users/export/hashes"), .project, role: .administrator, fresh: true, exportWithHashes),
    ]

    /// Of a file without hashes: a part has so many times `Identity.SearchAccounts.maximumCount` users.
    private static let pagesPerPart = 10

    /// Where the next part of a file begins.
    private struct Position<Cursor: Sendable>: Sendable {
        var writer: UserFileWriter
        var cursor: Cursor?
    }

    /// Without hashes, and without claims: they are for administrators.
    private static func exportProfiles(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let start = Position<Identity.SearchAccounts.Cursor>(writer: UserFileWriter(.jsonl, includesHashes: false))
        // The claims are in it because of the role of now.
        return try await visit.download("users", role: visit.role, from: start) { position in
            var position = position
            var text = ""
            var pages = 0
            repeat {
                let reply = try await visit.accounts(.all, after: position.cursor)
                let accounts = reply.accounts.map { account -> Identity.ExportedAccount in
                    var account = account
                    if visit.role < .administrator { account.customClaims = nil }
                    return .init(account: account, password: nil)
                }
                text += try position.writer.text(of: accounts)
                position.cursor = reply.next
                pages += 1
            } while position.cursor != nil && pages < pagesPerPart
            return (Data(text.utf8), position.cursor == nil ? nil : position)
        }
    }

    /// Identity records each page in the audit log.
    private static func exportWithHashes(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        let start = Position<String>(writer: UserFileWriter(.jsonl, includesHashes: true))
        return try await visit.download("users", role: .administrator, from: start) { position in
            let reply = try await visit.call.send(
                Identity.ExportAccounts(
                    realm: realm, limit: Identity.ExportAccounts.maximumCount, pageToken: position.cursor,
                    includesPeppers: true, client: visit.client), timeout: .seconds(10))
            var position = position
            let text = try position.writer.text(of: reply.accounts)
            position.cursor = reply.nextPageToken
            return (Data(text.utf8), position.cursor == nil ? nil : position)
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func exportPage() -> HTTPResponse {
        let tenant = [(name: "tenant", value: visit.item("tenant"))]
        let hashes: HTML? =
            visit.role < .administrator
            ? nil
            : """
            <p>\(userTexts.exportHashesBody)</p>
            <p>\(HTML.buttonLink(to: ConsoleVisit.address(path("users/export/hashes"), tenant), userTexts.exportHashes, .danger))</p>
            """
        return respond(
            userTexts.exportUsers, at: path("users"),
            """
            <p>\(userTexts.exportBody)</p>
            <p>\(HTML.buttonLink(to: ConsoleVisit.address(path("users/export/profiles"), tenant), userTexts.exportProfiles))</p>
            \(hashes)
            <p class="small muted">\(userTexts.exportCutOff)</p>
            """)
    }
}
