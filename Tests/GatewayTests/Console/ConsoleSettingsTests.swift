import ConfigurationDocuments
import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ConsoleSettingsTests {
    private static let path = "/console/projects/shop/settings"

    /// The document after a change by a form, with the mask that the form sends.
    private static func applying(
        _ field: SettingField, _ text: String, to document: JSONValue, of owner: SettingsOwner
    ) throws -> JSONValue {
        let changed = try field.applying(text, to: document, of: owner)
        let mask = try FieldMask(field.masks(of: owner, changed: changed).joined(separator: ","))
        let body = try owner.schema.read(changed, root: "config")
        switch owner {
        case .project:
            let stored = try WireJSON.decode(ProjectConfiguration.self, from: WireJSON.encode(document))
            return try ConfigurationDocument.jsonValue(of: ConfigurationDocument.applying(mask, of: body, to: stored))
        case .tenant:
            let stored = try WireJSON.decode(TenantConfiguration.self, from: WireJSON.encode(document))
            return try ConfigurationDocument.jsonValue(of: TenantDocument.applying(mask, of: body, to: stored))
        }
    }

    private static func texts(of field: SettingField) -> [String] {
        switch field.kind {
        case .choice(let options): options.map(\.word.rawValue) + [""]
        case .messageFactor: ["optional", "mandatory", "off"]
        case .number, .text, .longText: ["7", ""]
        case .secret: []
        case .sentences: ["hostedSignInTitle Welcome to the shop", ""]
        case .lines: ["a.example\nb.example", ""]
        case .pairs: ["+15555550100 123456", ""]
        case .records(let members):
            switch members.first?.name {
            case "packageName": ["org.example.app AA:BB,CC:DD\norg.example.other AA:BB", ""]
            case "endScore": ["0.5 BLOCK", ""]
            case "type": ["WEB k1\nIOS k2", ""]
            default: ["org.example.app - 5.example.com\norg.example.other", ""]
            }
        }
    }

    private static func field(_ id: String, of owner: SettingsOwner = .project) throws -> SettingField {
        try #require(SettingArea.allCases.flatMap { $0.fields(of: owner) }.first { $0.id == id })
    }

    /// Every field has a place in the document, and the one below keeps its value.
    @Test(arguments: SettingsOwner.allCases) func everyFieldIsReadAsItWasSet(owner: SettingsOwner) throws {
        let fields = SettingSubject.all(of: owner).flatMap { $0.fields(of: owner) }
        #expect(fields.count > 30)
        let factors: JSONValue = .object(["rememberedDeviceDays": .integer(9)])
        let start: JSONValue = .object([owner == .project ? "mfa" : "mfaConfig": factors])
        for field in fields {
            var document = start
            for text in Self.texts(of: field) {
                document = try Self.applying(field, text, to: document, of: owner)
                #expect(field.text(in: document, of: owner) == text, "\(field.id) \(text)")
            }
            let days = try Self.field("rememberedDays", of: owner)
            #expect(field.id == days.id || days.text(in: document, of: owner) == "9", "\(field.id)")
        }
    }

    /// Why a field of the configuration has no form in the console, by the begin of its path.
    private static func elsewhere(_ owner: SettingsOwner) -> [String: String] {
        let noEffect = "identity refuses it, because it has no effect"
        let both = [
            "branding.logo": "a file: the form below the branding",
            "mobileLinksConfig": "it only chooses the refusal that applications with dynamic links get",
            "autodeleteAnonymousUsers": noEffect, "monitoring": noEffect,
            "recaptchaConfig.useAccountDefender": noEffect,
            "recaptchaConfig.useSmsBotScore": noEffect, "recaptchaConfig.useSmsTollFraudProtection": noEffect,
            "recaptchaConfig.tollFraudManagedRules": noEffect,
        ]
        let ofProject = [
            "blockingFunctions": "the form of the integrations", "multiTenant.defaultTenantLocation": noEffect,
            "notification.sendEmail.dnsInfo": noEffect, "notification.sendEmail.legacyResetPasswordTemplate": noEffect,
            "notification.sendEmail.method": noEffect, "notification.sendEmail.smtp": noEffect,
        ]
        let files = "the files of the domain are those of the project"
        let ofTenant = [
            "passkeyConfig.androidApps": files, "passkeyConfig.appleApps": files, "passkeyConfig.enrollUrl": files,
            "passkeyConfig.manageUrl": files,
        ]
        return both.merging(owner == .project ? ofProject : ofTenant) { $1 }
    }

    private static func paths(of schema: DocumentSchema, _ path: [String] = []) -> [[String]] {
        switch schema {
        case .output: []
        case .message(let fields), .oneOf(let fields):
            fields.sorted { $0.key < $1.key }.flatMap { paths(of: $0.value, path + [$0.key]) }
        case .list(let element): paths(of: element, path)
        case .string, .boolean, .integer, .number, .integerText, .enumeration, .map: [path]
        }
    }

    /// A new field of the configuration needs a form, or a reason.
    @Test(arguments: SettingsOwner.allCases) func everyFieldOfTheConfigurationHasAForm(owner: SettingsOwner) {
        let forms = SettingSubject.all(of: owner).flatMap { $0.fields(of: owner) }.flatMap { field -> [SettingPath] in
            guard let path = field.path(of: owner) else { return [] }
            guard case .messageFactor = field.kind else { return [path] }
            return [SettingPath("\(path.text).state"), SettingPath("\(path.text).enabledProviders")]
        }
        var unused = Self.elsewhere(owner)
        for path in Self.paths(of: owner.schema) where !forms.contains(where: { $0.overlaps(path) }) {
            let text = path.joined(separator: ".")
            let reasons = Self.elsewhere(owner).keys.filter { text == $0 || text.hasPrefix("\($0).") }
            #expect(reasons.count == 1, "\(text) has no form in the console")
            for reason in reasons { unused[reason] = nil }
        }
        #expect(unused.isEmpty)
    }

    /// What a record has besides the members of its line stays.
    @Test func recordKeepsWhatItsLineDoesNotSay() throws {
        let field = try Self.field("iosApps")
        let app = JSONValue.object(["platform": .string("IOS"), "bundleId": .string("a.b"), "appId": .string("1")])
        let document = JSONValue.object(["mobileApps": .array([app])])
        #expect(field.text(in: document, of: .project) == "a.b 1")
        let changed = try field.applying("a.b - c.d\ne.f", to: document, of: .project)
        #expect(
            changed["mobileApps"]
                == .array([
                    .object(["platform": .string("IOS"), "bundleId": .string("a.b"), "clientId": .string("c.d")]),
                    .object(["bundleId": .string("e.f")]),
                ]))
    }

    /// Without the switch, the stored object would mean that it is off.
    @Test func defaultOfAddressesIsThatTheyAreHidden() throws {
        let field = try Self.field("emailPrivacy")
        let off = try Self.applying(field, "off", to: .object([:]), of: .project)
        let standard = try Self.applying(field, "", to: off, of: .project)
        #expect(off["emailPrivacyConfig"] != nil && standard["emailPrivacyConfig"] == nil)
    }

    @Test func factorsKeepEachOther() throws {
        var document: JSONValue = .object([:])
        for (id, text) in [("smsFactor", "optional"), ("appSteps", "2"), ("appFactor", "mandatory")] {
            document = try Self.applying(try Self.field(id), text, to: document, of: .project)
        }
        let stored = try WireJSON.decode(ProjectConfiguration.self, from: WireJSON.encode(document))
        #expect(stored.mfa?.enabledProviders == [.phoneSMS] && stored.mfa?.state == .enabled)
        #expect(stored.mfa?.providerConfigs?.map(\.totpProviderConfig?.adjacentIntervals) == [2])
        #expect(stored.requiresSecondFactor)
    }

    @Test(arguments: [
        ("passwordSignIn", "perhaps"), ("appFactor", "on"), ("minimumLength", "many"), ("testNumbers", "+15555550100"),
        ("testNumbers", "+15555550100 1 2"), ("smsFactor", ""), ("recaptchaRules", "high BLOCK"),
        ("recaptchaRules", "nan BLOCK"), ("iosApps", "a b c d"), ("iosApps", "- b"), ("phoneEnforcement", "optional"),
    ]) func unknownTextIsRefusedWithItsField(id: String, text: String) throws {
        let field = try Self.field(id)
        #expect(throws: InvalidSettingText(field: id, text: text)) {
            try field.applying(text, to: .object([:]), of: .project)
        }
    }

    /// What no form has is shown by its path.
    @Test func everyDifferenceIsShown() throws {
        let before: JSONValue = .object(["authorizedDomains": .array([.string("a.example")])])
        let after: JSONValue = .object(["recaptchaConfig": .object(["useAccountDefender": .bool(true)])])
        let changes = SettingsOwner.project.changes(from: before, to: after)
        #expect(changes.map(\.path) == ["authorizedDomains", "recaptchaConfig.useAccountDefender"])
        #expect(changes.map(\.before) == ["a.example", ""] && changes.map(\.after) == ["", "true"])
    }

    // MARK: Pages

    @Test func changesAreShownBeforeTheyAreSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let form = ["area": "signIn", "codeSignIn": "on", "revision": "3"]
        let review = try await browser.post("\(Self.path)/review", form)
        #expect(review.text.contains("Sign-in with a code by e-mail"))
        #expect(review.text.contains(#"name="codeSignIn" value="on""#))
        #expect(!review.text.contains(#"name="phoneSignIn""#))
        #expect(try await browser.post("\(Self.path)/save", form).status == 303)
    }

    @Test func changeOfOldSettingsIsNotSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let response = try await browser.post(
            "\(Self.path)/save", ["area": "signIn", "codeSignIn": "on", "revision": "2"])
        #expect(response.status == 400)
        #expect(response.text.contains("Others have changed the settings meanwhile."))
    }

    /// The forms of a tenant change the tenant, and offer only what a tenant has.
    @Test func formOfATenantChangesTheTenant() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let page = try await browser.get(Self.path, "area=signIn&tenant=t1")
        #expect(page.text.contains(#"name="tenantName""#) && !page.text.contains(#"name="phoneSignIn""#))
        let saved = try await browser.post(
            "\(Self.path)/save", ["area": "signIn", "tenant": "t1", "tenantName": "Berlin", "revision": "3"])
        #expect(saved.header("Location") == "\(Self.path)?area=signIn&tenant=t1&done=saved")
    }

    @Test func contrastIsMeasuredBeforeColorsAreSaved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let page = try await browser.post(
            "\(Self.path)/review", ["area": "branding", "lightBrand": "#fefefe", "revision": "3"])
        #expect(page.text.contains("Contrast of #fefefe with #ffffff: 1.0"))
        #expect(try await browser.get("\(Self.path)/look").status == 200)
    }

    @Test func costOfMessagesIsBesideTheirSettings() async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        let page = try await browser.get(Self.path, "area=messages")
        #expect(page.text.contains("2 of 9") && page.text.contains("0.05, without a budget"))
    }

    @Test func refusalStandsBesideItsField() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        browser.harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { _ in
            throw ServiceError(
                .invalidConfiguration, "branding.lightColors.brand has a contrast of 1.10:1 with the surface")
        }
        let response = try await browser.post(
            "\(Self.path)/save", ["area": "branding", "lightBrand": "#fefefe", "revision": "3"])
        #expect(
            response.status == 400
                && response.text.contains(
                    #"id="lightBrand-error">A value is not accepted. The service says: branding.lightColors.brand"#)
        )
        #expect(response.text.contains("value=\"#fefefe\""))
    }

    // MARK: Logo

    /// Identity reads the bytes, as for REST.
    @Test func logoIsSentAsAFile() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let saved = Mutex<[Identity.ReplaceConfiguration]>([])
        browser.harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            saved.withLock { $0.append(request) }
            guard request.configuration.branding?.logo?.content == "UE5H" else {
                throw ServiceError(.invalidConfiguration, "branding.logo.content is a <b>picture</b>")
            }
            return .init(configuration: request.configuration, revision: 4, projectNumber: "1")
        }
        let page = try await browser.get(Self.path, "area=branding")
        #expect(page.text.contains(#"name="logo" type="file""#) && !page.text.contains("logo/remove"))
        let path = "\(Self.path)/logo"
        let done = try await browser.upload(path, "PNG", of: "logo", ["revision": "3"])
        #expect(done.header("Location") == "\(Self.path)?area=branding&done=saved")
        let request = try #require(saved.withLock { $0.first })
        #expect(request.expectedRevision == 3 && request.client.operatorName == "ola@example.com")
        let refused = try await browser.upload(path, "<svg>", of: "logo", ["revision": "3"])
        #expect(refused.status == 400 && refused.text.contains("is a &lt;b&gt;picture"))
        let stale = try await browser.upload(path, "PNG", of: "logo", ["revision": "2"])
        #expect(stale.status == 400 && saved.withLock { $0.count } == 2)
        // Not even sent to identity.
        let large = String(repeating: "x", count: (512 << 10) + 1)
        #expect(try await browser.upload(path, large, of: "logo", ["revision": "3"]).status == 400)
        #expect(try await browser.upload(path, "", of: "logo", ["revision": "3"]).status == 400)
        #expect(saved.withLock { $0.count } == 2)
    }

    @Test func logoIsRemoved() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ReadTenant.self) { _ in
            var tenant = Identity.Tenant(id: TenantID("t1"), configuration: .init(), revision: 3)
            tenant.configuration.branding = .init()
            tenant.configuration.branding?.applicationName = "Shop"
            tenant.configuration.branding?.logo = .init()
            tenant.configuration.branding?.logo?.digest = "ab"
            return tenant
        }
        #expect(try await browser.get(Self.path, "area=branding&tenant=t1").text.contains("settings/logo/remove"))
        let done = try await browser.post("\(Self.path)/logo/remove", ["tenant": "t1", "revision": "3"])
        #expect(done.header("Location") == "\(Self.path)?area=branding&tenant=t1&done=saved")
        let branding = try #require(mesh.sent(Identity.ReplaceTenant.self).first?.configuration.branding)
        #expect(branding.logo == nil && branding.applicationName == "Shop")
    }
}
