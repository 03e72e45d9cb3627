extension Collection {
    package var nilIfEmpty: Self? { isEmpty ? nil : self }
}

extension Optional where Wrapped: Collection {
    /// Protocol buffers do not tell an empty value from an absent one, and neither do clients.
    // A closure: in generic code, the runtime would build the key path anew for each call.
    package var nilIfEmpty: Wrapped? { flatMap { $0.nilIfEmpty } }
}
