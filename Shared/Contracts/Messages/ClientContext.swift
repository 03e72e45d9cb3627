package import Vocabulary

/// The client of a request, for the audit log and for limits.
package struct ClientContext: Codable, Equatable, Sendable {
    package var ipAddress: String?
    package var userAgent: String?
    /// Device tokens that the client presents, of any account; identity verifies them.
    package var deviceTokens: [Secret<String>]?
    /// The login name behind the operator's command, set by that command alone: the actor in the audit log.
    package var operatorName: String?
    /// The language tag (BCP 47) that the client requests.
    package var locale: String?
    /// The client is a page that offers to restore an account which is to be deleted. For any other client such an account
    /// is as disabled.
    package var offersRestoration: Bool?

    package init(
        ipAddress: String? = nil, userAgent: String? = nil, deviceTokens: [Secret<String>]? = nil,
        operatorName: String? = nil, locale: String? = nil, offersRestoration: Bool? = nil
    ) {
        self.ipAddress = ipAddress
        self.userAgent = userAgent
        self.deviceTokens = deviceTokens
        self.operatorName = operatorName
        self.locale = locale
        self.offersRestoration = offersRestoration
    }
}
