import Contracts
import HTTPServer

/// The identity providers that Google Identity Platform knows by name (REST 5.3).
enum ProviderCatalogue {
    /// Whether the ID belongs to a provider that could be configured in Google Identity Platform.
    static func isKnown(_ id: String) -> Bool {
        Federation.SupportedProvider(rawValue: id) != nil || Federation.SupportedProvider.unavailableIDs.contains(id)
    }

    /// The providers that can be configured.
    static let route = Route(
        .get,
        [
            .init(.identityToolkit, "/v2/defaultSupportedIdps"),
            .init(.identityToolkit, "/admin/v2/defaultSupportedIdps"),
        ], .v2, .administrator
    ) { _ in
        .json(
            Reply(
                defaultSupportedIdps: Federation.SupportedProvider.allCases.map {
                    .init(idpId: $0.rawValue, description: $0.facts.name)
                }.sorted { $0.idpId < $1.idpId }))
    }

    private struct Reply: Encodable {
        var defaultSupportedIdps: [Entry]

        struct Entry: Encodable {
            var idpId: String
            var description: String
        }
    }
}
