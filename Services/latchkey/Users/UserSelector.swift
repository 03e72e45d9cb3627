import Bus
import CommandLineArguments
import Contracts
import Vocabulary

/// The account that an operator names: by its user id, its e-mail address or its phone number.
struct UserSelector: Sendable, Equatable {
    static let operand = Operand("USER", "user id, e-mail address or phone number (+15551234567)")

    let text: String

    /// A text with `@` can be an e-mail address or a user id, one that begins with `+` a phone number or a user id.
    var criteria: [Identity.FindAccounts.Criterion] {
        var criteria: [Identity.FindAccounts.Criterion] = [.accountID(AccountID(text))]
        if text.utf8.contains(UInt8(ascii: "@")) { criteria.append(.email(text)) }
        if text.hasPrefix("+") { criteria.append(.phoneNumber(text)) }
        return criteria
    }

    /// - Throws: `UserCommandError.noUser`, `UserCommandError.severalUsers`.
    func account(in realm: Realm, _ bus: any BusRequestSending) async throws -> Account {
        let found = try await bus.send(
            Identity.FindAccounts(realm: realm, criteria: criteria), .ofOperator()
        ).accounts
        guard let account = found.first else { throw UserCommandError.noUser(text, realm) }
        guard found.count == 1 else { throw UserCommandError.severalUsers(text, found.map(\.id)) }
        return account
    }
}

extension Account {
    /// How messages name the account: by the address or number that people know, and by its id.
    var shownName: String { (email?.rawValue ?? phoneNumber?.rawValue).map { "\($0) (\(id))" } ?? id.rawValue }
}
