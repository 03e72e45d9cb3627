import Contracts

/// The events for which a project can have a blocking function (REST 8).
enum BlockingFunctionEvent: String, CaseIterable, Sendable {
    /// Before a new account of a user is stored.
    case beforeCreate
    /// Before a session is opened, after all factors were verified.
    case beforeSignIn
}

extension ProjectConfiguration {
    /// The URL of the function of an event; nil without a function.
    func blockingFunctionURL(for event: BlockingFunctionEvent) -> String? {
        blockingFunctions?.triggers?[event.rawValue]?.functionUri
    }

    var blockingFunctionEvents: Set<BlockingFunctionEvent> {
        Set(BlockingFunctionEvent.allCases.filter { blockingFunctionURL(for: $0) != nil })
    }
}
