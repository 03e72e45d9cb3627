import Contracts
import Foundation
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Settings without effect are not stored, so that no operator relies on them.
@Suite struct IneffectiveSettingsTests {
    private func configuration(_ text: String) throws -> ProjectConfiguration {
        try WireJSON.decode(ProjectConfiguration.self, from: Data(text.utf8))
    }

    @Test(arguments: [
        (#"{"recaptchaConfig":{"useAccountDefender":true}}"#, "recaptchaConfig.useAccountDefender"),
        (#"{"notification":{"sendEmail":{"method":"CUSTOM_SMTP"}}}"#, "notification.sendEmail.method"),
        (#"{"notification":{"sendEmail":{"smtp":{"host":"m.example"}}}}"#, "notification.sendEmail.smtp.host"),
        (#"{"notification":{"sendEmail":{"smtp":{"password":"s"}}}}"#, "notification.sendEmail.smtp.password"),
        (
            #"{"notification":{"sendEmail":{"smtp":{"securityMode":"SSL"}}}}"#,
            "notification.sendEmail.smtp.securityMode"
        ),
        (#"{"recaptchaConfig":{"useSmsBotScore":true}}"#, "recaptchaConfig.useSmsBotScore"),
        (
            #"{"recaptchaConfig":{"tollFraudManagedRules":[{"startScore":0.5}]}}"#,
            "recaptchaConfig.tollFraudManagedRules"
        ),
        (
            #"{"notification":{"sendEmail":{"legacyResetPasswordTemplate":{"subject":"s"}}}}"#,
            "notification.sendEmail.legacyResetPasswordTemplate"
        ),
        (
            #"{"notification":{"sendEmail":{"dnsInfo":{"customDomain":"a.example"}}}}"#,
            "notification.sendEmail.dnsInfo.customDomain"
        ),
        (#"{"multiTenant":{"defaultTenantLocation":"eu"}}"#, "multiTenant.defaultTenantLocation"),
        (#"{"monitoring":{"requestLogging":{"enabled":true}}}"#, "monitoring.requestLogging.enabled"),
        (#"{"autodeleteAnonymousUsers":true}"#, "autodeleteAnonymousUsers"),
    ])
    func ineffectiveSettingIsRefusedByName(document: String, path: String) throws {
        let configuration = try configuration(document)
        #expect(throws: ServiceError.ineffectiveSetting(path)) {
            try configuration.refuseIneffectiveSettings(after: .init())
        }
        // Stored values may be sent back.
        try configuration.refuseIneffectiveSettings(after: configuration)
        try ProjectConfiguration().refuseIneffectiveSettings(after: configuration)
        let error = ServiceError.ineffectiveSetting(path)
        #expect(error.code == .operationNotAllowed)
        #expect(error.message == "\(path) has no effect in this version, so it is not stored.")
    }

    @Test(arguments: [
        #"{"signIn":{"allowDuplicateEmails":true},"blockingFunctions":{},"autodeleteAnonymousUsers":false}"#,
        #"{"blockingFunctions":{"triggers":{},"forwardInboundCredentials":{"idToken":false}}}"#,
        #"{"blockingFunctions":{"triggers":{"beforeSignIn":{"functionUri":"https://a.example"}}}}"#,
        #"{"blockingFunctions":{"forwardInboundCredentials":{"idToken":true}}}"#,
        #"{"notification":{"sendEmail":{"method":"DEFAULT","smtp":{}}},"recaptchaConfig":{"useAccountDefender":false}}"#,
        #"{"notification":{"sendEmail":{"smtp":{"host":"","securityMode":"SECURITY_MODE_UNSPECIFIED"}}}}"#,
        #"{"monitoring":{"requestLogging":{"enabled":false}}}"#,
    ])
    func defaultsAreAccepted(document: String) throws {
        try configuration(document).refuseIneffectiveSettings(after: .init())
    }

    @Test func changedValueIsRefused() throws {
        let before = try configuration(#"{"notification":{"sendEmail":{"smtp":{"host":"a.example"}}}}"#)
        let after = try configuration(#"{"notification":{"sendEmail":{"smtp":{"host":"b.example"}}}}"#)
        #expect(throws: ServiceError.ineffectiveSetting("notification.sendEmail.smtp.host")) {
            try after.refuseIneffectiveSettings(after: before)
        }
    }

    @Test func tenantsHaveSameRule() throws {
        var configuration = TenantConfiguration()
        configuration.autodeleteAnonymousUsers = true
        #expect(throws: ServiceError.ineffectiveSetting("autodeleteAnonymousUsers")) {
            try configuration.refuseIneffectiveSettings(after: nil)
        }
        try configuration.refuseIneffectiveSettings(after: configuration)
    }

    @Test func serviceStoresNoIneffectiveSetting() async throws {
        let fixture = try await IdentityFixture(.memory)
        await #expect(throws: ServiceError.ineffectiveSetting("autodeleteAnonymousUsers")) {
            try await fixture.configure { $0.autodeleteAnonymousUsers = true }
        }
        let read = try await fixture.send(Identity.ReadConfiguration(project: IdentityFixture.realm.project))
        #expect(read.configuration.autodeleteAnonymousUsers == nil)
    }
}
