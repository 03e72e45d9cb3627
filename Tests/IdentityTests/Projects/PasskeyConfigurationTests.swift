import Contracts
import FoundationEssentials
import JSON
import Testing

@testable import IdentityService

@Suite struct PasskeyConfigurationTests {
    private typealias Passkeys = ProjectConfiguration.Passkeys

    private static let fingerprint = "14:6D" + String(repeating: ":E9", count: 30)
    private static let keyHash = String(repeating: "A", count: 42) + "E"
    private static let aaguid = "2fc0579f-8113-47ea-b116-bb5a8db9202a"

    private static func passkeys(_ json: String) throws -> Passkeys {
        try WireJSON.decode(Passkeys.self, from: Data(json.utf8))
    }

    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map { "\"\(element($0))\"" }.joined(separator: ",")
    }

    private static let attestation = #"{"conveyance":"DIRECT","requireTrusted":true"#

    @Test(arguments: [
        #"{"state":"DISABLED","relyingPartyId":"example.com"}"#,
        #"{"relyingPartyId":"localhost"}"#, #"{"relyingPartyId":"shop.github.io"}"#,
        #"{"relyingPartyId":"xn--mnchen-3ya.example","relyingPartyName":"München"}"#,
        #"{"relyingPartyName":"\#(String(repeating: "n", count: 64))"}"#,
        #"{"userVerification":"PREFERRED","counterRegression":"RECORD"}"#,
        #"{"relyingPartyId":"example.com","origins":["https://example.com","https://app.example.com:8443"]}"#,
        #"{"origins":["android:apk-key-hash:\#(keyHash)"]}"#,
        #"{"relyingPartyId":"example.com","origins":[\#(list(50) { "https://a\($0).example.com" })]}"#,
        // Five related names; one of them twice, and with two public suffixes.
        #"{"relyingPartyId":"a.example","origins":["https://a.example",\#(list(5) { "https://b\($0).example" }),"#
            + #""https://b0.co.uk","https://www.b0.de"]}"#,
        // Without an ID, one of six names can be its own.
        #"{"origins":[\#(list(6) { "https://b\($0).example" })]}"#,
        #"{"origins":["https://localhost"]}"#,
        #"{"appleApps":["ABCDE12345.org.example.app"]}"#,
        #"{"androidApps":[{"packageName":"org.example.app","sha256CertFingerprints":["\#(fingerprint)"]}]}"#,
        #"{"enrollUrl":"https://example.com/add","manageUrl":"https://example.com/passkeys?tab=1"}"#,
        #"{"attestation":{"conveyance":"NONE"}}"#, #"{"attestation":{"conveyance":"DIRECT"}}"#,
        #"{"attestation":{"requireTrusted":false}}"#,
        #"{"attestation":\#(attestation),"allowedAaguids":["\#(aaguid)"]}}"#,
        #"{"attestation":\#(attestation),"deniedAaguids":[\#(list(200) { _ in aaguid })]}}"#,
    ])
    func validSettingsAreStoredAsTheyAre(json: String) throws {
        let passkeys = try Self.passkeys(json)
        #expect(try passkeys.checked(after: nil, isDev: false) == passkeys)
    }

    @Test(
        arguments: [
            (#"{"relyingPartyId":"Example.com"}"#, "relyingPartyId must be a domain like example.com"),
            (#"{"relyingPartyId":"https://example.com"}"#, "relyingPartyId must be a domain"),
            (#"{"relyingPartyId":"example.com:443"}"#, "relyingPartyId must be a domain"),
            (#"{"relyingPartyId":"192.0.2.7"}"#, "relyingPartyId must be a domain"),
            (#"{"relyingPartyId":"com"}"#, "relyingPartyId must be a domain"),
            (#"{"relyingPartyId":"münchen.example"}"#, "relyingPartyId must be a domain"),
            (#"{"relyingPartyId":"co.uk"}"#, "relyingPartyId co.uk is a public suffix"),
            (#"{"relyingPartyId":"github.io"}"#, "relyingPartyId github.io is a public suffix"),
            (#"{"relyingPartyName":"\#(String(repeating: "n", count: 65))"}"#, "relyingPartyName must have at most 64"),
            (#"{"relyingPartyName":"a\nb"}"#, "relyingPartyName must have at most 64"),
            (#"{"origins":["https://example.com","https://example.com/"]}"#, "origins[1] must be like"),
            (#"{"origins":["http://localhost"]}"#, "origins[0] must be like"),
            (#"{"origins":["http://example.com"]}"#, "origins[0] must be like"),
            (#"{"origins":["https://example.com","https://example.com"]}"#, "origins has an entry twice"),
            (#"{"origins":[\#(list(51) { "https://a\($0).example.com" })]}"#, "origins holds at most 50"),
            (
                #"{"relyingPartyId":"example.com","origins":["https://localhost"]}"#,
                "origins[0] has no effect: localhost has no registrable domain"
            ),
            (#"{"relyingPartyId":"example.com","origins":["https://github.io"]}"#, "origins[0] has no effect"),
            (
                #"{"relyingPartyId":"a.example","origins":[\#(list(6) { "https://b\($0).example" })]}"#,
                "origins has related origins with more than 5"
            ),
            (
                #"{"origins":[\#(list(7) { "https://b\($0).example" })]}"#,
                "origins has related origins with more than 5"
            ),
            (#"{"appleApps":["org.example.app"]}"#, "appleApps[0] must be like"),
            (#"{"appleApps":["abcde12345.org.example.app"]}"#, "appleApps[0] must be like"),
            (#"{"appleApps":["ABCDE12345"]}"#, "appleApps[0] must be like"),
            (#"{"appleApps":["ABCDE12345."]}"#, "appleApps[0] must be like"),
            (#"{"appleApps":["ABCDE12345.a/b"]}"#, "appleApps[0] must be like"),
            (#"{"appleApps":[\#(list(51) { "ABCDE12345.a\($0)" })]}"#, "appleApps holds at most 50"),
            (#"{"appleApps":["ABCDE12345.a","ABCDE12345.a"]}"#, "appleApps has an entry twice"),
            (#"{"androidApps":[{}]}"#, "androidApps[0].packageName must be like"),
            (#"{"androidApps":[{"packageName":"app"}]}"#, "androidApps[0].packageName must be like"),
            (#"{"androidApps":[{"packageName":"org.1app"}]}"#, "androidApps[0].packageName must be like"),
            (#"{"androidApps":[{"packageName":"org..app"}]}"#, "androidApps[0].packageName must be like"),
            (#"{"androidApps":[{"packageName":"a.b"},{"packageName":"a.b"}]}"#, "androidApps has an entry twice"),
            (#"{"androidApps":[{"packageName":"a.b"}]}"#, "androidApps[0].sha256CertFingerprints holds"),
            (
                #"{"androidApps":[{"packageName":"a.b","sha256CertFingerprints":["14:6D:E9"]}]}"#,
                "androidApps[0].sha256CertFingerprints holds"
            ),
            (
                #"{"androidApps":[{"packageName":"a.b","sha256CertFingerprints":["\#(fingerprint)","#
                    + #""14:6d\#(String(repeating: ":E9", count: 30))"]}]}"#,
                "androidApps[0].sha256CertFingerprints holds"
            ),
            (
                #"{"androidApps":[{"packageName":"a.b","sha256CertFingerprints":[\#(list(11) { _ in fingerprint })]}]}"#,
                "androidApps[0].sha256CertFingerprints holds 1 to 10"
            ),
            (#"{"enrollUrl":"http://example.com/"}"#, "enrollUrl must be"),
            (#"{"enrollUrl":"http://localhost:5000/"}"#, "enrollUrl must be"),
            (#"{"manageUrl":"/passkeys"}"#, "manageUrl must be"),
            (#"{"offerIntervalDays":-1}"#, "offerIntervalDays must be 0 to 365"),
            (#"{"offerIntervalDays":366}"#, "offerIntervalDays must be 0 to 365"),
            (#"{"manageUrl":"javascript:alert(1)"}"#, "manageUrl must be"),
            (
                #"{"attestation":{"conveyance":"DIRECT","allowedAaguids":["\#(aaguid)"]}}"#,
                "attestation.allowedAaguids has no effect without requireTrusted"
            ),
            (
                #"{"attestation":{"conveyance":"DIRECT","requireTrusted":false,"deniedAaguids":["\#(aaguid)"]}}"#,
                "attestation.deniedAaguids has no effect without requireTrusted"
            ),
            (#"{"attestation":{"requireTrusted":true}}"#, "attestation.requireTrusted needs conveyance DIRECT"),
            (
                #"{"attestation":{"conveyance":"NONE","requireTrusted":true}}"#,
                "attestation.requireTrusted needs conveyance DIRECT"
            ),
            (#"{"attestation":\#(attestation),"allowedAaguids":["2fc0579f811347eab116bb5a8db9202a"]}}"#, "200 UUIDs"),
            (#"{"attestation":\#(attestation),"deniedAaguids":["\#(aaguid)0"]}}"#, "200 UUIDs"),
            (#"{"attestation":\#(attestation),"deniedAaguids":[\#(list(201) { _ in aaguid })]}}"#, "200 UUIDs"),
        ] as [(String, String)])
    func invalidSettingsAreRefusedByName(json: String, reason: String) throws {
        let passkeys = try Self.passkeys(json)
        let error = #expect(throws: ServiceError.self) { try passkeys.checked(after: nil, isDev: false) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message?.hasPrefix("passkeyConfig.") == true)
        #expect(error?.message?.contains(reason) == true, "\(error?.message ?? "no message")")
    }

    @Test(arguments: [
        #"{"relyingPartyId":"localhost","origins":["http://localhost:5000","https://localhost"]}"#,
        #"{"enrollUrl":"http://localhost:5000/","manageUrl":"http://127.0.0.1/"}"#,
    ])
    func loopbackWithoutTLSIsAcceptedInDevModeOnly(json: String) throws {
        let passkeys = try Self.passkeys(json)
        #expect(try passkeys.checked(after: nil, isDev: true) == passkeys)
        #expect(throws: ServiceError.self) { try passkeys.checked(after: nil, isDev: false) }
    }

    @Test(arguments: [
        "{}", #"{"origins":[],"appleApps":[],"androidApps":[]}"#, #"{"relyingPartyId":"","relyingPartyName":""}"#,
        #"{"enrollUrl":"","manageUrl":"","attestation":{}}"#,
        #"{"attestation":{"allowedAaguids":[],"deniedAaguids":[]}}"#,
    ])
    func emptySettingsAreRemoved(json: String) throws {
        #expect(try Self.passkeys(json).checked(after: nil, isDev: false) == nil)
        let document = #"{"passkeyConfig":\#(json)}"#
        let project = try ConfigurationRulesTests.configuration(document)
        #expect(try project.checked(after: .init(), at: ConfigurationRulesTests.now, isDev: false).passkeyConfig == nil)
        let tenant = try WireJSON.decode(TenantConfiguration.self, from: Data(document.utf8))
        #expect(try tenant.checked(after: nil, at: ConfigurationRulesTests.now, isDev: false).passkeyConfig == nil)
    }

    @Test func modelsAreStoredInLowerCase() throws {
        let passkeys = try Self.passkeys(
            #"{"attestation":\#(Self.attestation),"allowedAaguids":["2FC0579F-8113-47EA-B116-BB5A8DB9202A"]}}"#)
        #expect(try passkeys.checked(after: nil, isDev: false)?.attestation?.allowedAaguids == [Self.aaguid])
    }

    @Test(arguments: [true, false]) func projectsAndTenantsAreCheckedInTheModeOfTheProcess(isDev: Bool) async throws {
        let fixture = try await IdentityFixture(isDev: isDev)
        try await fixture.configure {
            $0.multiTenant = .init()
            $0.multiTenant?.allowTenants = true
        }
        let tenant = try await fixture.makeTenant()
        let passkeys = try Self.passkeys(#"{"relyingPartyId":"localhost","origins":["http://localhost:5000"]}"#)
        let changes: [() async throws -> Void] = [
            { try await fixture.configure { $0.passkeyConfig = passkeys } },
            { _ = try await fixture.makeTenant { $0.passkeyConfig = passkeys } },
            { try await fixture.changeTenant(tenant) { $0.passkeyConfig = passkeys } },
        ]
        for change in changes {
            if isDev {
                try await change()
            } else {
                let error = await #expect(throws: ServiceError.self) { try await change() }
                #expect(error?.code == .invalidConfiguration)
            }
        }
    }

    // MARK: Tenants

    @Test(arguments: [
        ("appleApps", #"["ABCDE12345.org.example.app"]"#),
        ("androidApps", #"[{"packageName":"a.b","sha256CertFingerprints":["\#(fingerprint)"]}]"#),
        ("enrollUrl", #""https://example.com/add""#), ("manageUrl", #""https://example.com/passkeys""#),
    ])
    func settingOfWellKnownFilesIsRefusedForTenant(name: String, value: String) throws {
        let document = Data(#"{"passkeyConfig":{"\#(name)":\#(value)}}"#.utf8)
        let tenant = try WireJSON.decode(TenantConfiguration.self, from: document)
        let error = #expect(throws: ServiceError.self) {
            try tenant.checked(after: nil, at: ConfigurationRulesTests.now, isDev: false)
        }
        #expect(error?.message == "passkeyConfig.\(name) has no effect in a tenant: set it in the project")
    }

    @Test func tenantHasTheRulesOfTheProject() throws {
        var tenant = TenantConfiguration()
        tenant.passkeyConfig = try Self.passkeys(#"{"relyingPartyId":"example.com","userVerification":"PREFERRED"}"#)
        let checked = try tenant.checked(after: nil, at: ConfigurationRulesTests.now, isDev: false)
        #expect(checked.passkeyConfig == tenant.passkeyConfig)
        tenant.passkeyConfig?.relyingPartyId = "co.uk"
        #expect(throws: ServiceError.self) {
            try tenant.checked(after: nil, at: ConfigurationRulesTests.now, isDev: false)
        }
    }

    @Test func tenantInheritsAllSettingsOrNone() throws {
        var project = ProjectConfiguration()
        project.passkeyConfig = try Self.passkeys(#"{"relyingPartyId":"example.com","state":"DISABLED"}"#)
        var tenant = TenantConfiguration()
        #expect(project.applying(tenant).passkeyConfig == project.passkeyConfig)
        tenant.passkeyConfig = try Self.passkeys(#"{"state":"ENABLED"}"#)
        #expect(project.applying(tenant).passkeyConfig == tenant.passkeyConfig)
    }
}
