extension Identity {
    /// The time that a blocking function has for its response (REST 8).
    package static let blockingFunctionTimeout = Duration.seconds(7)
    /// How much longer a sign-in may take than other operations: it can call a function for each of both events.
    package static let blockingFunctionsTimeout = Duration.seconds(14)
}
