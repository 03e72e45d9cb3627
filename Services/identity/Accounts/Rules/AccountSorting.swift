import Contracts
import Vocabulary

extension Identity.QueryAccounts {
    /// The requested page of accounts that were found by criteria, in the store's order: absent values are the
    /// smallest, and equal ones are ordered by their ids in the same direction.
    func sortedPage(of found: [Account]) -> [Account] {
        Array(sorted(found).dropFirst(offset).prefix(limit))
    }

    /// In the order of the query.
    func sorted(_ found: [Account]) -> [Account] {
        found.sorted { left, right in
            let (first, second) = isDescending ? (right, left) : (left, right)
            return key(first) < key(second)
                || (key(first) == key(second) && Array(first.id.rawValue.utf8).precedes(second.id.rawValue.utf8))
        }
    }

    /// Compares like the store: texts by their bytes.
    private enum Key: Comparable {
        case text([UInt8])
        case number(Int64)

        static func < (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.text(let left), .text(let right)): left.precedes(right)
            case (.number(let left), .number(let right)): left < right
            case (.text, .number): true
            case (.number, .text): false
            }
        }
    }

    private func key(_ account: Account) -> Key {
        switch order {
        case .accountID: .text(Array(account.id.rawValue.utf8))
        case .displayName: .text(Array((account.displayName ?? "").utf8))
        case .createdAt: .number(account.createdAt.milliseconds)
        case .lastSignInAt: .number(account.lastSignInAt?.milliseconds ?? 0)
        case .email: .text(Array((account.email?.folded ?? "").utf8))
        }
    }
}

extension [UInt8] {
    fileprivate func precedes(_ other: some Sequence<UInt8>) -> Bool { lexicographicallyPrecedes(other) }
}
