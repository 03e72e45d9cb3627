import Contracts

extension Federation.Provider {
    /// The client that Apple issued a token to: a native application with its bundle ID, a page with the service ID.
    /// - Parameters:
    ///   - bundleID: of the application that sends the request.
    ///   - redirectURL: that the token was issued for.
    func appleTokenClientID(bundleID: String?, redirectURL: String?) -> String {
        guard redirectURL == nil, case .supported(let apple?) = kind else { return clientID }
        return apple.bundleIDs.first { $0 == bundleID } ?? apple.bundleIDs.first ?? clientID
    }
}
