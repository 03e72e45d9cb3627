import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

/// Which accounts an act is for.
enum ConsoleSelection: Sendable {
    case accounts([AccountID])
    case matching(Identity.SearchAccounts.Criterion)

    /// The field of a form with the chosen accounts.
    static let field = "chosen"

    /// The parameters `id` of an address, or a field of a form; without them the filter.
    /// - Throws: `ConsoleRefusal.notFound`.
    init(_ visit: ConsoleVisit) throws(ConsoleRefusal) {
        var ids: [String]
        if let text = visit.form[Self.field].nilIfEmpty {
            // `try?`: no page has such a field.
            guard let chosen = try? WireJSON.decode([String].self, from: Data(text.utf8)) else { throw .notFound }
            ids = chosen
        } else {
            ids = visit.call.request.queryItems.filter { $0.name == "id" }.map(\.value)
        }
        ids = ids.filter { !$0.isEmpty }
        guard ids.count <= Identity.FindAccounts.maximumCriteria, ids.allSatisfy({ $0.utf8.count <= 512 }) else {
            throw .notFound
        }
        guard ids.isEmpty else {
            self = .accounts(ids.map { AccountID($0) })
            return
        }
        guard let criterion = ConsoleUserQuery(visit).criterion else { throw .notFound }
        self = .matching(criterion)
    }

    /// The value of the field; nil for a filter.
    var text: String? {
        switch self {
        case .matching: nil
        case .accounts(let ids):
            // `try?`: a list of texts is always JSON.
            (try? WireJSON.encode(ids.map(\.rawValue))).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension ConsoleVisit {
    /// A page of accounts, as large as possible.
    /// - Parameter cursor: `next` of the page before.
    func accounts(
        _ criterion: Identity.SearchAccounts.Criterion, after cursor: Identity.SearchAccounts.Cursor?
    ) async throws -> Identity.SearchAccounts.Reply {
        try await call.send(
            Identity.SearchAccounts(
                realm: realm, criterion: criterion, after: cursor, limit: Identity.SearchAccounts.maximumCount))
    }

    /// As with a criterion.
    func accounts(
        _ selection: ConsoleSelection, after cursor: Identity.SearchAccounts.Cursor?
    ) async throws -> Identity.SearchAccounts.Reply {
        switch selection {
        case .matching(let criterion): return try await accounts(criterion, after: cursor)
        case .accounts(let ids):
            let found = try await call.send(
                Identity.FindAccounts(realm: realm, criteria: ids.map { .accountID($0) }))
            return .init(accounts: found.accounts, hasMore: false)
        }
    }

    /// So many pages of accounts are read at most to count them for a page of the console.
    static let countedPages = 10

    /// Reads the accounts of a selection, page by page, as far as a page of the console counts them.
    /// - Returns: whether others follow, and can be read.
    func count(_ selection: ConsoleSelection, _ body: (Identity.SearchAccounts.Reply) -> Void) async throws -> Bool {
        var cursor: Identity.SearchAccounts.Cursor?
        for _ in 0..<Self.countedPages {
            let reply = try await accounts(selection, after: cursor)
            body(reply)
            cursor = reply.next
            if cursor == nil { return false }
        }
        return true
    }
}
