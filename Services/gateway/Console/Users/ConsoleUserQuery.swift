import Contracts
import FoundationEssentials
import Vocabulary

/// What the list of users shows, from the address of the page or the fields of a form.
struct ConsoleUserQuery: Sendable {
    enum Filter: String, CaseIterable, Sendable {
        case all, disabled, unverified, factor
        case noFactor = "no-factor"
        case provider, since
    }

    enum Sort: String, CaseIterable, Sendable {
        case created, signIn, email, name, id

        var order: Identity.QueryAccounts.Order {
            switch self {
            case .created: .createdAt
            case .signIn: .lastSignInAt
            case .email: .email
            case .name: .displayName
            case .id: .accountID
            }
        }

        /// The newest first.
        var isDescending: Bool {
            switch self {
            case .created, .signIn: true
            case .email, .name, .id: false
            }
        }
    }

    /// The begin of what is searched for.
    let text: String?
    let filter: Filter
    let sort: Sort
    let provider: String?
    /// As it was typed.
    let day: String?
    /// The page token of a list of all users.
    let page: String?
    /// The end of the page before, with a filter.
    let after: Identity.SearchAccounts.Cursor?

    init(_ visit: ConsoleVisit) {
        func short(_ name: String) -> String? {
            visit.value(name).map { $0.trimmingBlanks }.nilIfEmpty.map {
                String(decoding: $0.utf8.prefix(Identity.SearchAccounts.maximumTextBytes), as: UTF8.self)
            }
        }
        text = short("q")
        filter = visit.value("filter").flatMap(Filter.init) ?? .all
        sort = visit.value("sort").flatMap(Sort.init) ?? .created
        provider = short("provider")
        day = short("since")
        page = visit.item("page")
        after = visit.item("after").map { id in
            .init(
                accountID: AccountID(id),
                createdAt: visit.item("at").flatMap { Int64($0) }.map { Moment(milliseconds: $0) })
        }
    }

    /// What leads to the same users.
    var items: [(name: String, value: String?)] {
        [("q", text), ("filter", filter.rawValue), ("sort", sort.rawValue), ("provider", provider), ("since", day)]
    }

    /// The begin of the day in UTC. Nil for a text that is no day.
    var since: Moment? {
        guard let day, day.utf8.count == 10 else { return nil }
        // `try?`: no such day.
        let date = try? Date("\(day)T00:00:00Z", strategy: .iso8601)
        return date.map { Moment(Timestamp(seconds: Int64($0.timeIntervalSince1970))) }
    }

    /// The field with a value that the filter needs, if it is missing or malformed.
    var invalidField: String? {
        switch filter {
        case .provider where text == nil && provider == nil: "provider"
        case .since where text == nil && since == nil: "since"
        case .all, .disabled, .unverified, .factor, .noFactor, .provider, .since: nil
        }
    }

    /// Which users these are. Nil while a field is invalid.
    var criterion: Identity.SearchAccounts.Criterion? {
        if let text { return .text(text) }
        return switch filter {
        case .all: .all
        case .disabled: .disabled
        case .unverified: .unverified
        case .factor: .withSecondFactor
        case .noFactor: .withoutSecondFactor
        case .provider: provider.map { .provider($0) }
        case .since: since.map { .createdSince($0) }
        }
    }
}

extension StringProtocol {
    var trimmingBlanks: String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        let bytes = utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
