package import Vocabulary

extension Identity {
    /// The logo of any project or tenant, by the digest that its branding has.
    package struct ReadLogo: BusRequest {
        package static let operation = Identity.Operation.readLogo
        package static let retrySemantics = RetrySemantics.idempotent
        package var digest: String

        package init(digest: String) {
            self.digest = digest
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// Nil: there is no such logo, or there was one, more than 30 days ago.
            package var picture: Picture?

            package init(picture: Picture?) {
                self.picture = picture
            }
        }

        package struct Picture: Codable, Equatable, Sendable {
            /// `image/png`, `image/jpeg` or `image/webp`.
            package var mediaType: String
            package var content: OctetString

            package init(mediaType: String, content: OctetString) {
                self.mediaType = mediaType
                self.content = content
            }
        }
    }
}
