import Contracts
import HTTPServer
import Pages
import Vocabulary

/// A page does not serve an application: what its address says is not registered in the project, so there is no address to
/// return to. The log says what it is, and in dev mode the page.
package struct UnknownAppError: Error, Equatable, Sendable {
    /// What is not registered, as an application writes it.
    package enum Parameter: String, Sendable, CaseIterable {
        case apiKey, tenantId, continueUrl, redirectUrl, eventId
        /// Of a registered application.
        case clientID = "client_id"
        case redirectURI = "redirect_uri"
        /// The bundle ID of a native application.
        case bundleID = "ibi"
        /// The header with the name under which the browser has found the page.
        case host = "Host"
    }

    package var parameter: Parameter
    /// The host of an address. Nil for what is no address, and for a malformed one.
    package var domain: String?

    /// - Parameter address: what the parameter says, for one that is an address.
    init(_ parameter: Parameter, address: String? = nil) {
        self.parameter = parameter
        domain = address.flatMap { WebURL($0) }.map { String($0.host.prefix(Self.maximumDomainLength)) }
    }

    private static let maximumDomainLength = 253

    /// For developers, in English.
    var explanation: String {
        let list = "authorizedDomains of the project configuration"
        return switch parameter {
        case .apiKey: "The parameter apiKey is missing, or is the key of no project."
        case .tenantId: "The parameter tenantId is not the ID of a tenant."
        case .continueUrl, .redirectUrl:
            domain.map { "The domain \($0) of \(parameter.rawValue) is not in \(list), or the address has no https." }
                ?? "The parameter \(parameter.rawValue) is no absolute address."
        case .clientID: "No application has the ID of the parameter client_id."
        case .redirectURI:
            "The parameter redirect_uri is none of the application's addresses\(domain.map { ": it leads to \($0)" } ?? "")."
        case .eventId: "The parameter eventId is missing or malformed."
        case .bundleID: "The application of the parameter ibi is not in mobileApps of the project configuration."
        case .host: "The domain \(domain ?? "") of this page is not in \(list)."
        }
    }
}

extension Call {
    /// The page that refuses an application.
    func page(_ message: PageTexts.Message, for error: UnknownAppError, in language: Language) -> Page {
        gateway.dependencies.reportRefusedPage(error, trace)
        let explanation: HTML? =
            settings.isDev
            ? .note(.neutral, #"<p lang="en" dir="ltr">\#(error.explanation)</p>"#) : nil
        return .message(message, in: language, status: 400, rest: "\(explanation)")
    }

    /// - Throws: `UnknownAppError`.
    func requireHostedOrigin(in configuration: ProjectConfiguration) throws(UnknownAppError) -> HostedOrigin {
        guard let origin = hostedOrigin(in: configuration) else {
            throw UnknownAppError(.host, address: request.headers["host"].map { "https://\($0)/" })
        }
        return origin
    }

    /// - Throws: `UnknownAppError`.
    func requireAuthorizedRedirect(
        _ text: String, _ parameter: UnknownAppError.Parameter, in configuration: ProjectConfiguration
    ) throws(UnknownAppError) -> WebURL {
        guard let url = configuration.authorizedRedirect(text, isDev: settings.isDev) else {
            throw UnknownAppError(parameter, address: text)
        }
        return url
    }
}
