package import Vocabulary

/// What an identity provider has asserted about a user. Only `SAMLResponseVerifier` creates one, from an element that a
/// verified signature covers.
package struct SAMLAssertion: Equatable, Sendable {
    /// How the provider identifies its users (SAML Core 8.3).
    package enum NameIDFormat: Equatable, Sendable {
        case persistent, emailAddress, unspecified, other
    }

    package struct Attribute: Equatable, Sendable {
        package var name: String
        /// Without those that contain elements.
        package var values: [String]

        package init(name: String, values: [String]) {
            self.name = name
            self.values = values
        }
    }

    /// Chosen by the provider; unique there.
    package var id: String
    /// The name identifier: 1 to 255 bytes.
    package var subject: String
    package var nameIDFormat: NameIDFormat
    package var attributes: [Attribute]
    /// The verifier accepts the assertion until then.
    package var acceptableUntil: Timestamp

    package init(
        id: String, subject: String, nameIDFormat: NameIDFormat, attributes: [Attribute], acceptableUntil: Timestamp
    ) {
        self.id = id
        self.subject = subject
        self.nameIDFormat = nameIDFormat
        self.attributes = attributes
        self.acceptableUntil = acceptableUntil
    }
}
