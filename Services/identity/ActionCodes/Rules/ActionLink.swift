import Contracts
import Vocabulary

/// The link of an action code (REST 2.10 and 7.3).
struct ActionLink: Equatable, Sendable {
    /// The page of the link: an absolute URL, usually without a query.
    var page: WebURL
    var purpose: Identity.ActionPurpose
    var apiKey: String
    /// BCP 47.
    var language: String
    var tenant: TenantID?
    var settings: ValidatedActionSettings

    /// The complete link.
    func text(with code: ActionCode.Text) -> String {
        var items = [
            (name: "mode", value: purpose.mode), ("oobCode", code.text), ("apiKey", apiKey), ("lang", language),
        ]
        if let url = settings.continueURL { items.append(("continueUrl", url.text)) }
        if let tenant { items.append(("tenantId", tenant.rawValue)) }
        let link = page.appending(items + settings.appItems)
        guard let domain = settings.linkDomain else { return link }
        // A host of the application: the operating system opens the application itself.
        return "https://\(domain)/__/auth/links?link=\(PercentEncoding.encoded(link))"
    }
}

/// The settings that an application requested for a link, validated by the project's rules.
struct ValidatedActionSettings: Equatable, Sendable {
    var continueURL: WebURL?
    /// The application's host, when the application handles the code itself.
    var linkDomain: String?
    /// For the application that opens the link, or the store that offers it.
    var appItems: [(name: String, value: String)]

    static let none = ValidatedActionSettings(continueURL: nil, linkDomain: nil, appItems: [])

    static func == (left: Self, right: Self) -> Bool {
        left.continueURL == right.continueURL && left.linkDomain == right.linkDomain
            && left.appItems.elementsEqual(right.appItems) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension Identity.ActionSettings {
    /// Identifiers of applications are short.
    private static let maximumAppValueBytes = 256

    /// - Throws: `invalidContinueURL`, `unauthorizedDomain`, `missingContinueURL`, `invalidHostingLinkDomain`,
    ///   `invalidDynamicLinkDomain`, `dynamicLinkNotActivated`, `missingIOSBundleID`, `missingAndroidPackageName`.
    func checked(by configuration: ProjectConfiguration, isDev: Bool) throws(ServiceError) -> ValidatedActionSettings {
        var checked = ValidatedActionSettings.none
        if let text = continueURL?.nilIfEmpty {
            checked.continueURL = try configuration.authorizedURL(text, isDev: isDev)
        } else if isHandledInApp {
            throw ServiceError(.missingContinueURL)
        }
        let domain = try checkedLinkDomain(configuration)
        if isHandledInApp { checked.linkDomain = domain }
        checked.appItems = try checkedAppItems()
        return checked
    }

    private func checkedLinkDomain(_ configuration: ProjectConfiguration) throws(ServiceError) -> String? {
        if let domain = linkDomain?.nilIfEmpty?.asciiLowercased {
            guard configuration.authorizes(host: domain) else { throw ServiceError(.invalidHostingLinkDomain) }
            return domain
        }
        guard let domain = dynamicLinkDomain?.nilIfEmpty?.asciiLowercased else { return nil }
        guard configuration.authorizes(host: domain) else { throw ServiceError(.invalidDynamicLinkDomain) }
        guard configuration.mobileLinksConfig?.domain == .firebaseDynamicLink else {
            throw ServiceError(.dynamicLinkNotActivated)
        }
        return domain
    }

    private func checkedAppItems() throws(ServiceError) -> [(name: String, value: String)] {
        if iOSAppStoreID?.nilIfEmpty != nil, iOSBundleID?.nilIfEmpty == nil { throw ServiceError(.missingIOSBundleID) }
        if androidInstallsApp || androidMinimumVersion?.nilIfEmpty != nil, androidPackageName?.nilIfEmpty == nil {
            throw ServiceError(.missingAndroidPackageName)
        }
        let items = [
            ("ibi", iOSBundleID), ("isi", iOSAppStoreID), ("apn", androidPackageName), ("amv", androidMinimumVersion),
            ("afl", androidInstallsApp ? "1" : nil),
        ]
        return items.compactMap { name, value in
            value?.nilIfEmpty.map { (name, String($0.prefix(Self.maximumAppValueBytes))) }
        }
    }
}

extension ProjectConfiguration {
    /// An absolute URL under an authorized domain. Plain HTTP is allowed for this machine, and everywhere in dev mode,
    /// which authorizes this machine by any name.
    /// - Throws: `invalidContinueURL`, `unauthorizedDomain`.
    func authorizedURL(_ text: String, isDev: Bool) throws(ServiceError) -> WebURL {
        guard let url = WebURL(text), url.isSecure || url.isLoopback || isDev else {
            throw ServiceError(.invalidContinueURL)
        }
        guard authorizes(host: url.host) || isDev && url.isLoopback else { throw ServiceError(.unauthorizedDomain) }
        return url
    }

    /// The page for action links of this project: its own, else that of this installation.
    func actionPage(installed: WebURL) -> WebURL {
        notification?.sendEmail?.callbackUri?.nilIfEmpty.flatMap(WebURL.init) ?? installed
    }
}

extension ActionLink {
    /// The code of a link that this service built: for the listing of dev mode, where links are stored and codes are
    /// not.
    static func code(in link: String) -> String? {
        guard let url = WebURL(link), let items = url.query?.pieces(at: "&") else { return nil }
        if let code = items.first(where: { $0.hasPrefix("oobCode=") }) { return String(code.dropFirst(8)) }
        // The link of an application contains the whole action link as one percent-encoded item; a code needs no
        // encoding.
        guard let inner = items.first(where: { $0.hasPrefix("link=") }).map({ Array($0.utf8) }),
            let name = inner.firstRange(of: Array("oobCode%3D".utf8))
        else { return nil }
        let code = inner.dropFirst(name.upperBound).prefix { $0 != UInt8(ascii: "%") }
        return String(decoding: code, as: UTF8.self)
    }
}
