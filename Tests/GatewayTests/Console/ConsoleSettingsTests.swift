import ConfigurationDocuments
import Contracts
import JSON
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
        ("testNumbers", "+15555550100 1 2"), ("smsFactor", ""),
    ]) func unknownTextIsRefusedWithItsField(id: String, text: String) throws {
        let field = try Self.field(id)
        #expect(throws: InvalidSettingText(field: id, text: text)) {
            try field.applying(text, to: .object([:]), of: .project)
        }
    }

    /// What no form has is shown by its path.
    @Test func everyDifferenceIsShown() throws {
        let before: JSONValue = .object(["authorizedDomains": .array([.string("a.example")])])
        let after: JSONValue = .object(["recaptchaConfig": .object(["emailPasswordEnforcementState": .string("AUDIT")])]
        )
        let changes = SettingsOwner.project.changes(from: before, to: after)
        #expect(changes.map(\.path) == ["authorizedDomains", "recaptchaConfig.emailPasswordEnforcementState"])
        #expect(changes.map(\.before) == ["a.example", ""] && changes.map(\.after) == ["", "AUDIT"])
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
        #expect(response.status == 400 && response.text.contains(#"id="lightBrand-error">branding.lightColors.brand"#))
        #expect(response.text.contains("value=\"#fefefe\""))
    }
}
