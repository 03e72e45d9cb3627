extension Collection {
    package var nilIfEmpty: Self? { isEmpty ? nil : self }
}

extension Optional where Wrapped: Collection {
    /// Protocol buffers do not tell an empty value from an absent one, and neither do clients.
    package var nilIfEmpty: Wrapped? { flatMap(\.nilIfEmpty) }
}
