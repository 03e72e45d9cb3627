import Contracts

extension Federation.Provider {
    /// The client that Apple issued a token to: a native application with its bundle ID, a page with the service ID.
    /// - Parameters:
    ///   - bundleID: of the application that sends the request.
    ///   - redirectURL: that the token was issued for.
    func appleTokenClientID(bundleID: String?, redirectURL: String?) -> String {
        switch kind {
        case .oidc: return clientID
        case .supported(let apple):
            guard redirectURL == nil, let bundleIDs = apple?.bundleIDs else { return clientID }
            return bundleIDs.first { $0 == bundleID } ?? bundleIDs.first ?? clientID
        }
    }
}
