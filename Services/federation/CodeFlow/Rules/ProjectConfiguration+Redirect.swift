import Contracts
import Vocabulary

extension ProjectConfiguration {
    /// Where a provider may send the user: a URL on an authorized domain (security rule FE10). Plain HTTP is allowed for
    /// this machine, and everywhere in dev mode, which authorizes this machine by any name.
    /// - Throws: `invalidContinueURL`, `unauthorizedDomain`.
    func redirectURL(_ text: String, isDev: Bool) throws(ServiceError) -> String {
        // RFC 6749 3.1.2: without a fragment.
        guard let url = WebURL(text), url.isSecure || url.isLoopback || isDev, url.fragment == nil else {
            throw ServiceError(.invalidContinueURL)
        }
        guard authorizes(host: url.host) || isDev && url.isLoopback else { throw ServiceError(.unauthorizedDomain) }
        return url.text
    }
}
