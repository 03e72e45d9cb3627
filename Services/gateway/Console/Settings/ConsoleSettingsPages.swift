import ConfigurationDocuments
import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The settings of a project or tenant: the list of areas, the form of one, the differences, and then the change.
extension ConsolePages {
    static let settingsRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings"), .project, openSettings),
        .post(projectPattern("settings/review"), .project, role: .administrator, reviewSettings),
        .post(projectPattern("settings/save"), .project, role: .administrator, saveSettings),
    ]

    private static func openSettings(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let stored = try await StoredSettings(of: visit.realm, visit.call)
        guard let name = visit.item("area") else {
            let tenants =
                stored.hasTenants
                ? try await visit.call.send(
                    Identity.ListTenants(
                        project: stored.realm.project, after: visit.item("after").map { TenantID($0) },
                        limit: tenantsPerPage)
                ) : nil
            return visit.view.settingAreasPage(stored, tenants)
        }
        guard let subject = SettingSubject(name), !subject.fields(of: stored.owner).isEmpty else {
            throw ConsoleRefusal.notFound
        }
        let status = subject == .area(.messages) ? try await sendingStatus(stored.realm, visit) : nil
        return visit.view.settingsPage(SettingsForm(subject, stored), status: status)
    }

    /// - Returns: nil for a tenant, and while mfa-sms is away.
    private static func sendingStatus(
        _ realm: Realm, _ visit: ConsoleVisit
    ) async throws -> MFASMS.ReadSendingStatus.Reply? {
        guard realm.tenant == nil else { return nil }
        do {
            return try await visit.call.send(MFASMS.ReadSendingStatus(project: realm.project))
        } catch let error as ServiceError where WireError.Code.busy.contains(error.code) {
            return nil
        }
    }

    private static let tenantsPerPage = 100

    /// The form of a request.
    private static func form(of visit: ConsoleVisit) async throws -> SettingsForm {
        guard let subject = visit.form["area"].flatMap(SettingSubject.init) else { throw ConsoleRefusal.notFound }
        return SettingsForm(subject, try await StoredSettings(of: visit.realm, visit.call), visit.form)
    }

    private static func reviewSettings(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let form = try await form(of: visit)
        do throws(InvalidSettingText) {
            return visit.view.reviewPage(form, changed: try form.change().document)
        } catch {
            return visit.view.settingsPage(form, refusal: visit.texts.badLine(error.text), at: error.field)
        }
    }

    private static func saveSettings(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let form = try await form(of: visit)
        let stored = form.stored
        guard visit.form["revision"] == String(stored.revision) else {
            return visit.view.settingsPage(SettingsForm(form.subject, stored), refusal: visit.texts.conflict)
        }
        do {
            let change = try form.change()
            try await stored.replace(change.masks, of: change.document, visit.call, client: visit.client)
        } catch let error as InvalidSettingText {
            return visit.view.settingsPage(form, refusal: visit.texts.badLine(error.text), at: error.field)
        } catch let error as DocumentError {
            return visit.view.settingsPage(
                form, refusal: visit.sentence(.invalidValue, error.message),
                at: form.field(namedIn: error.violations.first?.field ?? "")?.id)
        } catch let error as ServiceError where error.code == .configurationConflict {
            let now = try await StoredSettings(of: visit.realm, visit.call)
            return visit.view.settingsPage(SettingsForm(form.subject, now), refusal: visit.texts.conflict)
        } catch let error as ServiceError where error.isRefusedSetting {
            return visit.view.settingsPage(
                form, refusal: visit.sentence(for: error), at: form.field(of: error)?.id)
        }
        return visit.redirect(to: visit.settingsPath, visit.settingsItems(form.subject), .saved)
    }
}

extension ConsoleVisit {
    var settingsPath: String { project.map { ConsolePages.path($0, "settings") } ?? ConsolePages.path }

    /// What the address of a page of settings says.
    func settingsItems(_ subject: SettingSubject?) -> [(name: String, value: String?)] {
        [("area", subject?.name), ("tenant", value("tenant"))]
    }
}

extension ServiceError {
    /// Identity refused the document, and its message says why.
    var isRefusedSetting: Bool { Self.refusedSettings.contains(code) }

    private static let refusedSettings: Set<WireError.Code> = [
        .invalidConfiguration, .invalidTestPhoneNumber, .invalidAdjacentIntervalRange, .operationNotAllowed,
    ]
}

extension SettingsForm {
    /// The field that a refusal is about.
    func field(of error: ServiceError) -> SettingField? {
        if error.code == .invalidTestPhoneNumber { return fields.first { $0.id == "testNumbers" } }
        return field(namedIn: error.message ?? "")
    }

    /// The field whose path, or the end of it, is in a sentence.
    func field(namedIn sentence: String) -> SettingField? {
        func members(_ field: SettingField) -> [String] { field.path(of: stored.owner)?.members ?? [] }
        let byPath = fields.filter { sentence.contains(members($0).joined(separator: ".")) }
        return byPath.max { members($0).count < members($1).count }
            ?? fields.first { members($0).last.map { sentence.contains($0) } == true }
    }
}
