import Blocking
import Contracts
import HTTPServer
import Pages
import ServiceAccountFile
import Vocabulary

/// The keys of a project: of service accounts, which are shown once, and for pushes, which are never shown.
extension ConsolePages {
    static let integrationKeyRoutes: [ConsoleRoute] = [
        .get(projectPattern("integrations/add-key"), .project, role: .administrator, fresh: true) { visit in
            visit.view.addServiceAccountPage()
        },
        .post(
            projectPattern("integrations/add-key"), .project, role: .administrator, fresh: true, addServiceAccount),
        .get(projectPattern("integrations/add-apns-key"), .project, role: .administrator) { visit in
            visit.view.addPushKeyPage()
        },
        .post(projectPattern("integrations/add-apns-key"), .project, role: .administrator, addPushKey),
    ]

    private static func addServiceAccount(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let project = try visit.projectOfPath
        let name = visit.form["name"] ?? ""
        guard NewServiceAccount.isName(name) else {
            return visit.view.addServiceAccountPage(refusal: visit.integrationTexts.serviceAccountNameHint)
        }
        let adminURL = visit.consoleOrigin
        // An RSA key takes longer than the loop may wait.
        let pool = BlockingPool(label: "keys", threads: 1, maximumWaiting: 1)
        let account = try await pool.run {
            try NewServiceAccount(name: name, project: project, adminURL: adminURL)
        }
        do {
            _ = try await visit.call.send(Identity.AddServiceAccountKey(key: account.key, client: visit.client))
        } catch let error as ServiceError where refusedKeys.contains(error.code) {
            return visit.view.addServiceAccountPage(refusal: visit.sentence(for: error))
        }
        return visit.view.secretPage(visit.integrationTexts.keyFile, account.key.email, account.file)
    }

    private static func addPushKey(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        guard let environment = visit.form["environment"].flatMap(Notifier.APNsKey.Environment.init) else {
            throw ConsoleRefusal.notFound
        }
        do {
            _ = try await visit.call.send(
                Notifier.AddAPNsKey(
                    project: visit.projectOfPath, bundleID: visit.form["bundleID"] ?? "", environment: environment,
                    keyID: visit.form["keyID"] ?? "", teamID: visit.form["teamID"] ?? "",
                    privateKey: Secret(visit.form["privateKey"] ?? ""), client: visit.client))
        } catch let error as ServiceError where refusedKeys.contains(error.code) {
            return visit.view.addPushKeyPage(refusal: visit.sentence(for: error))
        }
        return visit.redirect(to: visit.integrationPath(), [], .saved)
    }

    /// Their message says what is wrong with the key.
    private static let refusedKeys: Set<WireError.Code> = [
        .invalidAPNsKey, .apnsKeyExists, .tooManyAPNsKeys, .invalidServiceAccount, .serviceAccountConflict,
    ]
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func addServiceAccountPage(refusal: String? = nil) -> HTTPResponse {
        let words = integrationTexts
        return integrationForm(
            words.addServiceAccount, "add-key", button: words.addServiceAccount, refusal: refusal,
            """
            <p>\(words.serviceAccountsBody)</p>
            \(field("name", words.serviceAccountName, hint: words.serviceAccountNameHint))
            """)
    }

    fileprivate func addPushKeyPage(refusal: String? = nil) -> HTTPResponse {
        let words = integrationTexts
        let environments = Notifier.APNsKey.Environment.allCases.map { environment in
            (
                value: environment.rawValue,
                label: environment == .both ? words.everyEnvironment : environment.rawValue
            )
        }
        // The private key is not in the page again.
        let privateKey = control(
            "privateKey", words.privateKey, hint: words.privateKeyHint, nil, areaControl("", isCode: true))
        return integrationForm(
            words.addPushKey, "add-apns-key", button: words.addPushKey, refusal: refusal,
            """
            <p>\(words.pushKeysBody)</p>
            \(field("bundleID", words.bundleID))\(field("keyID", words.keyID))\(field("teamID", words.teamID))
            \(choice("environment", words.environment, environments, selected: visit.form["environment"]))
            \(privateKey)
            """)
    }
}
