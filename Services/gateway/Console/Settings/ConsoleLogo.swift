import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// The logo of a project or tenant, as a file. Identity reads its bytes, as for REST, and decides whether it is a picture.
extension ConsolePages {
    static let logoRoutes: [ConsoleRoute] = [
        .post(projectPattern("settings/logo"), .project, role: .administrator, file: true) { visit in
            guard let file = visit.files["logo"], !file.content.isEmpty, file.content.count <= maximumLogoBytes else {
                let stored = try await StoredSettings(of: visit.realm, visit.call)
                return refusedLogo(visit.language.settingTexts.apps.logo.hint ?? "", stored, visit)
            }
            return try await changeLogo(
                to: .object(["content": .string(Data(file.content).base64EncodedString())]), visit)
        },
        .post(projectPattern("settings/logo/remove"), .project, role: .administrator) { visit in
            try await changeLogo(to: nil, visit)
        },
    ]

    /// More is no logo, and is not sent to identity, which has the smaller limit.
    private static let maximumLogoBytes = 512 << 10
    private static let logoPath: SettingPath = "branding.logo"

    private static func changeLogo(to logo: JSONValue?, _ visit: ConsoleVisit) async throws -> HTTPResponse {
        let stored = try await StoredSettings(of: visit.realm, visit.call)
        guard visit.form["revision"] == String(stored.revision) else {
            return refusedLogo(visit.texts.conflict, stored, visit)
        }
        let document = logoPath.setting(logo, in: stored.document)
        do {
            try await stored.replace(
                [logoPath.mask(in: stored.owner.schema, of: document)], of: document, visit.call, client: visit.client)
        } catch let error as ServiceError where error.code == .configurationConflict {
            return refusedLogo(visit.texts.conflict, try await StoredSettings(of: visit.realm, visit.call), visit)
        } catch let error as ServiceError where error.isRefusedSetting {
            return refusedLogo(visit.sentence(for: error), stored, visit)
        }
        return visit.redirect(to: visit.settingsPath, visit.settingsItems(.area(.branding)), .saved)
    }

    private static func refusedLogo(
        _ refusal: String, _ stored: StoredSettings, _ visit: ConsoleVisit
    ) -> HTTPResponse {
        visit.view.settingsPage(SettingsForm(.area(.branding), stored), refusal: refusal, at: "logo")
    }
}

// MARK: - HTML

extension ConsoleView {
    /// The file of the logo, below the form of the branding.
    func logoForm(_ stored: StoredSettings) -> HTML {
        let words = settingTexts.apps
        let logo = SettingPath("branding.logo").value(in: stored.document)
        func number(_ name: String) -> String { logo?[name].map { SettingField.text(of: $0) } ?? "" }
        let current: HTML? = logo.map { logo in
            let type = logo["mediaType"].map { SettingField.text(of: $0) } ?? ""
            return "<p><bdi dir=\"ltr\">\(type) · \(number("width")) × \(number("height"))</bdi></p>"
        }
        let heading: HTML = "<h2>\(words.logo.label)</h2>\(current)"
        guard visit.role >= .administrator else { return heading }
        let kept = [
            (name: HostedFlow.tokenField, value: visit.session.formToken),
            (name: "revision", value: String(stored.revision)),
        ]
        let tenant = visit.value("tenant")
        let removal: HTML? =
            logo == nil
            ? nil
            : form(
                "\(visit.settingsPath)/logo/remove", [("revision", String(stored.revision)), ("tenant", tenant)],
                "<p>\(HTML.button(words.removeLogo, .quiet))</p>")
        return """
            \(heading)
            <form method="post" action="\(visit.settingsPath)/logo" enctype="multipart/form-data">
            \(HTML.hidden(kept + (tenant.map { [(name: "tenant", value: $0)] } ?? [])))
            <div class="field"><label for="logo">\(words.logo.label)</label>\
            <input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp" required="required" \
            aria-describedby="logo-hint" />
            <p class="hint" id="logo-hint">\(words.logo.hint ?? "")</p></div>
            <p>\(HTML.button(words.saveLogo, .plain))</p>
            </form>
            \(removal)
            """
    }
}
