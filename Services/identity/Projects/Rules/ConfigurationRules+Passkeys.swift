import Contracts
import PublicSuffixes
import Vocabulary

// The rules for `passkeyConfig` of a project or tenant (REST 5.1; WebAuthn 5.1.3, 5.11 and 13.5).

extension ProjectConfiguration.Passkeys {
    /// The limit of `origins`, `appleApps` and `androidApps` each.
    static let maximumEntries = 50
    static let maximumAaguids = 200
    static let maximumFingerprints = 10
    /// Authenticators can cut off a longer name (WebAuthn 6.4.1.2).
    static let maximumNameBytes = 64
    /// Browsers ignore related origins with further labels (WebAuthn 5.11.1).
    static let maximumRelatedLabels = 5
    /// Browsers keep the cookie of a skipped offer for at most 400 days.
    static let offerIntervals = 0...365

    /// The settings to store: checked, in canonical form and without empty members. Nil if nothing is set: the settings
    /// of the project, or the defaults of the process, then apply.
    /// - Parameter previous: the stored settings of the same project or tenant.
    func checked(after previous: Self?, isDev: Bool) throws(ServiceError) -> Self? {
        let canonical = canonical
        try canonical.checkRelyingParty(after: previous)
        try canonical.checkOrigins(isDev: isDev)
        try canonical.checkApps()
        try canonical.checkPages(isDev: isDev)
        if let days = offerIntervalDays, !Self.offerIntervals.contains(days) {
            throw .invalidPasskeys("offerIntervalDays must be 0 to \(Self.offerIntervals.upperBound)")
        }
        try canonical.attestation?.check()
        return canonical == Self() ? nil : canonical
    }

    /// The well-known files describe the relying party of the project, so a tenant has no entries for them.
    func refuseSettingsOfProject() throws(ServiceError) {
        let settings: [(name: String, isSet: Bool)] = [
            ("appleApps", appleApps?.isEmpty == false), ("androidApps", androidApps?.isEmpty == false),
            ("enrollUrl", enrollUrl?.isEmpty == false), ("manageUrl", manageUrl?.isEmpty == false),
        ]
        if let setting = settings.first(where: \.isSet) {
            throw .invalidPasskeys("\(setting.name) has no effect in a tenant: set it in the project")
        }
    }

    private var canonical: Self {
        var canonical = self
        canonical.relyingPartyId = relyingPartyId.nilIfEmpty
        canonical.relyingPartyName = relyingPartyName.nilIfEmpty
        canonical.origins = origins.nilIfEmpty
        canonical.attestation = attestation?.canonical
        canonical.appleApps = appleApps.nilIfEmpty
        canonical.androidApps = androidApps.nilIfEmpty
        canonical.enrollUrl = enrollUrl.nilIfEmpty
        canonical.manageUrl = manageUrl.nilIfEmpty
        return canonical
    }

    // MARK: Relying party

    private func checkRelyingParty(after previous: Self?) throws(ServiceError) {
        if let relyingPartyId {
            guard let id = RelyingPartyID(relyingPartyId) else {
                throw .invalidPasskeys(
                    "relyingPartyId must be a domain like example.com: lower case, no scheme, no port, no IP address")
            }
            guard id.rawValue == RelyingPartyID.localhost || !PublicSuffixes.contains(id.rawValue) else {
                throw .invalidPasskeys(
                    "relyingPartyId \(id) is a public suffix: its passkeys would be valid for the sites of others")
            }
        }
        // What was stored before there was a rule stays.
        if let relyingPartyName, relyingPartyName != previous?.relyingPartyName {
            guard relyingPartyName.utf8.count <= Self.maximumNameBytes,
                relyingPartyName.isShownAsItIs
            else {
                throw .invalidPasskeys(
                    "relyingPartyName must have at most \(Self.maximumNameBytes) bytes and no characters that control,"
                        + " turn or hide text")
            }
        }
    }

    // MARK: Origins

    private func checkOrigins(isDev: Bool) throws(ServiceError) {
        let texts = try entries(origins, "origins")
        var labels: Set<Substring> = []
        for (index, text) in texts.enumerated() {
            guard let origin = RelyingPartyOrigin(text, isDev: isDev) else {
                throw .invalidPasskeys(
                    "origins[\(index)] must be like https://example.com, https://example.com:8443 or"
                        + " android:apk-key-hash:HASH, with 43 characters of base64url"
                        + (isDev ? "; dev mode also allows http://localhost:5000" : ""))
            }
            guard let host = relatedHost(of: origin) else { continue }
            if let label = PublicSuffixes.registrableDomain(of: host)?.halves(at: ".").before {
                labels.insert(label)
            } else if let relyingPartyId {
                throw .invalidPasskeys(
                    "origins[\(index)] has no effect: \(host) has no registrable domain, so browsers do not accept it"
                        + " for \(relyingPartyId)")
            }
        }
        // Without an ID here, one of the labels can be the one of the default ID.
        guard labels.count <= Self.maximumRelatedLabels + (relyingPartyId == nil ? 1 : 0) else {
            throw .invalidPasskeys(
                "origins has related origins with more than \(Self.maximumRelatedLabels) different names before the"
                    + " public suffix, and browsers ignore the others")
        }
    }

    /// The host of an origin that browsers accept only as a related origin. Without an ID here, that is every web
    /// origin.
    private func relatedHost(of origin: RelyingPartyOrigin) -> String? {
        if let id = relyingPartyId.flatMap(RelyingPartyID.init), !origin.isRelated(to: id) { return nil }
        switch origin.kind {
        case .web(let host): return host
        case .androidApp: return nil
        }
    }

    // MARK: Apps and pages

    private func checkApps() throws(ServiceError) {
        for (index, app) in try entries(appleApps, "appleApps").enumerated() {
            guard Self.isAppleApp(app) else {
                throw .invalidPasskeys("appleApps[\(index)] must be like ABCDE12345.org.example.app")
            }
        }
        let apps = androidApps ?? []
        _ = try entries(apps.map { $0.packageName ?? "" }, "androidApps")
        for (index, app) in apps.enumerated() {
            guard app.packageName.map(AndroidApp.isPackageName) == true else {
                throw .invalidPasskeys("androidApps[\(index)].packageName must be like org.example.app")
            }
            let fingerprints = app.sha256CertFingerprints ?? []
            guard (1...Self.maximumFingerprints).contains(fingerprints.count),
                fingerprints.allSatisfy(AndroidApp.isFingerprint)
            else {
                throw .invalidPasskeys(
                    "androidApps[\(index)].sha256CertFingerprints holds 1 to \(Self.maximumFingerprints) values like"
                        + " 14:6D:E9…, with 32 pairs of hexadecimal digits in capitals")
            }
        }
    }

    private func checkPages(isDev: Bool) throws(ServiceError) {
        for (name, text) in [("enrollUrl", enrollUrl), ("manageUrl", manageUrl)] {
            guard let text else { continue }
            guard let url = WebURL(text), url.isSecure || isDev && url.isLoopback else {
                throw .invalidPasskeys("\(name) must be an absolute URL with https")
            }
        }
    }

    /// A list of at most `maximumEntries` different texts.
    private func entries(_ list: [String]?, _ name: String) throws(ServiceError) -> [String] {
        let list = list ?? []
        guard list.count <= Self.maximumEntries else {
            throw .invalidPasskeys("\(name) holds at most \(Self.maximumEntries) entries")
        }
        guard Set(list).count == list.count else { throw .invalidPasskeys("\(name) has an entry twice") }
        return list
    }

    /// Ten capital letters and digits of the team, a dot, and the bundle ID.
    private static func isAppleApp(_ text: String) -> Bool {
        guard case let (team, bundleID?) = text.halves(at: ".") else { return false }
        return team.utf8.count == 10
            && team.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
            && ProjectConfiguration.MobileApp.isBundleID(String(bundleID))
    }
}

extension ProjectConfiguration.Passkeys.Attestation {
    /// UUIDs in lower case, as authenticator models are compared.
    fileprivate var canonical: Self? {
        var canonical = self
        canonical.allowedAaguids = allowedAaguids.nilIfEmpty?.map(\.asciiLowercased)
        canonical.deniedAaguids = deniedAaguids.nilIfEmpty?.map(\.asciiLowercased)
        return canonical == Self() ? nil : canonical
    }

    /// The model (AAGUID) of an authenticator is its own claim until an attestation confirms it. So both lists require
    /// trusted attestations, and these must be requested.
    fileprivate func check() throws(ServiceError) {
        for (name, list) in [("allowedAaguids", allowedAaguids), ("deniedAaguids", deniedAaguids)] {
            guard let list else { continue }
            guard list.count <= ProjectConfiguration.Passkeys.maximumAaguids, list.allSatisfy(Self.isUUID) else {
                throw .invalidPasskeys(
                    "attestation.\(name) holds at most \(ProjectConfiguration.Passkeys.maximumAaguids) UUIDs")
            }
            guard requireTrusted == true else {
                throw .invalidPasskeys(
                    "attestation.\(name) has no effect without requireTrusted: authenticators can claim any AAGUID")
            }
        }
        if requireTrusted == true, conveyance != .direct {
            throw .invalidPasskeys(
                "attestation.requireTrusted needs conveyance DIRECT: otherwise clients send no attestation")
        }
    }

    /// 8, 4, 4, 4 and 12 hexadecimal digits with hyphens between them.
    private static func isUUID(_ text: String) -> Bool {
        let groups = text.pieces(at: "-")
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy(\.isASCIIHexadecimal)
    }
}

extension ProjectConfiguration.Passkeys.AndroidApp {
    /// At least two parts, each a letter and then letters, digits and underscores.
    fileprivate static func isPackageName(_ text: String) -> Bool {
        let parts = text.pieces(at: ".")
        return text.utf8.count <= 255 && parts.count >= 2
            && parts.allSatisfy { part in
                part.utf8.first.map { $0.isASCIILetterOrDigit && !(0x30...0x39).contains($0) } == true
                    && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
            }
    }

    /// Android compares fingerprints as text, in capitals.
    fileprivate static func isFingerprint(_ text: String) -> Bool {
        let pairs = text.pieces(at: ":")
        return pairs.count == 32
            && pairs.allSatisfy { pair in
                pair.utf8.count == 2
                    && pair.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
            }
    }
}

extension ServiceError {
    /// - Parameter reason: begins with the path inside `passkeyConfig`.
    fileprivate static func invalidPasskeys(_ reason: String) -> ServiceError {
        .invalidConfiguration("passkeyConfig.\(reason)")
    }
}
