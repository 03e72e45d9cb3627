/// The violations of a document or a field mask. The text is that of the protocol (REST 5.1).
package struct DocumentError: Error, Equatable, Sendable {
    /// A field of the document, by its path, and the error in it.
    package struct FieldViolation: Equatable, Encodable, Sendable {
        package var field: String
        package var description: String

        package init(field: String, description: String) {
            self.field = field
            self.description = description
        }
    }

    package var message: String
    package var violations: [FieldViolation]

    package init(_ message: String, _ violations: [FieldViolation] = []) {
        self.message = message
        self.violations = violations
    }
}
