extension Federation {
    /// The catalogue: the providers that projects configure by name. What every process may know about a provider is its row of
    /// `facts`; how federation verifies its users is the adapter that the compiler demands there for every case.
    package enum SupportedProvider: String, CaseIterable, Codable, Sendable {
        case apple = "apple.com", facebook = "facebook.com", gameCenter = "gc.apple.com", gitHub = "github.com"
        case google = "google.com", linkedIn = "linkedin.com", microsoft = "microsoft.com"

        package struct Facts: Sendable {
            /// As its users know it.
            package var name: String
            /// A configuration without a client secret verifies nobody.
            package var requiresClientSecret = false
            /// The subject of a user follows it in `federatedId` (REST 2.4 and 2.13). Nil: Google Identity Platform has no such
            /// URL for this provider.
            package var accountURL: String?
        }

        package var facts: Facts {
            switch self {
            case .apple: Facts(name: "Apple")
            case .facebook: Facts(name: "Facebook", accountURL: "http://facebook.com/")
            case .gameCenter: Facts(name: "Game Center")
            // It verifies its tokens for the owner of the secret only.
            case .gitHub: Facts(name: "GitHub", requiresClientSecret: true)
            case .google: Facts(name: "Google", accountURL: "https://accounts.google.com/")
            // It gives tokens to the owner of the secret only.
            case .linkedIn: Facts(name: "LinkedIn", requiresClientSecret: true)
            case .microsoft: Facts(name: "Microsoft")
            }
        }

        /// The providers that Google Identity Platform knows by name (REST 5.3).
        private static let googleIDs: Set = [
            "apple.com", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com", "microsoft.com",
            "playgames.google.com", "twitter.com", "yahoo.com",
        ]

        /// The providers of Google Identity Platform that are not in the catalogue.
        package static let unavailableIDs = googleIDs.subtracting(allCases.map(\.rawValue))

        /// The URL of an account at the provider.
        /// - Returns: nil for a provider without such URLs.
        package static func accountURL(of subject: String, at providerID: String) -> String? {
            Self(rawValue: providerID)?.facts.accountURL.map { $0 + subject }
        }
    }
}
