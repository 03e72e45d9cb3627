import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import UserFiles
import Vocabulary

/// Files of users, as `latchkey users export` writes them. A file has a bounded number of users, and says where the next one
/// begins.
extension ConsolePages {
    static let exportRoutes: [ConsoleRoute] = [
        .get(projectPattern("users/export"), .project, role: .support) { visit in visit.view.exportPage() },
        .get(projectPattern("users/export/profiles"), .project, role: .support, exportProfiles),
        .get(projectPattern("users/export/hashes"), .project, role: .administrator, fresh: true, exportWithHashes),
    ]

    static let usersPerFile = 10_000
    /// The header field with the address of the next file (RFC 8288).
    private static let linkField = "Link"

    /// Without hashes, and without claims: they are for administrators.
    private static func exportProfiles(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        var writer = UserFileWriter(.jsonl, includesHashes: false)
        var text = ""
        var cursor = visit.item("after").map { Identity.SearchAccounts.Cursor(accountID: AccountID($0)) }
        repeat {
            let reply = try await visit.call.send(
                Identity.SearchAccounts(
                    realm: realm, criterion: .all, after: cursor, limit: Identity.SearchAccounts.maximumCount))
            let accounts = reply.accounts.map { account -> Identity.ExportedAccount in
                var account = account
                if visit.role < .administrator { account.customClaims = nil }
                return .init(account: account, password: nil)
            }
            text += try writer.text(of: accounts)
            cursor = reply.next
        } while cursor != nil && writer.accountCount < usersPerFile
        return file(text, next: cursor.map { ("after", $0.accountID.rawValue) }, visit)
    }

    /// Identity records each page in the audit log.
    private static func exportWithHashes(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        var writer = UserFileWriter(.jsonl, includesHashes: true)
        var text = ""
        var pageToken = visit.item("page")
        repeat {
            let reply = try await visit.call.send(
                Identity.ExportAccounts(
                    realm: realm, limit: Identity.ExportAccounts.maximumCount, pageToken: pageToken,
                    includesPeppers: true, client: visit.client), timeout: .seconds(10))
            text += try writer.text(of: reply.accounts)
            pageToken = reply.nextPageToken
        } while pageToken != nil && writer.accountCount < usersPerFile
        return file(text, next: pageToken.map { ("page", $0) }, visit)
    }

    private static func file(
        _ text: String, next: (name: String, value: String)?, _ visit: ConsoleVisit
    ) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "application/jsonl; charset=utf-8"),
                ("Content-Disposition", #"attachment; filename="users.jsonl""#),
            ], body: Data(text.utf8))
        if let next {
            let address = ConsoleVisit.address(
                visit.call.request.path, [("tenant", visit.item("tenant")), (next.name, next.value)])
            response.headers.append((linkField, "<\(address)>; rel=\"next\""))
        }
        return response
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
            <p class="small muted">\(userTexts.exportMore(ConsolePages.usersPerFile))</p>
            """)
    }
}
