import Contracts

/// What a transaction that signs in knows about blocking functions: the events that have one, and the responses so far.
///
/// A function is never called inside a transaction. A transaction that needs a response throws
/// `BlockingFunctionRequired`, which rolls it back. `BlockingFunctionCaller` then calls the function and repeats the
/// transaction with the response.
struct BlockingFunctionResponses: Sendable {
    private struct Entry: Sendable {
        var required: BlockingFunctionRequired
        var changes: BlockingFunctionChanges
    }

    private let events: Set<BlockingFunctionEvent>
    private var entries: [BlockingFunctionEvent: Entry] = [:]

    init(events: Set<BlockingFunctionEvent>) {
        self.events = events
    }

    /// Adds the response to an event, in place of an earlier one for another state of the account.
    mutating func add(_ changes: BlockingFunctionChanges, to required: BlockingFunctionRequired) {
        entries[required.event] = Entry(required: required, changes: changes)
    }

    /// Applies the response to an event to the account and to the authentication context of the session to open.
    /// - Throws: `BlockingFunctionRequired` without a response for this account in this state;
    ///   `blockingFunctionError` for claims that are too long together.
    func apply(
        _ event: BlockingFunctionEvent, to stored: inout StoredAccount, _ authentication: inout AuthenticationContext
    ) throws {
        guard events.contains(event) else { return }
        let required = BlockingFunctionRequired(event: event, stored: stored, authentication: authentication)
        guard let entry = entries[event], entry.required.isSameState(as: required) else { throw required }
        try entry.changes.apply(to: &stored, &authentication)
    }
}

/// A transaction needs the response of a blocking function. It has stored nothing.
struct BlockingFunctionRequired: Error, Sendable {
    var event: BlockingFunctionEvent
    /// The account as it would be stored, without the changes of the function.
    var stored: StoredAccount
    /// The authentication context of the session that would be opened.
    var authentication: AuthenticationContext

    /// Whether a function that has evaluated this event has evaluated the other one too. The times of the last use do
    /// not count: a session that another client refreshes meanwhile changes them.
    func isSameState(as other: Self) -> Bool {
        event == other.event && authentication == other.authentication && comparable == other.comparable
    }

    private var comparable: StoredAccount {
        var stored = stored
        stored.account.lastSignInAt = nil
        stored.account.lastRefreshAt = nil
        return stored
    }
}
