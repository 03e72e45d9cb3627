import Contracts
import Vocabulary

/// An identity of a provider in a request of an administrator.
struct ProviderInfoBody: Decodable {
    var providerId: String?
    var rawId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
    var federatedId: Ignored?
    var phoneNumber: Ignored?
    var screenName: Ignored?

    var link: ProviderLink {
        ProviderLink(
            providerID: providerId ?? "", providerAccountID: rawId ?? "", email: email.nilIfEmpty,
            displayName: displayName.nilIfEmpty, photoURL: photoUrl.nilIfEmpty)
    }
}
