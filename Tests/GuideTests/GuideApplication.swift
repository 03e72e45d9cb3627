import Foundation
import HTTPClient
import JSON
import LatchkeyAdmin
import LatchkeyAuth
import TestSupport

/// The application of a guide, on a mesh of its own.
struct GuideApplication: Sendable {
    let mesh: RunningMesh

    /// Runs `body` with a mesh, and with the default application configured for it.
    static func running(
        _ services: String, environment: [String: String] = [:], _ body: (GuideApplication) async throws -> Void
    ) async throws {
        try await RunningMesh.running(["--only", services], environment: environment) { mesh in
            let application = GuideApplication(mesh: mesh)
            application.start()
            try await body(application)
        }
    }

    /// Starts the application on a device without a session.
    func start() {
        LatchkeyApp.configure(
            LatchkeyOptions(
                apiKey: "any", projectID: "demo-latchkey", bundleID: "com.example.guide",
                clientID: "5501-guide.apps.example.com", serverURL: URL(string: mesh.client.origin)),
            persistence: .memory)
    }

    // MARK: - The project

    /// Offers phones as second factors.
    func enablePhones() async throws {
        try await mesh.makeAdmin().projectConfigManager().updateProjectConfig(
            multiFactorConfig: MultiFactorConfig(state: .enabled, factorIDs: [.phone]))
    }

    /// Configures an identity provider of `FakeProviders`.
    func enableProvider(_ id: String) async throws {
        let response = try await mesh.client.send(
            .post, "/admin/v2/projects/demo-latchkey/defaultSupportedIdpConfigs?idpId=\(id)",
            .object([
                "enabled": .bool(true), "clientId": .string(FakeProviders.clientID),
                "clientSecret": .string(FakeProviders.appSecret),
            ]), headers: [(name: "Authorization", value: "Bearer owner")])
        guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
    }

    // MARK: - The user

    func signUp(_ person: TestUser) async throws -> AuthDataResult {
        try await Auth.auth().signUp(person)
    }

    /// Signs a new user up, who then verifies the address.
    func signUpVerified(_ person: TestUser) async throws -> AuthDataResult {
        let result = try await signUp(person)
        try await verifyAddress(of: result.user)
        return result
    }

    /// Follows the link of the verification e-mail.
    func verifyAddress(of user: User) async throws {
        try await user.sendEmailVerification()
        let email = user.email
        let code = try await listed("oobCodes", "oobCode") { $0["email"] == email.map(JSONValue.string) }
        try await Auth.auth().applyActionCode(code)
        // The ID token states that the address is verified.
        _ = try await user.getIDToken(forcingRefresh: true)
        try await user.reload()
    }

    /// The newest SMS code of a phone that the user has not entered.
    func smsCode(to phoneNumber: String) async throws -> String {
        try await listed("verificationCodes", "code") { $0["phoneNumber"] == .string(phoneNumber) }
    }

    /// The last of the codes that the mesh lists in dev mode.
    private func listed(
        _ list: String, _ member: String, where isSought: @Sendable (JSONValue) -> Bool
    ) async throws -> String {
        try await waitFor("\(list) had a code") {
            let response = try await mesh.client.get("/emulator/v1/projects/demo-latchkey/\(list)")
            guard case .array(let codes)? = try response.json[list],
                case .string(let code)? = codes.last(where: isSought)?[member]
            else { return nil }
            return code
        }
    }
}
